/// A part of the ground between two parallels and two meridians.
struct GroundTile: Sendable {
  /// A point in degrees. Its longitude may be slightly beyond ±180.
  struct Point: Hashable, Sendable {
    let latitude: Double
    let longitude: Double
  }

  struct Place: Hashable, Sendable {
    let name: String
    let population: Int
    let point: Point
  }

  /// The greatest distance between the edges of areas and the actual coast, in metres.
  let tolerance: Double
  /// The rings of land, for the nonzero winding rule.
  let areas: [[Point]]
  let borders: [[Point]]
  /// The places, the largest first.
  let places: [Place]
}

/// Decodes a tile of a ground file. Damaged data yields a wrong tile, but no fault.
struct GroundCursor {
  /// The unit of coordinates in degrees.
  private static let unit = 1.0 / 1024

  private let bytes: ConstantBytes
  private var position: Int
  private let end: Int
  private let south: Double
  private let west: Double

  /// - Parameters:
  ///   - south: The latitude of the southern edge.
  ///   - west: The longitude of the western edge.
  init(_ bytes: ConstantBytes, _ range: Range<Int>, south: Double, west: Double) {
    (self.bytes, position, end) = (bytes, range.lowerBound, range.upperBound)
    (self.south, self.west) = (south, west)
  }

  mutating func tile() -> GroundTile {
    GroundTile(tolerance: Double(number()), areas: lines(), borders: lines(), places: places())
  }

  /// Reads lines of points, each of which is relative to the previous one.
  private mutating func lines() -> [[GroundTile.Point]] {
    (0..<count()).map { _ in
      var (east, north) = (0, 0)
      return (0..<count()).map { _ in
        east += signedNumber()
        north += signedNumber()
        return point(east, north)
      }
    }
  }

  private mutating func places() -> [GroundTile.Place] {
    (0..<count()).map { _ in
      let point = point(signedNumber(), signedNumber())
      let population = number() * 100
      let length = count()
      defer { position += length }
      let name = String(decoding: (position..<position + length).map { bytes[$0] }, as: UTF8.self)
      return GroundTile.Place(name: name, population: population, point: point)
    }
  }

  /// The point at a distance from the south-western corner, in units.
  private func point(_ east: Int, _ north: Int) -> GroundTile.Point {
    GroundTile.Point(
      latitude: south + Double(north) * Self.unit, longitude: west + Double(east) * Self.unit)
  }

  /// Reads a number of elements, at most the number of bytes left: each element has a byte or more.
  private mutating func count() -> Int { min(number(), end - position) }

  /// Reads an unsigned number in LEB128 of at most 35 bits.
  private mutating func number() -> Int {
    var (number, shift) = (0, 0)
    while position < end, shift < 35 {
      let byte = bytes[position]
      position += 1
      number |= Int(byte & 127) << shift
      if byte < 128 { break }
      shift += 7
    }
    return number
  }

  /// Reads a signed number in zigzag encoding.
  private mutating func signedNumber() -> Int {
    let number = number()
    return number >> 1 ^ -(number & 1)
  }
}
