/// A track as lines of one color each, simplified for a picture. Pure.
///
/// A part of one color that is too short to be seen gets the color of the next part. All lines
/// together have at most ``vertexLimit`` points: if there are more, they are simplified again with
/// twice the tolerance. If the greatest tolerance does not suffice, only every second location is
/// drawn, then every fourth, and so on.
struct ColoredLines: Hashable, Sendable {
  /// A point of a track, and the color of the step to it; nil without a value.
  struct Point: Hashable, Sendable {
    let place: PlanePoint
    let color: Int?
  }

  /// The maximum number of points of all lines.
  static let vertexLimit = 20_000
  /// The first tolerance in pixels, a quarter of the width of the finest line.
  private static let finestTolerance = 0.25
  /// The greatest tolerance in pixels: more would change the shape of a track.
  private static let coarsestTolerance = 4.0
  /// The least length of a part of one color in pixels, at the first tolerance. It grows with the
  /// tolerance.
  private static let shortestPart = 2.0

  /// The lines of each color; nil for steps without a value.
  private(set) var lines: [Int?: [[PlanePoint]]] = [:]
  /// The same lines, not divided by color.
  private(set) var outline: [[PlanePoint]] = []
  private(set) var vertexCount = 0

  init(_ parts: [[Point]]) {
    var tolerance = Self.finestTolerance
    var step = 1
    repeat {
      (lines, outline, vertexCount) = ([:], [], 0)
      for part in Self.thinned(parts, step) { append(part, tolerance) }
      if tolerance < Self.coarsestTolerance { tolerance *= 2 } else { step *= 2 }
    } while vertexCount > Self.vertexLimit
  }

  /// Every point at a multiple of the step, with the ends of each part that has such a point.
  private static func thinned(_ parts: [[Point]], _ step: Int) -> [[Point]] {
    guard step > 1 else { return parts }
    var index = 0
    return parts.compactMap { part in
      let kept = part.indices.filter { (index + $0).isMultiple(of: step) }
      index += part.count
      guard let first = kept.first, let last = kept.last else { return nil }
      let ends = (first > 0 ? [part[0]] : [], last < part.count - 1 ? [part[part.count - 1]] : [])
      return ends.0 + kept.map { part[$0] } + ends.1
    }
  }

  private mutating func append(_ part: [Point], _ tolerance: Double) {
    let whole = LineReduction.reduced(part.map(\.place), tolerance: tolerance)
    outline.append(whole)
    vertexCount += whole.count
    for run in Self.runs(part, shortest: Self.shortestPart / Self.finestTolerance * tolerance) {
      let line = LineReduction.reduced(run.places, tolerance: tolerance)
      vertexCount += line.count
      lines[run.color, default: []].append(line)
    }
  }

  private struct Run {
    var color: Int?
    var places: [PlanePoint]
    var length = 0.0
  }

  private static func runs(_ part: [Point], shortest: Double) -> [Run] {
    guard part.count > 1 else {
      return part.map { Run(color: $0.color, places: [$0.place]) }
    }
    var runs: [Run] = []
    for (last, next) in zip(part, part.dropFirst()) {
      let length = last.place.distance(to: next.place)
      if let open = runs.last, open.color == next.color || open.length < shortest {
        // A run that is too short so far gets the next color.
        if open.color != next.color { runs[runs.count - 1].color = next.color }
        runs[runs.count - 1].places.append(next.place)
        runs[runs.count - 1].length += length
      } else {
        runs.append(Run(color: next.color, places: [last.place, next.place], length: length))
      }
    }
    return runs
  }
}
