import AsyncLocation
import FoundationEssentials
import LocationFleet
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// Locations that arrive before one that their device sent earlier.
@Suite(.inTurn) struct FleetReorderingTests {
  /// Receives locations of `a/a`. Each names the one a second before it, unless it is the first.
  private static func receive(_ times: some Sequence<Int>, _ test: TestFleet) {
    for time in times { test.hub.receive("a/a", time == 0 ? "0" : "\(time) 47 \(time - 1)") }
    test.hub.flush()
  }

  /// The times of the updates that have been delivered.
  private static func delivered(
    _ count: Int, _ batches: inout FleetBatches.AsyncIterator
  ) async throws -> [Double] {
    var times: [Double] = []
    while times.count < count, let batch = try await batches.next() {
      times += batch.map(\.location.timestamp.timeIntervalSinceReferenceDate)
    }
    return times
  }

  @Test("F78 in whatever order a device's locations arrive, they are delivered in its order")
  func anyOrder() async throws {
    for seed in 0..<100 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let test = TestFleet()
      var batches = test.fleet.batches.makeAsyncIterator()
      Self.receive([0], test)
      // Each is received once or twice.
      let times = Array(1..<40) + (1..<40).filter { _ in Bool.random(using: &random) }
      Self.receive(times.shuffled(using: &random), test)
      #expect(try await Self.delivered(40, &batches) == (0..<40).map(Double.init), "seed \(seed)")
      #expect(test.hub.statistics.delivered == 40)
      #expect(
        test.hub.statistics.stale + test.hub.statistics.duplicates == UInt64(times.count - 39))
    }
  }

  @Test(
    "F78 a location that waits in vain is delivered after the time-out, and the late one is not")
  func timeout() async throws {
    let test = TestFleet()
    var batches = test.fleet.batches.makeAsyncIterator()
    Self.receive([0, 2, 3], test)
    #expect(test.hub.statistics.waited == 2)
    #expect(try await Self.delivered(1, &batches) == [0])
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(44))
    Self.receive([5], test)
    #expect(test.hub.statistics.delivered == 1)
    test.clock.advance(by: .seconds(1))
    #expect(try await Self.delivered(2, &batches) == [2, 3])
    Self.receive([1], test)
    #expect(test.hub.statistics.delivered == 3)
    #expect(test.hub.statistics.stale == 1)
    // Another one has waited for a second only.
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(44))
    #expect(try await Self.delivered(1, &batches) == [5])
  }

  @Test("F78 conditions see a device's locations in its order")
  func conditions() async throws {
    let test = TestFleet()
    var events = test.fleet.events.makeAsyncIterator()
    try test.fleet.add(depot, identifier: "depot")
    test.hub.receive("a/a", "0 48")
    var random = SplitMix64(seed: 1)
    for time in Array(1...12).shuffled(using: &random) {
      test.hub.receive("a/a", "\(time * 10) \(time <= 6 ? 47 : 48) \(time * 10 - 10)")
    }
    test.hub.flush()
    for expected in [Monitor.State.satisfied, .unsatisfied] {
      #expect(try await events.next()?.state == expected)
    }
  }

  /// A server that starts again receives the retained location before those that its device sends
  /// again.
  @Test("F75 a retained location waits for those before it, and the crossing between has an event")
  func retained() async throws {
    let test = TestFleet()
    try test.fleet.add(depot, identifier: "depot")
    let (updates, events) = (test.fleet.updates, test.fleet.events)
    test.hub.receive("a/a", "0 48")
    test.hub.receive("a/a", "100 47 90", isRetained: true)
    test.hub.flush()
    #expect(test.hub.statistics.waited == 1)
    #expect(test.fleet.device(id("a/a"))?.presence == .online)
    for time in stride(from: 10, through: 100, by: 10) {
      test.hub.receive("a/a", "\(time) 47 \(time - 10)")
    }
    await test.fleet.shutdown()
    var times: [Double] = []
    for try await update in updates {
      times.append(update.location.timestamp.timeIntervalSinceReferenceDate)
    }
    #expect(times == Array(stride(from: 0, through: 100, by: 10)))
    var states: [Monitor.State] = []
    for try await event in events { states.append(event.state) }
    #expect(states == [.satisfied])
  }

  @Test("a retained location that waits in vain is delivered as one, of a device that may be away")
  func retainedInVain() async throws {
    let test = TestFleet()
    var updates = test.fleet.updates.makeAsyncIterator()
    test.hub.receive("a/a", "0", isRetained: true)
    test.hub.receive("a/a", "9 47 8", isRetained: true)
    test.hub.flush()
    #expect(try await updates.next() == update("a/a", at: 0, isRetained: true))
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(45))
    #expect(try await updates.next()?.isRetained == true)
    #expect(test.fleet.device(id("a/a"))?.presence == .unknown)
    #expect(test.fleet.device(id("a/a"))?.silence == nil)
  }

  /// A message that must not wait.
  struct Passing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var earlier = ["0"]
    var payload = "2 47 1"
    var isRetained = false
    var limits = FleetLimits()
    /// The number of delivered locations, with the earlier ones.
    var count: UInt64 = 2
  }

  @Test(arguments: [
    Passing(testDescription: "a device without a location", earlier: [], count: 1),
    Passing(testDescription: "no request", payload: "2"),
    Passing(testDescription: "a previous location that has arrived", payload: "2 47 0"),
    Passing(
      testDescription: "a previous location that is later: a clock set back", payload: "2 47 3"),
    Passing(
      testDescription: "a retained location of a device without one", earlier: [],
      isRetained: true, count: 1),
    Passing(testDescription: "no time-out", limits: FleetLimits(gapTimeout: .zero)),
    Passing(testDescription: "a dropped message", earlier: ["0", "damaged"]),
  ])
  func doesNotWait(_ message: Passing) {
    let test = TestFleet(limits: message.limits)
    for payload in message.earlier { test.hub.receive("a/a", payload) }
    test.hub.receive("a/a", message.payload, isRetained: message.isRetained)
    #expect(test.hub.statistics.delivered == message.count)
    #expect(test.hub.statistics.waited == 0)
  }

  @Test func aDuplicateIsNotADroppedMessage() {
    let test = TestFleet()
    Self.receive([0, 0, 2], test)
    #expect(test.hub.statistics.waited == 1)
  }

  @Test func locationsOfAnotherDeviceDoNotWait() async throws {
    let test = TestFleet()
    Self.receive([0, 2], test)
    test.hub.receive("b/b", "2")
    #expect(test.hub.statistics.delivered == 2)
    #expect(test.hub.device(id("a/a"))?.location?.timestamp == location(at: 0).timestamp)
  }

  @Test("F78 beyond the limit of waiting locations, all of the device's are delivered")
  func limit() async throws {
    let test = TestFleet()
    Self.receive([0], test)
    let last = FleetReordering.deviceLimit + 2
    Self.receive((2..<last).reversed(), test)
    #expect(test.hub.statistics.delivered == 1)
    Self.receive([last + 1], test)
    #expect(test.hub.statistics.delivered == UInt64(last))
    #expect(test.hub.statistics.stale == 0)
  }

  @Test func theEndDeliversWhatWaits() async throws {
    let test = TestFleet()
    var batches = test.fleet.batches.makeAsyncIterator()
    Self.receive([0, 3, 2], test)
    await test.fleet.shutdown()
    #expect(try await Self.delivered(4, &batches) == [0, 2, 3])
  }

  @Test func aForgottenDeviceHasNoWaitingLocations() async throws {
    let test = TestFleet()
    Self.receive([0, 2], test)
    await test.clock.waitForSleepers()
    test.fleet.forget(id("a/a"))
    test.clock.advance(by: .seconds(60))
    test.hub.receive("b/b", "0")
    #expect(test.hub.statistics.delivered == 2)
    #expect(test.fleet.devices.map(\.id) == [id("b/b")])
  }

  @Test("F75 a waiting location is confirmed once it is stored, in its order")
  func storing() async throws {
    let storage = MemoryFleetStorage()
    let test = try await TestFleet(storage: storage)
    Self.receive([0, 2, 3], test)
    try await test.fleet.waitUntilStored()
    let track = try #require(test.fleet.history).track(of: id("a/a"))
    #expect(try await track.locations.count == 1)
    Self.receive([1], test)
    try await test.fleet.waitUntilStored()
    #expect(
      try await track.locations.map(\.timestamp.timeIntervalSinceReferenceDate) == [0, 1, 2, 3])
    await test.fleet.shutdown()
  }

  @Test(
    "F78 a retained location waits with those before it, and one that names none ends their wait",
    arguments: [true, false])
  func retainedLocation(_ namesPrevious: Bool) async throws {
    let test = TestFleet()
    var batches = test.fleet.batches.makeAsyncIterator()
    Self.receive([0, 3, 2], test)
    test.hub.receive("a/a", namesPrevious ? "4 47 3" : "4", isRetained: true)
    test.hub.flush()
    if namesPrevious { Self.receive([1], test) }
    let expected = (namesPrevious ? [0, 1, 2, 3, 4] : [0, 2, 3, 4]).map(Double.init)
    #expect(try await Self.delivered(expected.count, &batches) == expected)
  }

  @Test func eachLocationWaitsForTheWholeTime() async throws {
    let test = TestFleet()
    var batches = test.fleet.batches.makeAsyncIterator()
    Self.receive([0, 2], test)
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(43))
    Self.receive([5], test)
    Self.receive([1], test)
    #expect(try await Self.delivered(3, &batches) == [0, 1, 2])
    test.clock.advance(by: .seconds(2))
    await test.clock.waitForSleepers()
    // The missing ones of the second gap come in time.
    Self.receive([3, 4], test)
    #expect(try await Self.delivered(3, &batches) == [3, 4, 5])
    #expect(test.hub.statistics.stale == 0)
  }

  @Test("F78 what has waited does not make a device online that has gone")
  func lastWill() async throws {
    let test = TestFleet()
    var batches = test.fleet.batches.makeAsyncIterator()
    Self.receive([0, 2], test)
    test.hub.receive("a/a", "will")
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(45))
    #expect(try await Self.delivered(2, &batches) == [0, 2])
    #expect(test.hub.device(id("a/a"))?.presence == .offline)
    #expect(test.hub.device(id("a/a"))?.silence == .seconds(45))
  }

  @Test func aLocationInTheFutureEndsNoWait() async throws {
    let test = TestFleet()
    var batches = test.fleet.batches.makeAsyncIterator()
    Self.receive([0, 2], test)
    test.hub.receive("a/a", "\(Int(testNow) + 3_600)")
    Self.receive([1], test)
    #expect(try await Self.delivered(3, &batches) == [0, 1, 2])
  }

  @Test func aNewSessionAtTheBrokerEndsTheWait() async throws {
    let test = TestFleet()
    var batches = test.fleet.batches.makeAsyncIterator()
    let channel = NoChannel()
    test.hub.connected(channel, resumesSession: false)
    Self.receive([0, 2], test)
    test.hub.disconnected()
    test.hub.connected(channel, resumesSession: true)
    #expect(test.hub.statistics.delivered == 1)
    test.hub.disconnected()
    test.hub.connected(channel, resumesSession: false)
    #expect(try await Self.delivered(2, &batches) == [0, 2])
  }

  @Test("F75 a device whose location waits learns which run of the server has it")
  func announcement() async throws {
    let broker = MockBroker()
    let fleet = try await Fleet(broker: broker, storage: MemoryFleetStorage())
    _ = fleet.devices  // Connects.
    broker.publish(Self.payload(at: 0, after: nil), to: "owntracks/a/a")
    while fleet.statistics.confirmations < 1 { await Task.yield() }
    broker.publish(Self.payload(at: 2, after: 1), to: "owntracks/a/a")
    while fleet.statistics.confirmations < 2 { await Task.yield() }
    broker.publish(Self.payload(at: 3, after: 2), to: "owntracks/a/a")
    let servers = broker.received.compactMap { StoredTimes($0.payload.span)?.server }
    #expect(servers.count == 2)
    #expect(servers.first == servers.last)
    #expect(fleet.statistics.waited == 2)
    await fleet.shutdown()
  }

  @Test func aFleetThatConfirmsNothingStoresAtOnce() async throws {
    let broker = MockBroker()
    let fleet = try await Fleet(
      FleetConfiguration(confirmsLocations: false), broker: broker, storage: MemoryFleetStorage())
    _ = fleet.devices
    for (time, previous) in [(0, nil), (2, 1)] {
      broker.publish(Self.payload(at: time, after: previous), to: "owntracks/a/a")
    }
    try await fleet.waitUntilStored()
    #expect(fleet.statistics.waited == 0)
    #expect(fleet.statistics.delivered == 2)
    await fleet.shutdown()
  }

  /// A location that requests a confirmation.
  private static func payload(at time: Int, after previous: Int?) -> [UInt8] {
    let dates = [time, previous ?? 0].map {
      Date(timeIntervalSince1970: Double(PublisherBench.start + $0))
    }
    let location = try! Location(latitude: 47, longitude: 8, timestamp: dates[0])
    let request = ConfirmationRequest(
      from: LocationTime(dates[1]), after: previous == nil ? nil : LocationTime(dates[1]))
    return request.added(to: OwnTracksMessage.location(LocationMessage(location)).json)
  }
}

