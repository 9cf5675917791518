public import AsyncLocation
public import FoundationEssentials

/// The current state of a backend, and counters over all of its runs.
public struct GeoClueStatistics: Sendable, Hashable {
  /// The latest connection phase of any run.
  public var phase: ConnectionState.Phase = .idle
  /// When ``phase`` began, by this computer's clock, which may be adjusted; nil before the first
  /// run.
  public var phaseDate: Date?
  /// Attempts to connect to D-Bus, for locations and for questions about permission.
  public var attempts = 0
  /// How often GeoClue has begun to serve a run.
  public var connections = 0
  /// Locations received.
  public var locations = 0
  /// Locations that were not read, because GeoClue reported newer ones faster than it answered.
  public var supersededLocations = 0
  /// Locations that GeoClue had removed before they were read.
  public var vanishedLocations = 0
  /// Locations with an invalid coordinate, and signals of another form than GeoClue's.
  public var malformedMessages = 0
  /// Signals in the name of GeoClue from other programs.
  public var foreignSignals = 0
  /// The last error.
  public var lastError: LocationError?

  /// Creates statistics with all counts zero.
  public init() {}
}

/// Encoded as an object with all members by name; a missing count is decoded as 0, and an unknown
/// phase as `connecting`.
extension GeoClueStatistics: SourceStatistics, Codable {
  /// The counts.
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("attempts", \.attempts),
    TabulatedMember("connections", \.connections),
    TabulatedMember("locations", \.locations),
    TabulatedMember("supersededLocations", \.supersededLocations),
    TabulatedMember("vanishedLocations", \.vanishedLocations),
    TabulatedMember("malformedMessages", \.malformedMessages),
    TabulatedMember("foreignSignals", \.foreignSignals),
  ]

  public init(from decoder: any Decoder) throws {
    self.init()
    try decodeMembers(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws { try encodeMembers(to: encoder) }
}
