/// A queue of slots, each due once the device has moved by the slot's distance.
///
/// The distances are grouped by powers of two, and one odometer measures the distances of a group.
/// From 120 m on, its tolerance is at most a quarter of each distance. So a slot is due only after
/// movement by at least half of its distance, and movement back and forth does not make distant
/// boundaries due.
struct ProximityQueue: Sendable {
  /// The slots whose distances are measured by one odometer.
  private struct Level: Sendable {
    /// The binary exponent of the distances and of the tolerance, 0 for the shortest.
    let exponent: Int
    var odometer: Odometer
    var queue = PriorityQueue<Int32>()
  }

  /// The reading of an odometer at which a slot is due. Together with the slot, it identifies an
  /// addition to the queue.
  typealias Reading = Double

  /// The reading of slots that are due at once.
  static let now: Reading = -.infinity

  /// Metres; about the distance by which the fixes of a stationary receiver wander.
  private static let shortestTolerance = 30.0

  /// The slots that are due at once.
  private var due: [Int32] = []
  private var levels: [Level] = []

  /// The number of additions in the queue.
  var count: Int { levels.reduce(due.count) { $0 + $1.queue.count } }

  mutating func removeAll() { self = Self() }

  /// Adds a slot that is due at once.
  mutating func addNow(_ slot: Int32) { due.append(slot) }

  /// Adds a slot that is due once the device may have moved from a point by a distance in metres.
  /// Returns the reading at which it is due.
  mutating func add(
    _ slot: Int32, after distance: Double, from point: SphericalPoint
  ) -> Reading {
    let exponent = max(Int((distance / (4 * Self.shortestTolerance)).exponent), 0)
    let level =
      levels.firstIndex { $0.exponent == exponent }
      ?? {
        levels.append(Level(exponent: exponent, odometer: Odometer(at: point)))
        return levels.count - 1
      }()
    let reading = levels[level].odometer.reading(after: distance)
    levels[level].queue.add(slot, at: reading)
    return reading
  }

  /// Moves the device to a point.
  ///
  /// - Parameter uncertainty: The uncertainty of the device's position in metres.
  mutating func move(to point: SphericalPoint, uncertainty: Double) {
    for index in levels.indices {
      let exponent = levels[index].exponent
      let tolerance = Double(sign: .plus, exponent: exponent, significand: Self.shortestTolerance)
      levels[index].odometer.move(
        to: point, tolerance: exponent == 0 ? min(tolerance, uncertainty) : tolerance)
    }
  }

  /// Removes and returns the slots that are due.
  mutating func takeDue() -> [(slot: Int32, reading: Reading)] {
    var taken = due.map { (slot: $0, reading: Self.now) }
    due.removeAll(keepingCapacity: true)
    for index in levels.indices {
      while let first = levels[index].queue.first,
        first.priority <= levels[index].odometer.reading
      {
        _ = levels[index].queue.popFirst()
        taken.append((first.element, first.priority))
      }
    }
    return taken
  }
}