/// The bounds of what waits.
@Suite(.inTurn) struct FleetReorderingLimitTests {
  private static func waiting(_ second: Int, size: Int = 0) throws -> WaitingLocation {
    let (time, previous) = (LocationTime(seconds: Double(second))!, LocationTime(seconds: 0)!)
    let message =
      size == 0 ? nil : try OwnTracksMessage(json: Array(#"{"_type":"lwt","tst":1}"#.utf8))
    var intake = FleetIntake()
    var results = FleetIntake.Results()
    guard
      case .decode(let ticket) = intake.admit(
        topic: "owntracks/a/a".utf8.span, payloadLength: 1, isRetained: false,
        at: FleetTime(wall: testNow, monotonic: 0), into: &results)
    else { throw LocationError(.invalidValue, "no ticket") }
    return WaitingLocation(
      received: DeferredMessage(
        content: .location(location(at: Double(second))), message: message, size: size,
        ticket: ticket, topic: [], isRetained: false),
      time: time, previous: previous, arrival: 0)
  }

  @Test func largeMessagesAreBoundedByMemory() throws {
    var reordering = FleetReordering(timeout: 1)
    // Decoded, a message of 64 KiB may be several times as large.
    let count = (1...FleetReordering.deviceLimit).prefix {
      (try? reordering.add(Self.waiting($0, size: 65_536), of: 0)) == .added
    }.count
    #expect((1...16).contains(count))
    #expect(try reordering.add(Self.waiting(1), of: 1) == .added)
  }

  @Test func beyondTheLimitOfAllDevicesTheOneWithTheMostIsServed() throws {
    var reordering = FleetReordering(timeout: 1)
    for second in 1...10 { #expect(try reordering.add(Self.waiting(second), of: 7) == .added) }
    for slot in 100..<100 + FleetReordering.maximumDevices {
      #expect(!reordering.isOverfull)
      #expect(try reordering.add(Self.waiting(1), of: slot) == .added)
    }
    #expect(reordering.isOverfull)
    #expect(reordering.takeLargest().count == 10)
    #expect(!reordering.isOverfull)
  }

  @Test func theSearchForEndedWaitsIsInterrupted() throws {
    var reordering = FleetReordering(timeout: 1)
    for slot in 0..<10 {
      for second in 1...1_000 { _ = try reordering.add(Self.waiting(second), of: slot) }
    }
    var total = 0
    while true {
      let overdue = reordering.takeOverdue(at: 1).map(\.locations.count)
      if overdue.isEmpty { break }
      #expect(overdue.reduce(0, +) <= 5_000)
      total += overdue.reduce(0, +)
    }
    #expect(total == 10_000)
    #expect(reordering.deadline == nil)
  }
}
