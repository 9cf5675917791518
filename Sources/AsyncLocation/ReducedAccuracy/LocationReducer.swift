/// Makes locations as coarse as reduced accuracy allows, whoever asks however often.
///
/// What comes out is the centre of a cell of the ``ReducedGrid``, and every number beside it is a
/// multiple of a step or a constant; floor and satellite data are left out, what was absent stays
/// absent. All of it is chosen at a receiver's first fix of a step of time and repeated for the rest
/// of that step, so that the moment of crossing a border is told no more finely either. Nothing is
/// drawn by chance: an average of outputs knows no more than one.
///
/// The location is what was true at the first fix of its step; who moves fast has left it since.
struct LocationReducer: Sendable {
  /// Seconds. Timestamps are cut to multiples of it; those of another step, before or after, open a
  /// new one.
  static let timeStep = 300.0
  /// Metres, for both altitudes, which are given as one: a finer one, with a map of the terrain,
  /// would tell a contour line within the cell.
  static let altitudeStep = 500.0
  /// Metres a second: on foot is 0, in a town is 10.
  static let speedStep = 10.0
  /// Degrees: eight winds.
  static let courseStep = 45.0
  /// Metres a second.
  static let climbStep = 5.0

  /// Metres: the radius of every location whose fix was good to some 700 m.
  static let horizontalAccuracy = 9_000.0
  /// Metres, for fixes good to some 100 m.
  static let verticalAccuracy = 600.0
  /// Metres that mean sea level is at most from the ellipsoid.
  static let geoidHeight = 110.0

  /// Names come from outside: so many are remembered, then all are forgotten.
  static let rememberedReceivers = 256

  private let grid: ReducedGrid
  private var tracks: [DeviceID: ReducedTrack] = [:]

  init(key: ReducedAccuracyKey) { grid = ReducedGrid(key: key) }

  /// The coarse location that stands for a fix.
  mutating func reduce(_ location: Location) -> Location {
    let device = location.sourceInformation.deviceID
    if tracks.count >= Self.rememberedReceivers, tracks[device] == nil { tracks.removeAll() }
    return tracks[device, default: ReducedTrack()].reduce(location, in: grid)
  }
}

extension LocationReducer: CustomReflectable {
  // The key must not be read off a dump.
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
