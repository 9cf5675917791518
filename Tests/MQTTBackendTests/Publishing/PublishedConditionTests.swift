import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct PublishedConditionTests {
  typealias State = Monitor.State

  struct Row: Sendable, CustomTestStringConvertible {
    let from: State
    let to: State
    let event: TransitionMessage.Event?
    var testDescription: String { "\(from) to \(to)" }
  }

  static let rows = [
    Row(from: .unknown, to: .satisfied, event: .enter),
    Row(from: .unsatisfied, to: .satisfied, event: .enter),
    Row(from: .unmonitored, to: .satisfied, event: .enter),
    Row(from: .satisfied, to: .unsatisfied, event: .leave),
    Row(from: .unknown, to: .unsatisfied, event: nil),
    Row(from: .unmonitored, to: .unsatisfied, event: nil),
    Row(from: .satisfied, to: .unmonitored, event: nil),
    Row(from: .satisfied, to: .unknown, event: nil),
  ]

  @Test(arguments: rows)
  func anEntryAndAnExitAreTransitions(_ row: Row) throws {
    let date = PublisherBench.startDate
    let location = try PublisherBench.location(3)
    let event = Monitor.Event(
      identifier: "harbour", number: 1, state: row.to, previousState: row.from, date: date,
      location: location)
    let message = TransitionMessage(event)
    #expect(message?.event == row.event)
    guard let message else { return }
    #expect(message.name == "harbour")
    #expect(message.time == date)
    #expect(message.coordinate == location.coordinate)
    #expect(message.horizontalAccuracy == 5)
  }

  /// Monitoring was suspended while the device left.
  @Test func anExitAfterASuspensionIsPublished() async throws {
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: WorkingChannel(),
      storage: MemoryPublicationStorage(), options: PublisherOptions(), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    while publisher.statistics.published < 1 { await Task.yield() }
    let steps: [(from: State, to: State, isPublished: Bool)] = [
      (.unknown, .unsatisfied, false), (.unsatisfied, .satisfied, true),
      (.satisfied, .unmonitored, false), (.unmonitored, .unsatisfied, true),
      (.unsatisfied, .unmonitored, false), (.unmonitored, .unsatisfied, false),
      // Another condition now has the identifier.
      (.unsatisfied, .satisfied, true), (.unknown, .unsatisfied, false),
      (.unsatisfied, .unmonitored, false), (.unmonitored, .unsatisfied, false),
    ]
    for (number, step) in steps.enumerated() {
      let event = Monitor.Event(
        identifier: "harbour", number: UInt64(number + 1), state: step.to, previousState: step.from,
        date: PublisherBench.startDate)
      #expect(try await publisher.publish(event) == step.isPublished, "\(step)")
    }
    run.cancel()
    _ = await run.result
  }

  /// What happens to an entry before accuracy is reduced.
  enum Entry: CaseIterable, Sendable {
    case received, waits
    /// A limit drops the entry.
    case dropped
    /// The entry waits. Its deletion succeeds, but is reported as a failure, and so is repeated.
    case deletedTwice
  }

  /// The exit of a deleted entry would reveal where the device was under the withdrawn permission.
  /// An entry that the channel has received has an exit.
  @Test(arguments: Entry.allCases)
  func aDeletedEntryHasNoExit(_ entry: Entry) async throws {
    let isReceived = entry == .received
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let clock = ManualClock()
    let failures = Locked(entry == .deletedTwice ? 1 : 0)
    let storage = HookedStorage(afterRemoval: { () throws(LocationError) in
      let fails = failures.withLock { count in
        defer { count = 0 }
        return count > 0
      }
      if fails { throw LocationError(.storageUnavailable, "The disk is full.") }
    })
    var options = PublisherOptions()
    if entry == .dropped { options.limits.count = 1 }
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"),
      over: WorkingChannel(isOpen: isReceived), storage: storage, options: options, clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    while publisher.statistics.stored < 1 { await Task.yield() }
    func event(_ number: UInt64, _ old: State, _ new: State) -> Monitor.Event {
      Monitor.Event(
        identifier: "harbour", number: number, state: new, previousState: old,
        date: PublisherBench.startDate)
    }
    #expect(try await publisher.publish(event(1, .unsatisfied, .satisfied)))
    if isReceived {
      while publisher.statistics.backlog.count > 0 { await Task.yield() }
    }
    if entry == .dropped {
      try backend.emit([.location(try PublisherBench.location(1))])
      while publisher.statistics.stored < 3 { await Task.yield() }
    }
    backend.setAuthorization(AuthorizationDecision(.whenInUse, accuracy: .reduced))
    while !publisher.current.state.withLock(\.permission.sendsReduced) {
      if publisher.statistics.problem != nil { clock.advance(by: .seconds(1)) }
      await Task.yield()
    }
    #expect(failures.withLock(\.self) == 0)
    backend.setAuthorization(.authorizedWhenInUse)
    while publisher.current.state.withLock(\.permission.isReduced) { await Task.yield() }
    #expect(try await publisher.publish(event(3, .unmonitored, .unsatisfied)) == isReceived)
    run.cancel()
    _ = await run.result
  }

  @Test(.needsBroker)
  func conditionsAndEventsReachOtherClients() async throws {
    let broker = try await RealBroker()
    let subscriber = try await ForeignSubscriber(to: "owntracks/jane/boat/+", of: broker)
    let bench = try PublisherBench(broker)
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    while bench.publisher.statistics.published < 1 { await Task.yield() }
    let center = try Coordinate(latitude: 60, longitude: 24.5)
    let unpublished = try await bench.publisher.publish(waypoints: [
      "harbour": .circle(center: center, radius: 100),
      "road": .corridor(along: [center, Coordinate(latitude: 61, longitude: 24.5)], width: 20),
    ])
    #expect(unpublished == ["road"])
    let event = Monitor.Event(
      identifier: "harbour", number: 1, state: .satisfied, previousState: .unknown, date: Date(),
      location: nil)
    #expect(try await bench.publisher.publish(event))
    let messages = await subscriber.messages(2)
    #expect(
      messages.map(\.topic) == ["owntracks/jane/boat/waypoints", "owntracks/jane/boat/event"])
    #expect(messages[0].payload.contains(#""desc":"harbour""#))
    #expect(messages[1].payload.contains(#""event":"enter""#))
    run.cancel()
    _ = await run.result
  }
}
