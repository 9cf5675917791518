/// Whether an application may learn where it is; Core Location's five answers.
public enum AuthorizationStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// Nobody has asked, or the answer is still out.
  case notDetermined
  /// Permission is refused, and the one who was asked could not grant it.
  case restricted
  /// Permission is refused.
  case denied
  /// Permission holds while the application is in use.
  case authorizedWhenInUse
  /// Permission holds always.
  case authorizedAlways

  /// True when locations may be delivered.
  public var isAuthorized: Bool {
    switch self {
    case .authorizedWhenInUse, .authorizedAlways: true
    case .notDetermined, .restricted, .denied: false
    }
  }
}

/// What a manager is allowed.
public struct Authorization: Sendable, Hashable, Codable {
  /// Whether locations may be delivered.
  public let status: AuthorizationStatus

  /// Creates an authorization.
  public init(status: AuthorizationStatus) { self.status = status }

  /// True when locations may be delivered.
  public var isAuthorized: Bool { status.isAuthorized }
}

/// A level of permission that can be asked for.
public enum AuthorizationRequest: Sendable, Hashable, CaseIterable {
  /// Permission while the application is in use.
  case whenInUse
  /// Permission always.
  case always
}
