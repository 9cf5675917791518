public import AsyncLocation

/// The current state of a backend, and counters over all of its runs.
public struct GeoClueStatistics: Sendable, Hashable, Codable {
  /// The latest connection phase of any run.
  public var phase: ConnectionState.Phase = .idle
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
