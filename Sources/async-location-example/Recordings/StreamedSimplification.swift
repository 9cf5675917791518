import AsyncLocation
import LocationRecording

/// Simplifies a track of any length, part by part. Pure.
///
/// Buffers the points of a segment, at most ``capacity``. A longer segment is simplified in parts;
/// the points at which it is divided are always retained.
struct StreamedSimplification: Sendable {
  /// The maximum number of buffered points, which take 15 MB.
  static let capacity = 65_536

  /// In metres.
  private let tolerance: Double
  private let capacity: Int
  private var points: [TrackPoint] = []

  init(tolerance: Double, capacity: Int = Self.capacity) {
    (self.tolerance, self.capacity) = (tolerance, capacity)
  }

  /// Adds points, and returns the points of the simplified track that can be written.
  mutating func add(_ next: [TrackPoint]) throws(LocationError) -> [TrackPoint] {
    var kept: [TrackPoint] = []
    for point in next {
      if point.beginning != nil {
        kept += try takeSimplified()
      } else if points.count >= capacity {
        // The last point ends this part, and begins the next.
        let last = points[points.count - 1]
        kept += try takeSimplified().dropLast()
        points = [last]
      }
      points.append(point)
    }
    return kept
  }

  /// Returns the last points of the simplified track.
  mutating func finish() throws(LocationError) -> [TrackPoint] { try takeSimplified() }

  private mutating func takeSimplified() throws(LocationError) -> [TrackPoint] {
    guard let first = points.first else { return [] }
    var part = Track()
    for point in points { part.append(point) }
    points = []
    var kept = Array(try part.simplified(tolerance: tolerance).points)
    // The first point of a part that continues a segment does not begin one.
    kept[0].beginning = first.beginning
    return kept
  }
}
