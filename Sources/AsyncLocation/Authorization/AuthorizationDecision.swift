/// The decision of a policy about a client.
///
/// ```swift
/// let near = AuthorizationDecision.authorizedWhenInUse
/// let coarse = AuthorizationDecision.authorizedAlways.limited(to: .reduced)
/// let none = AuthorizationDecision.denied.withReason("The operator has switched tracking off.")
/// ```
public struct AuthorizationDecision: Sendable, Hashable, Codable {
  /// The permission granted, in more detail than ``AuthorizationStatus``.
  public enum Permission: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing is decided. As an answer to a request, it leaves the current decision unchanged.
    case notDetermined
    /// Refused; the user cannot grant it.
    case restricted
    /// Refused.
    case denied
    /// Granted while in use.
    case whenInUse
    /// Granted while in use, for one use. It lapses to `notDetermined` when the last stream of
    /// reports, pending location request and ``ServiceSession`` has ended, or when the application
    /// goes out of use.
    case whenInUseOnce
    /// Granted always for now; the policy confirms or lowers it later.
    case provisionalAlways
    /// Granted always.
    case always

    /// The matching Core Location status.
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

  /// The permission granted.
  public let permission: Permission
  /// The accuracy of locations. It applies only while the permission is granted.
  public let accuracy: AccuracyAuthorization
  /// A human-readable reason. It becomes part of ``Authorization/reason`` and of the error that
  /// ends a stream. It must not contain coordinates.
  public let reason: String?

  /// Creates a decision.
  public init(
    _ permission: Permission, accuracy: AccuracyAuthorization = .full, reason: String? = nil
  ) {
    (self.permission, self.accuracy, self.reason) = (permission, accuracy, reason)
  }

  /// Nothing is decided.
  public static var notDetermined: Self { Self(.notDetermined) }
  /// Refused; the user cannot grant it.
  public static var restricted: Self { Self(.restricted) }
  /// Refused.
  public static var denied: Self { Self(.denied) }
  /// Granted while in use.
  public static var authorizedWhenInUse: Self { Self(.whenInUse) }
  /// Granted while in use, for one use.
  public static var authorizedOnce: Self { Self(.whenInUseOnce) }
  /// Granted always for now; the policy confirms or lowers it later.
  public static var provisionallyAuthorizedAlways: Self { Self(.provisionalAlways) }
  /// Granted always.
  public static var authorizedAlways: Self { Self(.always) }

  /// Returns the same decision with another accuracy.
  public func limited(to accuracy: AccuracyAuthorization) -> Self {
    Self(permission, accuracy: accuracy, reason: reason)
  }

  /// Returns the same decision with a reason.
  public func withReason(_ reason: String) -> Self {
    Self(permission, accuracy: accuracy, reason: reason)
  }
}

/// A change that a policy reports without a request.
@nonexhaustive
public enum AuthorizationChange: Sendable, Hashable {
  /// This decision is in force from now on. ``AuthorizationDecision/notDetermined`` revokes an
  /// earlier decision.
  case decision(AuthorizationDecision)
  /// Location services were switched off or on for every client. While they are off, the status is
  /// denied. When they are switched on again, the earlier decision takes effect again.
  case locationServices(enabled: Bool)
  /// What was delivered until now is withdrawn, and the decision in force stays: unread elements are
  /// discarded, there is no last known location, streams continue, and the backend is run again. For
  /// a policy that combines others, of which one withdraws its grant. The authorization stays equal,
  /// so ``LocationManager/authorizationUpdates`` does not repeat it.
  case withdrawal
}
