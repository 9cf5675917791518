/// A horizontal vector, in metres or metres per second, to the east and to the north.
struct Vector: Sendable {
  var east = 0.0
  var north = 0.0

  /// Metres per second. Below this speed receivers may report no direction, and the velocity counts
  /// as zero.
  private static let slowest = 1.2

  /// Metres per second. Higher speeds are errors.
  private static let fastest = 20_000.0

  /// The speed of a location; nil if it is unknown or impossible.
  static func speed(_ location: borrowing Location) -> Double? {
    location.speed.flatMap { $0 > fastest ? nil : $0 }
  }

  /// The velocity of a location; nil if its direction is unknown.
  static func velocity(_ location: borrowing Location) -> Self? {
    guard let speed = speed(location) else { return nil }
    guard let course = location.course else { return speed < slowest ? Self() : nil }
    let radians = course * (.pi / 180)
    return Self(east: speed * Double.sin(radians), north: speed * Double.cos(radians))
  }

  init(east: Double = 0, north: Double = 0) { (self.east, self.north) = (east, north) }

  /// The vector between two points, for distances of up to some kilometres; a longer one has only a
  /// similar length.
  init(from start: Coordinate, to end: Coordinate) {
    let radians = Double.pi / 180
    let (meridian, primeVertical) = WGS84.radii(atLatitude: start.latitude * radians)
    let middle = (start.latitude + end.latitude) / 2 * radians
    east =
      (end.longitude - start.longitude).remainder(dividingBy: 360) * radians * primeVertical
      * Double.cos(middle)
    north = (end.latitude - start.latitude) * radians * meridian
  }

  var length: Double { (east * east + north * north).squareRoot() }

  func scaled(by factor: Double) -> Self { Self(east: east * factor, north: north * factor) }

  static func + (left: Self, right: Self) -> Self {
    Self(east: left.east + right.east, north: left.north + right.north)
  }

  static func - (left: Self, right: Self) -> Self {
    Self(east: left.east - right.east, north: left.north - right.north)
  }
}
