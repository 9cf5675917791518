/// Whether an application may receive locations. The cases match Core Location's.
public enum AuthorizationStatus: String, Sendable, Hashable, Codable, CaseIterable {
  /// No decision is in force, for example before the first request or while its answer is pending.
  case notDetermined
  /// Permission is refused, and the user cannot grant it.
  case restricted
  /// Permission is refused.
  case denied
  /// Permission is granted while the application is in use.
  case authorizedWhenInUse
  /// Permission is granted at all times.
  case authorizedAlways

  /// True if permission is granted.
  public var isAuthorized: Bool {
    switch self {
    case .authorizedWhenInUse, .authorizedAlways: true
    case .notDetermined, .restricted, .denied: false
    }
  }
}

/// The permission and accuracy of a manager.
public struct Authorization: Sendable, Hashable, Codable {
  /// The permission. ``AuthorizationStatus/denied`` while location services are off.
  public let status: AuthorizationStatus
  /// The accuracy of locations. It is full while temporary full accuracy is granted.
  public let accuracy: AccuracyAuthorization
  /// False while location services are off for every client.
  public let locationServicesEnabled: Bool
  /// The policy's reason, or that of a source that refuses what the policy grants. It may contain text from an operator; escape it before printing.
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

  /// True if permission is granted.
  public var isAuthorized: Bool { status.isAuthorized }
}

/// A level of permission that can be requested.
public enum AuthorizationRequest: String, Sendable, Hashable, Codable, CaseIterable {
  /// Permission while the application is in use.
  case whenInUse
  /// Permission always.
  case always
}

/// The accuracy of the locations that an application may receive.
public enum AccuracyAuthorization: String, Sendable, Hashable, Codable, CaseIterable {
  /// The full accuracy of the receiver.
  case full
  /// Each location is the centre of a cell of about 25 km². Speed, course, altitude and time are
  /// rounded too. Headings, satellites and beacons are withheld.
  case reduced
}
