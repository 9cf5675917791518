import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct FleetHubTests {
  @Test func deliversABurstAsOneBatchToAll() async throws {
    let test = TestFleet()
    var first = test.fleet.batches.makeAsyncIterator()
    var second = test.fleet.batches.makeAsyncIterator()
    test.hub.receive("a/a", "100")
    test.hub.receive("b/b", "100", isRetained: true)
    test.hub.receive("a/a", "100")
    test.hub.receive("a/a", "101")
    test.hub.flush()
    let expected = [
      update("a/a", at: 100), update("b/b", at: 100, isRetained: true), update("a/a", at: 101),
    ]
    let batch = try #require(try await first.next())
    let other = try #require(try await second.next())
    #expect(Array(batch) == expected)
    #expect(batch == other)
    let addresses = [batch, other].map { $0.withContiguousStorageIfAvailable { $0.baseAddress } }
    #expect(addresses[0] == addresses[1], "The subscribers share one array.")
  }

  @Test func wakesSubscribersAfterTheBurst() async throws {
    let test = TestFleet()
    let batches = test.fleet.batches
    let batch = Task.immediate { () throws(LocationError) in
      var iterator = batches.makeAsyncIterator()
      return try await iterator.next()
    }
    test.hub.receive("a/a", "100")
    test.hub.receive("a/a", "101")
    test.hub.flush()
    #expect(try await batch.value?.count == 2)
  }

  @Test func deliversALongBurstInParts() async throws {
    let test = TestFleet(limits: FleetLimits(buffering: .newest(100_000)))
    var batches = test.fleet.batches.makeAsyncIterator()
    // Two changes are also staged: the device is added, and is online.
    for time in 0..<FleetState.stagedLimit + 10 { test.hub.receive("a/a", "\(time)") }
    #expect(try await batches.next()?.count ?? 0 >= FleetState.stagedLimit - 2)
    test.hub.flush()
    #expect(try await batches.next()?.count ?? 0 <= 12)
  }

  @Test func subscribesOnAccess() async throws {
    let test = TestFleet()
    test.hub.receive("a/a", "100")
    test.hub.flush()
    let updates = test.fleet.updates
    test.hub.receive("a/a", "101")
    test.hub.flush()
    var iterator = updates.makeAsyncIterator()
    #expect(try await iterator.next() == update("a/a", at: 101))
  }

  @Test func aSlowSubscriberAffectsNoOther() async throws {
    let test = TestFleet(limits: FleetLimits(buffering: .newest(10)))
    let slow = test.fleet.updates
    let fast = test.fleet.updates
    var iterator = fast.makeAsyncIterator()
    for time in 0..<1_000 {
      test.hub.receive("a/a", "\(time)")
      test.hub.flush()
      #expect(try await iterator.next() == update("a/a", at: Double(time)))
    }
    #expect(fast.dropped == 0)
    #expect(slow.dropped == 990)
    await test.fleet.shutdown()
    var kept: [FleetUpdate] = []
    for try await update in slow { kept.append(update) }
    #expect(kept == (990..<1_000).map { update("a/a", at: Double($0)) })
  }

  @Test func reportsChangesInOrder() async throws {
    let test = TestFleet()
    var changes = test.fleet.changes.makeAsyncIterator()
    let channel = NoChannel()
    test.hub.connected(channel, resumesSession: false)
    test.hub.receive("a/a", "100")
    test.hub.flush()
    test.hub.disconnected()
    test.hub.connected(channel, resumesSession: true)
    test.hub.receive("a/a", "99")
    test.hub.receive("a/a", "will")
    test.hub.flush()
    test.hub.disconnected()
    test.hub.connected(channel, resumesSession: false)
    #expect(test.fleet.device(id("a/a"))?.presence == .unknown)
    test.fleet.forget(id("a/a"))
    #expect(test.fleet.deviceCount == 0)
    for expected: FleetChange in [
      .added(id("a/a")), .online(id("a/a")), .dropping(id("a/a"), .stale), .offline(id("a/a")),
      .interrupted, .forgotten(id("a/a")),
    ] {
      #expect(try await changes.next() == expected)
    }
  }

  @Test func listsDevicesByName() {
    let test = TestFleet()
    for number in (0..<1_000).reversed() { test.hub.receive("user/\(1_000 + number)", "100") }
    test.hub.receive("user/1500", "will")
    #expect(test.fleet.deviceCount == 1_000)
    #expect(test.fleet.devices.map(\.id) == (0..<1_000).map { id("user/\(1_000 + $0)") })
    #expect(test.fleet.devices[500].presence == .offline)
    #expect(test.fleet.device(id("user/1500")) == test.fleet.devices[500])
  }

  @Test func measuresSilence() {
    let test = TestFleet()
    test.hub.receive("a/a", "100")
    test.hub.flush()
    test.clock.advance(by: .seconds(3))
    #expect(test.fleet.device(id("a/a"))?.silence == .seconds(3))
    #expect(test.fleet.devices.first?.silence == .seconds(3))
  }

  @Test func readsTheClockForEachBurst() async throws {
    let test = TestFleet(limits: FleetLimits(messagesPerSecond: 1, burst: 1))
    test.hub.receive("a/a", "100")
    test.clock.advance(by: .seconds(1))
    test.hub.receive("a/a", "101")
    test.hub.flush()
    test.hub.receive("a/a", "102")
    #expect(test.fleet.statistics.delivered == 2)
    #expect(test.fleet.statistics.rateLimited == 1)
  }

  @Test(.longWork) func aFloodOfDevicesIsBounded() async throws {
    let test = TestFleet(limits: FleetLimits(devices: 1_000, buffering: .newest(100)))
    test.hub.receive("real/device", "1")
    let updates = test.fleet.updates
    let changes = test.fleet.changes
    for number in 0..<100_000 {
      test.hub.receive("flood/\(number)", "1")
      if number.isMultiple(of: 100) { test.hub.flush() }
    }
    test.hub.receive("real/device", "2")
    test.hub.flush()
    #expect(test.fleet.deviceCount == 1_000)
    let statistics = test.fleet.statistics
    // Beyond a rate, messages of unknown devices are not even decoded.
    #expect(statistics.refused <= 16 * UInt64(SharedBuckets.bucketCount))
    #expect(statistics.refused + statistics.rateLimited == 99_001)
    #expect(test.fleet.statistics.delivered == 1_001)
    #expect(updates.dropped == 900)
    #expect(changes.dropped == 2 * 999 - 100)
    await test.fleet.shutdown()
    var last: FleetUpdate?
    for try await update in updates { last = update }
    #expect(last == update("real/device", at: 2))
  }
}

/// A channel to a broker over which nothing can be published.
final class NoChannel: BrokerChannel {
  func publish(_ payload: [UInt8], to topic: String, retained: Bool) -> PublicationOutcome {
    .broken
  }

  var submit: @Sendable (@escaping @Sendable () -> Void) -> Void { { $0() } }
  let limits = BrokerLimits()
  func drop(reconnects: Bool) {}
}
