/// What a policy decides about a client.
///
/// ```swift
/// .authorizedWhenInUse
/// .authorizedAlways.limited(to: .reduced)
/// .denied.withReason("The operator has switched tracking off.")
/// ```
public struct AuthorizationDecision: Sendable, Hashable, Codable {
  /// What is granted, in finer steps than ``AuthorizationStatus`` tells.
  public enum Permission: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing is decided; as an answer to a request it leaves what holds.
    case notDetermined
    /// Refused, and the one who was asked could not grant it.
    case restricted
    /// Refused.
    case denied
    /// Granted while in use.
    case whenInUse
    /// Granted while in use, until the last stream of reports, waiting call for a location and
    /// ``ServiceSession`` has ended, or the use does; then nothing is determined.
    case whenInUseOnce
    /// Granted always for now; the policy confirms it or lowers it later.
    case provisionalAlways
    /// Granted always.
    case always

    /// As Core Location's five answers tell it.
    public var status: AuthorizationStatus {
      switch self {
      case .notDetermined: .notDetermined
      case .restricted: .restricted
      case .denied: .denied
      case .whenInUse, .whenInUseOnce: .authorizedWhenInUse
      case .provisionalAlways, .always: .authorizedAlways
      }
    }
  }

  /// What is granted.
  public let permission: Permission
  /// How precise the locations may be; matters only where they are granted.
  public let accuracy: AccuracyAuthorization
  /// Why, for people: it becomes part of ``Authorization/reason`` and of the error that ends a
  /// stream. Never holds a coordinate.
  public let reason: String?

  /// Creates a decision.
  public init(
    _ permission: Permission, accuracy: AccuracyAuthorization = .full, reason: String? = nil
  ) {
    (self.permission, self.accuracy, self.reason) = (permission, accuracy, reason)
  }

  /// Nothing is decided.
  public static var notDetermined: Self { Self(.notDetermined) }
  /// Refused, by one who could not grant it.
  public static var restricted: Self { Self(.restricted) }
  /// Refused.
  public static var denied: Self { Self(.denied) }
  /// Granted while in use.
  public static var authorizedWhenInUse: Self { Self(.whenInUse) }
  /// Granted for this one time of use.
  public static var authorizedOnce: Self { Self(.whenInUseOnce) }
  /// Granted always for now, to be confirmed or lowered later.
  public static var provisionallyAuthorizedAlways: Self { Self(.provisionalAlways) }
  /// Granted always.
  public static var authorizedAlways: Self { Self(.always) }

  /// The same with another accuracy.
  public func limited(to accuracy: AccuracyAuthorization) -> Self {
    Self(permission, accuracy: accuracy, reason: reason)
  }

  /// The same with a reason.
  public func withReason(_ reason: String) -> Self {
    Self(permission, accuracy: accuracy, reason: reason)
  }
}
