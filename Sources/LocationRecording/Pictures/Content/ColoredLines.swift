/// A track as lines of a color each, simplified for a picture. Pure.
///
/// Parts of a color that are too short to be seen take the color before them. All lines together
/// have at most ``vertexLimit`` points: if there are more, they are simplified again with twice the
/// tolerance.
struct ColoredLines: Hashable, Sendable {
  /// A point of a track, and the color of the step to it; nil without a value.
  struct Point: Hashable, Sendable {
    let place: PlanePoint
    let color: Int?
  }

  static let vertexLimit = 20_000
  /// Pixels: a quarter of the width of the finest line.
  private static let finestTolerance = 0.25
  /// Pixels.
  private static let shortestPart = 2.0

  /// The lines of each color; those of nil have no value.
  private(set) var lines: [Int?: [[PlanePoint]]] = [:]
  /// The lines without colors.
  private(set) var outline: [[PlanePoint]] = []
  private(set) var vertexCount = 0

  init(_ parts: [[Point]]) {
    var tolerance = Self.finestTolerance
    repeat {
      (lines, outline, vertexCount) = ([:], [], 0)
      let isFinest = tolerance == Self.finestTolerance
      var last: PlanePoint?
      for part in parts {
        // Among too many, a part at the same place as the one before it is not seen.
        if !isFinest, part.count == 1, let last, last.distance(to: part[0].place) < tolerance {
          continue
        }
        append(part, tolerance)
        last = part.last?.place
      }
      tolerance *= 2
    } while vertexCount > Self.vertexLimit && tolerance < 100
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
        // The first steps of a run that was too short so far decide nothing.
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
