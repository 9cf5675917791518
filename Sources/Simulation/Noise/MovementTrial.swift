package import AsyncLocation
import FoundationEssentials

/// Trials with receivers that stay at a place or leave it, which count false departures and
/// significant changes, and measure delays.
package enum MovementTrial {
  /// Seconds between the locations of the stream of visits.
  private static let visitInterval = 5.0
  /// Seconds between the locations of the stream of significant changes.
  private static let changeInterval = 30.0

  /// Returns the number of departures that are reported although the receiver stays at one place.
  package static func falseDepartures(
    hours: Double, _ jumps: ReceiverErrors.Jumps, _ options: VisitOptions, seed: UInt64
  ) -> Int {
    var machine = VisitStateMachine(options)
    let errors = ReceiverErrors(accuracy: 5, holding: 0.95, correlation: 60, jumps: jumps)
    var receiver = SimulatedReceiver(errors, interval: visitInterval, seed: seed)
    var count = 0
    for second in stride(from: 0, to: hours * 3_600, by: visitInterval) {
      let visit = machine.located(receiver.fix(at: Place(), second), at: .seconds(second))
      if visit?.departure != nil { count += 1 }
    }
    return count
  }

  /// Drives away after a stay, and returns the seconds until the departure is reported; nil if it
  /// is not reported.
  package static func departureDelay(
    at speed: Double, every interval: Double, _ options: VisitOptions, seed: UInt64
  ) -> Double? {
    var machine = VisitStateMachine(options)
    let errors = ReceiverErrors(accuracy: 5, holding: 0.95, correlation: 60)
    var receiver = SimulatedReceiver(errors, interval: interval, seed: seed)
    let (start, end) = (600.0, 1_500.0)
    for second in stride(from: 0, to: end, by: interval) {
      let place = Place(east: max(0, second - start) * speed)
      let visit = machine.located(receiver.fix(at: place, second), at: .seconds(second))
      if visit?.departure != nil { return second - start }
    }
    return nil
  }

  /// Returns the number of significant changes that are reported although the receiver stays at one
  /// place. The first location, which is always reported, does not count.
  package static func falseChanges(
    hours: Double, _ jumps: ReceiverErrors.Jumps, confirmation: Duration, seed: UInt64
  ) -> Int {
    var machine = SignificantChangeStateMachine(startingAt: .zero, confirmation: confirmation)
    let errors = ReceiverErrors(accuracy: 5, holding: 0.95, correlation: 60, jumps: jumps)
    var receiver = SimulatedReceiver(errors, interval: changeInterval, seed: seed)
    var count = -1
    for second in stride(from: 0, to: hours * 3_600, by: changeInterval)
    where machine.located(receiver.fix(at: Place(), second), at: .seconds(second)) {
      count += 1
    }
    return count
  }
}
