/// Counts the trips that were found in labelled days.
///
/// A found trip matches a planned one if both of its ends are within twice the interval of the
/// locations, or three minutes if that is longer, of the planned ends; or if the time that both
/// share is at least 80 % of the time from the first start to the last end. Each planned trip is
/// matched once at most. A found trip without an end matches none.
package struct TripScore: Sendable {
  package struct Span: Sendable {
    package let start: Double
    package let end: Double?
    package let distance: Double

    package init(start: Double, end: Double?, distance: Double) {
      (self.start, self.end, self.distance) = (start, end, distance)
    }
  }

  package private(set) var (planned, found, matched) = (0, 0, 0)
  /// Seconds by which matched trips start late and end late, and shares by which their distances
  /// are wrong.
  package private(set) var (startErrors, endErrors, distanceErrors) = (
    [Double](), [Double](), [Double]()
  )

  package init() {}

  /// Adds the trips of a day. Returns the planned trips that were not found, and the found ones
  /// that were not planned.
  @discardableResult
  package mutating func add(
    planned: [Span], found: [Span], interval: Double
  ) -> (missed: [Span], wrong: [Span]) {
    var (missed, wrong) = (planned, [Span]())
    for trip in found {
      guard let index = missed.firstIndex(where: { Self.matches(trip, $0, interval) }),
        let end = trip.end, let plannedEnd = missed[index].end
      else {
        wrong.append(trip)
        continue
      }
      startErrors.append(trip.start - missed[index].start)
      endErrors.append(end - plannedEnd)
      distanceErrors.append(trip.distance / missed[index].distance - 1)
      missed.remove(at: index)
    }
    self.planned += planned.count
    self.found += found.count
    matched += found.count - wrong.count
    return (missed, wrong)
  }

  private static func matches(_ found: Span, _ planned: Span, _ interval: Double) -> Bool {
    guard let end = found.end, let plannedEnd = planned.end else { return false }
    let tolerance = max(2 * interval, 180)
    if abs(found.start - planned.start) <= tolerance, abs(end - plannedEnd) <= tolerance {
      return true
    }
    let shared = min(end, plannedEnd) - max(found.start, planned.start)
    return shared >= 0.8 * (max(end, plannedEnd) - min(found.start, planned.start))
  }

  package var precision: Double { found == 0 ? 1 : Double(matched) / Double(found) }
  package var recall: Double { planned == 0 ? 1 : Double(matched) / Double(planned) }
  /// The harmonic mean of ``precision`` and ``recall``.
  package var f1: Double {
    found + planned == 0 ? 1 : 2 * Double(matched) / Double(found + planned)
  }
}
