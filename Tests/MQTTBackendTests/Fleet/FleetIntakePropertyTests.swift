import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// Random messages of a small fleet, with every fault of real messages.
@Suite(.inTurn) struct FleetIntakePropertyTests {
  /// An intake after random messages, and what it has delivered.
  private struct Run {
    var test: TestIntake
    var delivered: [FleetDevice.ID: [Double]] = [:]
    var updates = 0
  }

  private static func run(seed: UInt64, limits: FleetLimits, messages: Int = 5_000) -> Run {
    var generator = SplitMix64(seed: seed)
    var run = Run(test: TestIntake(limits))
    for step in 0..<messages {
      run.test.now.monotonic += Int64.random(in: 0..<20_000_000, using: &generator)
      let device = Int.random(in: 0..<40, using: &generator)
      let topic =
        switch UInt8.random(in: 0..<30, using: &generator) {
        case 0: "owntracks/user/\(device)/event"
        case 1: "owntracks/\(device)"
        case 2: "owntracks/\u{7}/\(device)"
        case 3: "owntracks/user/\(device)-and-more"
        default: "owntracks/user/\(device)"
        }
      // Times of a device mostly increase; some repeat, go back or are far ahead.
      let time =
        switch UInt8.random(in: 0..<20, using: &generator) {
        case 0: testNow + 1e6
        case 1...3: Double(step - Int.random(in: 0..<200, using: &generator))
        case 4...6: Double(step / 500 * 500)
        default: Double(step)
        }
      let payload =
        switch UInt8.random(in: 0..<30, using: &generator) {
        case 0: "will"
        case 1: "other"
        case 2: "{\"_type\""
        case 3: String(repeating: "0", count: 100)
        default: "\(time)"
        }
      if generator.next().isMultiple(of: 300) {
        run.test.intake.interrupt(into: &run.test.results)
      }
      let isRetained = generator.next().isMultiple(of: 10)
      if let update = run.test.receive(topic, payload, isRetained: isRetained) {
        run.updates += 1
        run.delivered[update.device, default: []]
          .append(update.location.timestamp.timeIntervalSinceReferenceDate)
      }
    }
    return run
  }

  @Test(.longWork, arguments: 0..<8 as Range<UInt64>)
  func deliversInOrderAndOnce(seed: UInt64) {
    let run = Self.run(seed: seed, limits: FleetLimits())
    #expect(run.updates > 1_000)
    for (device, times) in run.delivered {
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 }, "\(device)")
      #expect(times.allSatisfy { $0 <= testNow + 10 }, "\(device)")
      #expect(
        run.test.intake.device(device, at: 0)?.location?.timestamp.timeIntervalSinceReferenceDate
          == times.last, "\(device)")
    }
  }

  @Test(.longWork, arguments: 0..<8 as Range<UInt64>)
  func countsEachMessageOnce(seed: UInt64) {
    let run = Self.run(
      seed: seed,
      limits: FleetLimits(
        devices: 20, nameLength: 7, payloadLength: 20, messagesPerSecond: 3, burst: 5,
        silence: .seconds(1)))
    let statistics = run.test.intake.statistics
    let outcomes = [
      statistics.delivered, statistics.wills, statistics.other, statistics.malformed,
      statistics.unexpectedTopics, statistics.oversized, statistics.rateLimited,
      statistics.refused, statistics.duplicates, statistics.stale, statistics.future,
    ]
    #expect(outcomes.allSatisfy { $0 > 0 }, "\(statistics)")
    #expect(outcomes.reduce(0, +) == statistics.messages)
    #expect(statistics.messages == 5_000)
    #expect(statistics.delivered == UInt64(run.updates))
    #expect(run.test.intake.directory.count <= 20)
    #expect(run.test.intake.directory.slotCount <= 20)
  }

  /// Each change of a device follows from the previous one: added, then online and offline in any
  /// order but never twice in a row, then forgotten.
  @Test(.longWork, arguments: 0..<8 as Range<UInt64>)
  func reportsConsistentChanges(seed: UInt64) {
    let run = Self.run(
      seed: seed, limits: FleetLimits(devices: 20, silence: .seconds(1)))
    var known: [FleetDevice.ID: FleetDevice.Presence] = [:]
    var wrong: [FleetChange] = []
    for change in run.test.results.changes {
      let isRight =
        switch change {
        case .added(let id): known.updateValue(.unknown, forKey: id) == nil
        case .online(let id):
          known[id].map { $0 != .online } == true
            && known.updateValue(.online, forKey: id) != nil
        case .offline(let id):
          known[id].map { $0 != .offline } == true
            && known.updateValue(.offline, forKey: id) != nil
        case .forgotten(let id): known.removeValue(forKey: id) != nil
        case .dropping(let id, _): known[id] != nil
        case .interrupted: !known.isEmpty
        case .storageFailed, .storageRecovered, .storageLost: false
        @unknown default: false
        }
      if case .interrupted = change { known = known.mapValues { _ in .unknown } }
      if !isRight { wrong.append(change) }
    }
    #expect(wrong.isEmpty)
    #expect(known.count == run.test.intake.directory.count)
    for (id, presence) in known {
      #expect(run.test.intake.device(id, at: 0)?.presence == presence, "\(id)")
    }
  }
}
