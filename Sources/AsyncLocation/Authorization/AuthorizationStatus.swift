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
  /// Whether locations may be delivered. ``AuthorizationStatus/denied`` while location services are
  /// off.
  public let status: AuthorizationStatus
  /// How precise they may be; full also while it is raised for a time.
  public let accuracy: AccuracyAuthorization
  /// False while location services are off for everybody.
  public let locationServicesEnabled: Bool
  /// Why, as the policy tells it. May quote what an operator wrote: escape before printing.
  public let reason: String?

  /// Creates an authorization.
  public init(
    status: AuthorizationStatus, accuracy: AccuracyAuthorization = .full,
    locationServicesEnabled: Bool = true, reason: String? = nil
  ) {
    self.status = status
    self.accuracy = accuracy
    self.locationServicesEnabled = locationServicesEnabled
    self.reason = reason
  }

  /// True when locations may be delivered.
  public var isAuthorized: Bool { status.isAuthorized }
}

/// A level of permission that can be asked for.
public enum AuthorizationRequest: String, Sendable, Hashable, Codable, CaseIterable {
  /// Permission while the application is in use.
  case whenInUse
  /// Permission always.
  case always
}
