import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// One thread delivers messages while others read, subscribe and change conditions.
@Suite(.inTurn) struct FleetConcurrencyTests {
  @Test func keepsTheOrderOfEachDevice() async throws {
    let test = TestFleet()
    let rounds = Rounds.of(2_000)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let updates = test.fleet.updates
        group.addTask { try await Self.expectOrder(updates, rounds: rounds) }
      }
      group.addTask {
        for round in 0..<rounds {
          for device in 0..<8 { test.hub.receive("a/\(device)", "\(round) \(40 + round % 10)") }
          test.hub.flush()
        }
        await test.fleet.shutdown()
      }
      group.addTask {
        for round in 0..<rounds / 10 {
          // A subscriber that leaves at once.
          _ = test.fleet.updates
          let center = try Coordinate(latitude: 40 + Double(round % 10), longitude: 8)
          try test.fleet.add(.circle(center: center, radius: 100), identifier: "\(round % 5)")
          _ = test.fleet.remove("\((round + 2) % 5)")
        }
      }
      group.addTask {
        for _ in 0..<rounds / 10 {
          #expect(test.fleet.devices.count <= 8)
          test.fleet.forget(id("b/b"))
          _ = test.fleet.conditions(satisfiedBy: id("a/1"))
        }
      }
      try await group.waitForAll()
    }
    #expect(test.fleet.statistics.delivered == UInt64(8 * rounds))
    #expect(test.hub.subscriberCount == 0)
  }

  /// Reads a stream to its end, and checks the order of each device's locations and their number.
  private static func expectOrder(_ updates: FleetUpdates, rounds: Int) async throws {
    var last: [FleetDevice.ID: Double] = [:]
    var count = 0
    for try await update in updates {
      let time = update.location.timestamp.timeIntervalSinceReferenceDate
      #expect(last[update.device, default: -1] < time)
      last[update.device] = time
      count += 1
    }
    #expect(count + updates.dropped == 8 * rounds)
  }
}
