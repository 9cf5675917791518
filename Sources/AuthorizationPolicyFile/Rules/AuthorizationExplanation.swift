public import AsyncLocation
public import FoundationEssentials

/// The grant of a policy file to a client, and the reason.
public struct AuthorizationExplanation: Sendable, Hashable {
  /// The path of the file.
  public let path: String
  /// The client whose rule applies.
  public let client: String
  /// The decision, with its reason. The reason quotes text of an operator; escape it before
  /// printing.
  public let decision: AuthorizationDecision
  /// False if the file switches location services off for every client.
  public let locationServicesEnabled: Bool
  /// The time at which the rule expires; nil if it does not.
  public let expires: Date?
  /// The purposes for which full accuracy is allowed, and for how long.
  public let purposes: [String: Duration]
  /// A notice for the operator about the key of reduced accuracy, such as that it does not exist
  /// yet; nil if the key exists or is not needed. It contains a path; escape it before printing.
  public let keyNotice: String?
  /// Why the file or its key cannot be used. Everything is then denied.
  public let error: LocationError?

  /// Creates an explanation. A time outside the years 1 to 9999 is clamped to that range; durations
  /// are rounded to the nanosecond.
  public init(
    path: String, client: String, decision: AuthorizationDecision,
    locationServicesEnabled: Bool = true, expires: Date? = nil,
    purposes: [String: Duration] = [:], keyNotice: String? = nil, error: LocationError? = nil
  ) {
    self.path = path
    self.client = client
    self.decision = decision
    self.locationServicesEnabled = locationServicesEnabled
    self.expires = expires.map(Timestamp.nearest)
    self.purposes = purposes.mapValues(ExactSeconds.exact)
    self.keyNotice = keyNotice
    self.error = error
  }

  /// The status that an application sees: that of ``decision``, or denied while location services
  /// are off.
  public var status: AuthorizationStatus {
    locationServicesEnabled ? decision.permission.status : .denied
  }
  /// The reason for ``status``. It quotes text of an operator; escape it before printing.
  public var reason: String? {
    locationServicesEnabled
      ? decision.reason : "\(String(printable: path)): location services are switched off"
  }

  /// Whether both explanations have the same effect for an application, apart from
  /// `locationServicesEnabled`. A rule that only moved within the file has the same effect.
  func decidesAs(_ other: Self) -> Bool {
    decision.permission == other.decision.permission
      && decision.accuracy == other.decision.accuracy && expires == other.expires
      && purposes == other.purposes && error == other.error
  }
}
