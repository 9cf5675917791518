import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// Publications that were handed over and are withheld until a change of permission is handled.
@Suite(.inTurn) struct WithheldPublicationTests {
  private static func publications(
    _ numbers: ClosedRange<UInt64>, topic: String = "a"
  ) -> [StoredPublication] {
    numbers.map {
      StoredPublication(
        number: $0, PendingPublication(topic: topic, payload: [1], date: Date()))
    }
  }

  @Test func unsentPublicationsAreHandedOverAgain() throws {
    var machine = DeliveryStateMachine(window: 3)
    _ = machine.opened()
    let request = try #require(machine.request)
    #expect(machine.handOver(Self.publications(1...3), for: request).count == 3)
    #expect(machine.request == nil)
    machine.withheld(except: [1], on: request.connection)
    // Publications on their way to the channel do not overtake those that are handed over again.
    #expect(!machine.isCurrent(request.connection))
    let next = try #require(machine.request)
    #expect(next.after == 1)
    #expect(next.count == 2)
    #expect(machine.handOver(Self.publications(2...3), for: next).map(\.number) == [2, 3])
    // Withholding a second batch of the earlier connection has no effect.
    machine.withheld(except: [], on: request.connection)
    #expect(machine.underWayNumbers.count == 3)
    #expect(machine.acknowledged(1, on: request.connection) == .finished(released: nil))
    #expect(machine.acknowledged(2, on: next.connection) == .finished(released: nil))
    #expect(machine.acknowledged(3, on: next.connection) == .finished(released: nil))
  }

  @Test func withheldPublicationsOfARefusedTopicAreRequestedAgain() throws {
    var machine = DeliveryStateMachine(window: 3)
    _ = machine.opened()
    var request = try #require(machine.request)
    _ = machine.handOver(Self.publications(1...1), for: request)
    #expect(machine.refused(1, on: request.connection)?.beginsPause == true)
    machine.resume()
    request = try #require(machine.request)
    #expect(machine.handOver(Self.publications(1...2), for: request).map(\.number) == [1])
    machine.withheld(except: [], on: request.connection)
    request = try #require(machine.request)
    #expect(request.after == 0)
    #expect(machine.handOver(Self.publications(1...2), for: request).map(\.number) == [1])
    #expect(
      machine.acknowledged(1, on: request.connection) == .finished(released: ExactText("a")))
  }

  /// Permission may change between the reading of the waiting publications and their sending.
  @Test("what permission withholds for a moment leaves afterwards", arguments: [1, 20])
  func leavesAfterwards(window: Int) async throws {
    let broker = ScriptedBroker()
    let store = PublicationStore(MemoryPublicationStorage(), PublicationLimits())
    _ = try await store.open()
    let delivery = PublicationDelivery(window: window, endpoint: "nowhere")
    _ = try await store.append(
      (0..<3).map { PendingPublication(topic: "a", payload: [$0], date: Date()) },
      areLocations: true, accuracy: .full, madeIn: 0
    ) { change in delivery.count { $0.backlog = change.backlog } }
    let permissionChecks = Locked(0)
    let run = Task {
      try await BrokerPublications(.local(port: broker.port), identifier: "boat").run(
        delivery, will: nil, window: window
      ) {
        permissionChecks.withLock {
          $0 += 1
          // Only the second check withholds.
          return $0 != 2
        }
      }
    }
    let handOver = PublicationHandOver(
      store: store, delivery: delivery, clock: ManualClock(), isPermitted: { true })
    try await handOver.run { true }
    #expect(broker.publications.map(\.payload) == [[0], [1], [2]])
    #expect(delivery.statistics.published == 3)
    run.cancel()
    _ = await run.result
  }
}
