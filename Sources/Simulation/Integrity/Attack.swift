import Glibc
import MockBackend

/// A deception of a receiver, or interference with it, of a kind that a receiver does not notice.
package enum Attack: String, Sendable, CaseIterable {
  /// The position jumps by 150 m to 50 km, and stays displaced.
  case jump
  /// The position is led away at 0.5 to 20 m/s, to 120 to 1,000 m. The velocities are the true ones,
  /// in a quarter of the attacks with a quarter of the false ones.
  case drag
  /// Signals recorded 10 s to 3 days before are replayed, in half of the attacks after a loss.
  case replay
  /// The clock jumps by 2.5 s to 20 years in both directions, gains 2 to 50 %, or stands still.
  case clock
  /// All signals have the same strength to within 0.2 to 0.7 dB; everything else is right.
  case equalSignals
  /// Like ``drag``, with the velocities of the false path: it cannot be detected.
  case consistentDrag

  /// The kinds that the table counts as detectable.
  package static var detectable: [Self] { allCases.filter { $0 != .consistentDrag } }

  /// Returns a journey with the attack.
  ///
  /// - Parameter start: Seconds from the start of the journey.
  package func applied(to journey: Journey, at start: Double, seed: UInt64) -> Journey {
    var random = SplitMix64(seed: seed)
    var epochs = journey.epochs
    guard let first = epochs.firstIndex(where: { $0.time >= start }) else { return journey }
    switch self {
    case .jump:
      let distance = 150 * pow(50_000.0 / 150, random.share())
      let angle = 2 * Double.pi * random.share()
      for index in first..<epochs.count {
        epochs[index].move(angle, distance)
      }
    case .drag, .consistentDrag: drag(&epochs, from: first, &random)
    case .replay: replay(&epochs, from: first, &random)
    case .clock: changeClock(&epochs, from: first, &random)
    case .equalSignals:
      let (level, deviation) = (38 + 12 * random.share(), 0.2 + 0.5 * random.share())
      for index in first..<epochs.count {
        for satellite in epochs[index].sky.indices {
          epochs[index].sky[satellite].strength =
            level + deviation * PositionNoise.normalPair(using: &random).0
        }
      }
    }
    return Journey(epochs: epochs)
  }

  private func drag(
    _ epochs: inout [Journey.Epoch], from first: Int, _ random: inout SplitMix64
  ) {
    let rate = 0.5 * pow(40, random.share())
    let most = 120 * pow(1_000.0 / 120, random.share())
    let angle = 2 * Double.pi * random.share()
    let share = self == .consistentDrag ? 1 : random.share() < 0.25 ? 0.25 : 0
    var distance = 0.0
    for index in first..<epochs.count {
      epochs[index].move(angle, distance)
      // Without signals there is nothing to lead away.
      guard epochs[index].hasSignals, distance < most else { continue }
      epochs[index].accelerate(angle, share * rate)
      distance = min(distance + rate, most)
    }
  }

  private func replay(
    _ epochs: inout [Journey.Epoch], from first: Int, _ random: inout SplitMix64
  ) {
    let delay = (10 * pow(259_200.0 / 10, random.share())).rounded()
    let loss = random.share() < 0.5 ? 5 + 25 * random.share() : 0
    let recorded = epochs
    let start = recorded[first].time
    // The recording cannot begin before the journey; its times can.
    let origin = max(start - delay, recorded[0].time)
    var source = recorded.firstIndex { $0.time >= origin } ?? 0
    let limit = first
    epochs.removeSubrange(first...)
    for index in first..<recorded.count where recorded[index].time >= start + loss {
      guard source < limit else { break }
      var epoch = recorded[source]
      epoch.time = recorded[source].time - origin + start - delay
      epoch.arrival = recorded[index].arrival
      epochs.append(epoch)
      source += 1
    }
  }

  private func changeClock(
    _ epochs: inout [Journey.Epoch], from first: Int, _ random: inout SplitMix64
  ) {
    let start = epochs[first].time
    let choice = random.share()
    let step = 2.5 * pow(6.2e8 / 2.5, random.share())
    let rate = 0.02 * pow(25, random.share())
    for index in first..<epochs.count {
      let since = epochs[index].time - start
      switch choice {
      case ..<0.35: epochs[index].time += step
      case ..<0.65: epochs[index].time -= step
      case ..<0.9: epochs[index].time += rate * since
      default: epochs[index].time = start
      }
    }
  }
}

extension Journey.Epoch {
  fileprivate mutating func move(_ angle: Double, _ distance: Double) {
    position.east += distance * sin(angle)
    position.north += distance * cos(angle)
  }

  fileprivate mutating func accelerate(_ angle: Double, _ change: Double) {
    guard change > 0 else { return }
    let radians = (course ?? 0) * .pi / 180
    let east = speed * sin(radians) + change * sin(angle)
    let north = speed * cos(radians) + change * cos(angle)
    speed = (east * east + north * north).squareRoot()
    course = (atan2(east, north) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
  }
}
