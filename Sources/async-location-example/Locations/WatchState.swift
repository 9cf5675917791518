import AsyncLocation

/// The state that the table of `watch` shows. Pure: the caller passes events with their times.
struct WatchState: Sendable {
  /// The source of the locations, such as "gpsd localhost:2947".
  let source: String
  /// Whether the source combines several.
  let isCombined: Bool
  /// The number of locations received.
  private(set) var count = 0
  private(set) var location: Location?
  /// The time when ``location`` arrived.
  private(set) var locatedAt: Duration?
  private(set) var sky: SatelliteView?
  private(set) var connection: ConnectionState?
  /// The time when ``connection`` arrived.
  private(set) var connectionChangedAt: Duration?
  private(set) var diagnostics: LocationUpdate.Diagnostics = []

  private var latestPlace: PlacemarkUpdate?
  /// The place to show. Nil without `--places`, before the first answer, and if the place is more
  /// exact than the location.
  var place: PlacemarkUpdate? { location.flatMap { latestPlace?.shown(beside: $0) } }

  /// The diagnostics after which no earlier location may be shown.
  private static let withdrawals: LocationUpdate.Diagnostics = [
    .authorizationDenied, .authorizationDeniedGlobally, .authorizationRestricted,
    .serviceSessionRequired, .authorizationRequestInProgress, .insufficientlyInUse,
  ]

  init(source: String, isCombined: Bool = false) {
    (self.source, self.isCombined) = (source, isCombined)
  }

  mutating func record(_ location: Location, at now: Duration) {
    count += 1
    (self.location, locatedAt) = (location, now)
    diagnostics = []
    if location.isReduced { sky = nil }
    // A satellite view of another receiver does not apply to this location.
    if let device = location.sourceInformation?.device, let seen = sky?.sourceInformation?.device,
      device != seen
    {
      sky = nil
    }
  }

  mutating func record(_ view: SatelliteView) {
    if let device = location?.sourceInformation?.device,
      let seen = view.sourceInformation?.device, device != seen
    {
      return
    }
    sky = view
  }

  mutating func record(_ state: ConnectionState, at now: Duration) {
    (connection, connectionChangedAt) = (state, now)
    if state.phase != .connected { sky = nil }
  }

  mutating func record(_ update: PlacemarkUpdate) { latestPlace = update }

  private mutating func withdraw() {
    (location, locatedAt, sky, latestPlace) = (nil, nil, nil, nil)
  }

  /// Removes data that permission no longer covers.
  mutating func record(_ authorization: Authorization) {
    if authorization.status.refuses {
      withdraw()
    } else if authorization.accuracy == .reduced {
      sky = nil
      if location?.exceeds(authorization) == true { withdraw() }
      if latestPlace?.location.exceeds(authorization) == true { latestPlace = nil }
    }
  }

  mutating func record(_ update: LocationUpdate) {
    guard update.location == nil else { return }
    diagnostics = update.diagnostics
    if !diagnostics.isDisjoint(with: Self.withdrawals) { withdraw() }
  }
}

extension Location {
  /// Whether the location is not covered by a permission.
  func exceeds(_ authorization: Authorization) -> Bool {
    authorization.status.refuses || authorization.accuracy == .reduced && !isReduced
  }
}

extension PlacemarkUpdate {
  /// Returns the update; nil if its place is more exact than a location of reduced accuracy.
  func shown(beside location: Location) -> Self? {
    location.isReduced && !self.location.isReduced ? nil : self
  }
}
