package import AsyncLocation

/// Trials of the checks of locations: journeys without and with attacks.
package enum IntegrityTrial {
  /// The length of a journey with an attack, and the earliest attack, in seconds. An attack begins
  /// after a quarter of an hour, when the receiver knows the leap seconds.
  private static let length = 1_800
  private static let earliest = 960.0
  /// Seconds without a loss of signals before an attack: after a loss, the first seconds of an attack
  /// cannot be distinguished from an inaccurate position.
  private static let settled = 30.0

  /// The result of one attack.
  package struct Outcome: Sendable {
    /// Seconds from the start of the attack to the first suspect location; nil if there is none.
    package let delay: Double?
    package let reasons: LocationIntegrity.Reasons
  }

  /// A suspect location although nothing is wrong.
  package struct FalseAlarm: Sendable {
    package let seed: UInt64
    package let time: Double
    package let reasons: LocationIntegrity.Reasons
  }

  /// Returns the first false alarm of a journey without an attack.
  package static func falseAlarm(seconds: Int, seed: UInt64) -> FalseAlarm? {
    var machine = IntegrityStateMachine()
    for epoch in Journey(seed: seed, seconds: seconds).epochs {
      let integrity = assess(epoch, &machine)
      if integrity.isSuspect {
        return FalseAlarm(seed: seed, time: epoch.time, reasons: integrity.reasons)
      }
    }
    return nil
  }

  package static func outcome(of attack: Attack, seed: UInt64) -> Outcome {
    let (journey, start) = attacked(attack, seed: seed)
    var machine = IntegrityStateMachine()
    for epoch in journey.epochs {
      let integrity = assess(epoch, &machine)
      if integrity.isSuspect, epoch.arrival >= start {
        return Outcome(delay: epoch.arrival - start, reasons: integrity.reasons)
      }
    }
    return Outcome(delay: nil, reasons: [])
  }

  /// A journey with an attack, and the arrival of the first epoch of the attack.
  static func attacked(_ attack: Attack, seed: UInt64) -> (Journey, start: Double) {
    let journey = Journey(seed: seed, seconds: length)
    guard let first = beginning(of: journey, after: earliest + Double(seed % 200)) else {
      return (journey, .infinity)
    }
    return (attack.applied(to: journey, at: first.time, seed: seed &+ 77), first.arrival)
  }

  /// The first epoch after a time at which the receiver has had signals for some time.
  private static func beginning(of journey: Journey, after start: Double) -> Journey.Epoch? {
    var (since, last) = (0.0, 0.0)
    return journey.epochs.first { epoch in
      if epoch.time > last + 2 || !epoch.hasSignals { since = epoch.time }
      last = epoch.time
      return epoch.time >= start && epoch.time - since >= settled
    }
  }

  private static func assess(
    _ epoch: Journey.Epoch, _ machine: inout IntegrityStateMachine
  ) -> LocationIntegrity {
    let instant = Duration.seconds(epoch.arrival)
    if let view = epoch.view { machine.observe(view, at: instant) }
    return machine.assess(epoch.location, at: instant) ?? .plausible
  }
}
