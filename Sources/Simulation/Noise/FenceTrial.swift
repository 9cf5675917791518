package import AsyncLocation

/// A trial with a stationary receiver on or within a fence, which counts the events caused by its
/// errors.
package struct FenceTrial: Sendable {
  package let name: String
  package let errors: ReceiverErrors
  /// Metres from the centre of the fence.
  package let distance: Double
  /// Seconds between fixes.
  package let interval: Double

  /// The radius of the fence in metres.
  package static let radius = 100.0

  package init(
    _ name: String, _ errors: ReceiverErrors, distance: Double, every interval: Double = 1
  ) {
    self.name = name
    self.errors = errors
    self.distance = distance
    self.interval = interval
  }

  /// Returns the number of crossings that are reported, none of which is real.
  package func events(hours: Double, _ options: CrossingOptions, seed: UInt64) -> Int {
    var tracker = ConditionTracker<Int>(options: options)
    tracker.addCircle(at: Place(), radius: Self.radius, "fence")
    var receiver = SimulatedReceiver(errors, interval: interval, seed: seed)
    var count = 0
    for second in stride(from: 0, to: hours * 3_600, by: interval) {
      let fix = receiver.fix(at: Place(east: distance), second)
      count += tracker.observe(fix, of: 0, at: .seconds(second)).count {
        $0.previousState != .unknown
      }
    }
    return count
  }
}

extension FenceTrial {
  /// The receivers of the table in the documentation.
  package static let all: [Self] =
    [(0.95, 0.0), (0.95, 60), (0.95, 600), (0.68, 0), (0.68, 60), (0.68, 600)].map {
      (share: Double, correlation: Double) in
      let percent = Int((share * 100).rounded())
      let kind = correlation == 0 ? "white" : "correlated over \(Int(correlation)) s"
      return Self(
        "on the boundary, 5 m hold \(percent) %, \(kind)",
        ReceiverErrors(accuracy: 5, holding: share, correlation: correlation),
        distance: radius)
    } + [
      Self(
        "on the boundary, 5 m hold 68 %, correlated over 60 s, a fix every 10 s",
        ReceiverErrors(accuracy: 5, holding: 0.68, correlation: 60), distance: radius, every: 10),
      Self(
        "on the boundary, 5 m hold 68 %, correlated over 60 s, a fix every 5 min",
        ReceiverErrors(accuracy: 5, holding: 0.68, correlation: 60), distance: radius, every: 300),
      Self(
        "indoors on the boundary, 40 m hold 95 %, correlated over 60 s",
        ReceiverErrors(accuracy: 40, holding: 0.95, correlation: 60), distance: radius),
      Self(
        "indoors in the middle, 40 m hold 68 %, correlated over 60 s",
        ReceiverErrors(accuracy: 40, holding: 0.68, correlation: 60), distance: 0),
      jumping("in the middle, a jump of 250 m and one fix in an hour", perHour: 1, duration: 0),
      jumping("in the middle, four of them in an hour", perHour: 4, duration: 0),
      jumping("in the middle, one of 30 s in an hour", perHour: 1, duration: 30),
      jumping("in the middle, four of 60 s in an hour", perHour: 4, duration: 60),
    ]

  private static func jumping(_ name: String, perHour: Double, duration: Double) -> Self {
    Self(
      name,
      ReceiverErrors(
        accuracy: 5, holding: 0.95, correlation: 60,
        jumps: .init(perHour: perHour, duration: duration)),
      distance: 0)
  }
}

extension ConditionTracker {
  mutating func addCircle(at place: Place, radius: Double, _ identifier: String) {
    try! add(.circle(center: place.coordinate, radius: radius), identifier: identifier)
  }
}
