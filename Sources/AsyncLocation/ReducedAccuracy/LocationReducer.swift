/// Reduces the accuracy of locations, so that many requests reveal no more than one does.
///
/// A reduced location is the centre of a cell of the ``ReducedGrid``. Its other numbers are
/// multiples of a step or constants. Floor and satellite data are omitted; absent values stay
/// absent, except the horizontal accuracy, which always covers the cell. All values are chosen at a
/// receiver's first fix of a time step and repeated until the step ends, so the time of crossing a
/// border is not revealed more precisely either. The output is deterministic, so the average of
/// many outputs reveals no more than one output does.
///
/// The location is that of the first fix of its time step. It may be stale by up to one time step
/// for a moving receiver.
struct LocationReducer: Sendable {
  /// Seconds. Timestamps are rounded down to multiples of this step. A timestamp in a later step,
  /// or more than ``longestLag`` before the current one, starts a new step.
  static let timeStep = 300.0
  /// Seconds. A fix that lags by more is not delayed: its clock was set back.
  static let longestLag = 3_600.0
  /// Metres; farther than an aircraft flies in a time step.
  static let longestMove = 200_000.0
  /// Metres. Both altitudes share one rounded value. With a finer step, a terrain map would reveal
  /// a contour line within the cell.
  static let altitudeStep = 500.0
  /// Metres per second. Walking speed becomes 0, speed in a town becomes 10.
  static let speedStep = 10.0
  /// Degrees: eight directions.
  static let courseStep = 45.0
  /// Metres per second.
  static let climbStep = 5.0

  /// Metres. The reported accuracy of every location whose fix is accurate to about 700 m or
  /// better, or has no accuracy.
  static let horizontalAccuracy = 9_000.0
  /// Metres, for fixes accurate to about 100 m or better.
  static let verticalAccuracy = 600.0
  /// Metres. The largest separation of mean sea level from the ellipsoid.
  static let geoidHeight = 110.0

  /// The maximum number of receivers remembered. Device names are external input; at the limit, the
  /// receiver that was reduced least recently is discarded.
  static let rememberedReceivers = 256

  let grid: ReducedGrid
  /// The cells that were reported for any receiver.
  private var cells = ReportedCells()
  private var receivers = RecentlyUsed<DeviceID, ReducedTrack>(limit: rememberedReceivers)

  init(key: ReducedAccuracyKey) { grid = ReducedGrid(key: key) }

  /// Returns the reduced location for a fix.
  mutating func reduce(_ location: Location) -> Location {
    // Moved out of `self`, because `receivers` is being modified.
    var cells = exchange(&cells, with: ReportedCells())
    defer { self.cells = cells }
    return receivers.use(location.sourceInformation.deviceID, default: ReducedTrack()) { [grid] in
      $0.reduce(location, in: grid, cells: &cells)
    }
  }

  /// Returns the reduced location of a fix's time step; nil if the fix starts a new step.
  func repeated(_ location: Location) -> Location? {
    receivers[location.sourceInformation.deviceID]?.repeated(location)
  }

  // MARK: Choosing

  /// The result of a choice.
  struct Choice: Sendable {
    var track: ReducedTrack
    var cells: ReportedCells
    /// Whether a location was chosen; false if the track's current location is repeated.
    let isNew: Bool
  }

  /// Returns the track of a receiver and the reported cells after a choice. Continues the stored
  /// track if there is one. Does not change the state.
  ///
  /// - Parameter storedCells: Nil if nothing was read. All cells of this process then count as not
  ///   stored.
  func choice(
    for location: Location, after stored: ReducedTrack.Stored?, cells storedCells: ReportedCells?
  ) -> Choice {
    let known = receivers[location.sourceInformation.deviceID]
    var track = stored.flatMap { ReducedTrack($0, in: grid) } ?? known ?? ReducedTrack()
    var cells = storedCells ?? ReportedCells()
    cells.add(storedCells == nil ? self.cells.allUnstored : self.cells)
    if track.repeated(location) != nil { return Choice(track: track, cells: cells, isNew: false) }
    _ = track.reduce(location, in: grid, cells: &cells)
    return Choice(track: track, cells: cells, isNew: true)
  }

  /// Adopts a choice for a receiver.
  ///
  /// - Parameter isStored: Whether the choice was stored.
  mutating func adopt(_ choice: Choice, of device: DeviceID, isStored: Bool) {
    receivers.use(device, default: choice.track) { $0 = choice.track }
    cells = choice.cells
    // A choice that is not new was not written to the storage.
    if isStored, choice.isNew { cells.markStored() }
  }
}

extension LocationReducer: CustomReflectable {
  // Keeps the key out of dumps.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
