import AsyncLocation
import FoundationEssentials

/// Encodes the shapes of conditions as bytes: the vertices of an area, or the UUID of a beacon.
///
/// Vertices are encoded as the number of rings, the length of each ring, and each vertex as two
/// doubles in degrees, latitude first. All are little-endian and have eight bytes.
enum ShapeBytes {
  static func encode(_ rings: [[Coordinate]]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 * (1 + rings.reduce(0) { $0 + 1 + 2 * $1.count }))
    bytes.append(littleEndian: UInt64(rings.count))
    for ring in rings { bytes.append(littleEndian: UInt64(ring.count)) }
    for vertex in rings.joined() {
      bytes.append(littleEndian: vertex.latitude.bitPattern)
      bytes.append(littleEndian: vertex.longitude.bitPattern)
    }
    return bytes
  }

  /// Decodes vertices. Returns nil if the number of bytes does not match the encoded lengths.
  ///
  /// - Throws: `LocationError` for a vertex that is not a valid coordinate.
  static func rings(_ bytes: [UInt8]) throws(LocationError) -> [[Coordinate]]? {
    guard bytes.count >= 8, bytes.count.isMultiple(of: 8) else { return nil }
    // Lengths are compared with the number of words that remain, so that no sum overflows.
    let words = bytes.count / 8
    guard let count = Int(exactly: bytes.word(at: 0)), count < words else { return nil }
    var lengths: [Int] = []
    var remainingWords = words - 1 - count
    for index in 0..<count {
      guard let length = Int(exactly: bytes.word(at: 8 * (1 + index))), length <= remainingWords / 2
      else { return nil }
      lengths.append(length)
      remainingWords -= 2 * length
    }
    guard remainingWords == 0 else { return nil }
    var rings: [[Coordinate]] = []
    var offset = 8 * (1 + count)
    for length in lengths {
      var ring: [Coordinate] = []
      ring.reserveCapacity(length)
      for _ in 0..<length {
        ring.append(
          try Coordinate(
            latitude: Double(bitPattern: bytes.word(at: offset)),
            longitude: Double(bitPattern: bytes.word(at: offset + 8))))
        offset += 16
      }
      rings.append(ring)
    }
    return rings
  }

  static func encode(_ uuid: UUID) -> [UInt8] {
    let u = uuid.uuid
    return [
      u.0, u.1, u.2, u.3, u.4, u.5, u.6, u.7, u.8, u.9, u.10, u.11, u.12, u.13, u.14, u.15,
    ]
  }

  static func uuid(_ b: [UInt8]) -> UUID? {
    guard b.count == 16 else { return nil }
    return UUID(
      uuid: (
        b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
        b[14], b[15]
      ))
  }
}

extension [UInt8] {
  /// The little-endian number at an offset, which must be in bounds.
  func word(at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in (0..<8).reversed() { word = word << 8 | UInt64(self[offset + index]) }
    return word
  }
}
