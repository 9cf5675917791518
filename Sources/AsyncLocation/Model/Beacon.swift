public import FoundationEssentials

/// A beacon that a backend received.
public struct Beacon: Sendable, Hashable, Codable {
  /// The distance class of a beacon.
  @nonexhaustive
  public enum Proximity: String, Sendable, Hashable, Codable {
    /// The distance could not be determined.
    case unknown
    /// Within about half a metre.
    case immediate
    /// Within about three metres.
    case near
    /// Farther than about three metres.
    case far
  }

  /// The identifier that all beacons of an owner share.
  public let uuid: UUID
  /// The group to which the beacon belongs.
  public let major: UInt16
  /// The number of the beacon within its group.
  public let minor: UInt16
  /// The distance class.
  public let proximity: Proximity
  /// The error of the distance in metres; nil when it is unknown. Use it to compare beacons of
  /// equal ``proximity``, not as a distance.
  public let accuracy: Double?
  /// The received signal strength in dBm; nil when it is unknown.
  public let rssi: Int?
  /// The time of reception.
  public let timestamp: Date

  /// Creates a beacon.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for an accuracy that is
  ///   negative or not finite.
  public init(
    uuid: UUID, major: UInt16, minor: UInt16, proximity: Proximity = .unknown,
    accuracy: Double? = nil, rssi: Int? = nil, timestamp: Date
  ) throws(LocationError) {
    try ClosedRange.nonNegative.check(accuracy, "accuracy")
    self.uuid = uuid
    self.major = major
    self.minor = minor
    self.proximity = proximity
    self.accuracy = accuracy
    self.rssi = rssi
    self.timestamp = timestamp
  }
}

/// A report of beacons, and its arrival time on the manager's monotonic clock.
struct ArrivedBeacons: Sendable {
  let report: BeaconReport
  let instant: Duration

  var sourceInformation: SourceInformation? { report.sourceInformation }
}

/// The beacons that a backend currently receives.
public struct BeaconReport: Sendable, Hashable, Codable {
  /// All received beacons, whether requested or not.
  public let beacons: [Beacon]
  /// The origin of the report.
  public let sourceInformation: SourceInformation?

  /// Creates a report.
  public init(beacons: [Beacon], sourceInformation: SourceInformation? = nil) {
    self.beacons = beacons
    self.sourceInformation = sourceInformation
  }
}
