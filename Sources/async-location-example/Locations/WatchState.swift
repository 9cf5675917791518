import AsyncLocation

/// What the table of `watch` is about. Pure: news in, the times of news by the caller's clock.
struct WatchState: Sendable {
  /// Where locations come from, such as "gpsd localhost:2947".
  let source: String
  /// How many locations came.
  private(set) var count = 0
  private(set) var location: Location?
  /// When ``location`` came.
  private(set) var located: Duration?
  private(set) var sky: SatelliteView?
  private(set) var connection: ConnectionState?
  /// When ``connection`` came.
  private(set) var connected: Duration?
  private(set) var diagnostics: LocationUpdate.Diagnostics = []

  init(source: String) { self.source = source }

  mutating func take(_ location: Location, at now: Duration) {
    count += 1
    (self.location, located) = (location, now)
    diagnostics = []
    // Another receiver's sky says nothing about this location.
    if let device = location.sourceInformation?.device, let seen = sky?.sourceInformation?.device,
      device != seen
    {
      sky = nil
    }
  }

  mutating func take(_ view: SatelliteView) {
    if let device = location?.sourceInformation?.device,
      let seen = view.sourceInformation?.device, device != seen
    {
      return
    }
    sky = view
  }

  mutating func take(_ state: ConnectionState, at now: Duration) {
    (connection, connected) = (state, now)
    if state.phase != .connected { sky = nil }
  }

  mutating func take(_ update: LocationUpdate) {
    if update.location == nil { diagnostics = update.diagnostics }
  }
}
