import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// A publisher's publications that were made under an earlier permission.
@Suite(.inTurn) struct EarlierPermissionTests {
  private static let reduced = AuthorizationDecision(.whenInUse, accuracy: .reduced)
  private static let full = AuthorizationDecision(.whenInUse)

  /// The latitudes in locations and transitions.
  private static func latitudes(_ publications: [PendingPublication]) -> [Double] {
    publications.compactMap {
      switch try? OwnTracksMessage(json: $0.payload) {
      case .location(let message): message.location.coordinate.latitude
      case .transition(let message): message.coordinate?.latitude
      default: nil
      }
    }
  }

  private func publisher(
    of backend: MockBackend, over channel: WorkingChannel, storage: any PublicationStorage,
    clock: ManualClock, options: PublisherOptions = PublisherOptions()
  ) throws -> LocationPublisher {
    LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"),
      over: channel, storage: storage, options: options, clock: clock)
  }

  @Test("F58 a batch that waits for the disk does not outlive a reduction")
  func waitingBatchDoesNotOutliveAReduction() async throws {
    let (backend, channel, clock) = (MockBackend(), WorkingChannel(isOpen: false), ManualClock())
    let fails = Locked(true)
    var storage = HookedStorage()
    storage.beforeAppend = { () async throws(LocationError) in
      if fails.withLock({ $0 }) { throw LocationError(.storageUnavailable, "full") }
    }
    let publisher = try publisher(of: backend, over: channel, storage: storage, clock: clock)
    channel.open()
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let exact = try PublisherBench.location(0)
    try backend.emit([.location(exact)])
    await clock.waitForSleepers()
    backend.setAuthorization(Self.reduced)
    while !publisher.current.state.withLock(\.permission.sendsReduced) { await Task.yield() }
    backend.setAuthorization(Self.full)
    while publisher.current.state.withLock(\.permission.isReduced) { await Task.yield() }
    fails.withLock { $0 = false }
    while publisher.statistics.deleted == 0 {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    // A location that outlived the reduction would be sent during these yields.
    for _ in 0..<2_000 { await Task.yield() }
    let sent = Self.latitudes(channel.received.withLock(\.self))
    #expect(!sent.contains { abs($0 - exact.coordinate.latitude) < 1e-4 })
    run.cancel()
    _ = await run.result
  }

  @Test("F65 what cannot be deleted is not sent, also if full accuracy returns")
  func undeletableLocationsAreNotSent() async throws {
    let (backend, channel, clock) = (MockBackend(), WorkingChannel(isOpen: false), ManualClock())
    var storage = HookedStorage()
    storage.beforeRemoval = { () async throws(LocationError) in
      throw LocationError(.storageUnavailable, "read-only")
    }
    let publisher = try publisher(of: backend, over: channel, storage: storage, clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let exact = try PublisherBench.location(0)
    try backend.emit([.location(exact)])
    while publisher.statistics.stored == 0 { await Task.yield() }
    backend.setAuthorization(Self.reduced)
    await clock.waitForSleepers()  // The deletion failed.
    #expect(publisher.current.state.withLock(\.permission.isDeleting))
    backend.setAuthorization(Self.full)
    while publisher.current.manager.currentAuthorization.accuracy != .full { await Task.yield() }
    channel.open()
    // A location that is sent in spite of the reduction would arrive during these yields.
    for _ in 0..<5_000 { await Task.yield() }
    let sent = Self.latitudes(channel.received.withLock(\.self))
    #expect(sent.isEmpty)
    run.cancel()
    _ = await run.result
  }

  @Test("F58 an event of before a reduction says nothing of the place")
  func anEarlierEventOmitsThePlace() async throws {
    let (backend, channel, clock) = (MockBackend(), WorkingChannel(isOpen: false), ManualClock())
    let publisher = try publisher(
      of: backend, over: channel, storage: MemoryPublicationStorage(), clock: clock)
    channel.open()
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let exact = try PublisherBench.location(0)
    // The event was received under full accuracy.
    let event = Monitor.Event(
      identifier: "home", number: 1, state: .satisfied, previousState: .unsatisfied,
      date: exact.timestamp, location: exact)
    backend.setAuthorization(Self.reduced)
    while !publisher.current.state.withLock(\.permission.sendsReduced) { await Task.yield() }
    try await publisher.publish(event)
    // A location that the program has kept is refused.
    await #expect(throws: LocationError.self) {
      try await publisher.publish(.location(LocationMessage(exact)))
    }
    // Messages that may contain a place are refused.
    let refused = [
      #"{"_type":"beacon","lat":60.5}"#, #"{"_type":"encrypted","data":"NjAuNQ=="}"#,
    ]
    for json in refused {
      await #expect(throws: LocationError.self) {
        try await publisher.publish(OwnTracksMessage(json: json.utf8))
      }
    }
    let messages = [
      #"{"_type":"transition","event":"enter","tst":1777863600,"gps":60.5}"#,
      #"{"_type":"card","name":"Jane","gps":60.5}"#,
      #"{"_type":"waypoints","waypoints":[{"desc":"x","tst":1,"gps":60.5}],"gps":60.5}"#,
    ]
    for json in messages { try await publisher.publish(OwnTracksMessage(json: json.utf8)) }
    while publisher.statistics.published < 1 + messages.count { await Task.yield() }
    let received = channel.received.withLock(\.self)
    #expect(!Self.latitudes(received).contains(exact.coordinate.latitude))
    #expect(!received.contains { String(decoding: $0.payload, as: UTF8.self).contains("60.5") })
    run.cancel()
    _ = await run.result
  }

  /// The message waits for the deletion of earlier publications.
  @Test("F58 a message of a reduced time says nothing of the place, however long it waits")
  func messageBehindADeletionOmitsThePlace() async throws {
    let (backend, channel, clock) = (MockBackend(), WorkingChannel(isOpen: false), ManualClock())
    let fails = Locked(true)
    var storage = HookedStorage()
    storage.beforeRemoval = { () async throws(LocationError) in
      if fails.withLock({ $0 }) { throw LocationError(.storageUnavailable, "read-only") }
    }
    let publisher = try publisher(of: backend, over: channel, storage: storage, clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let exact = try PublisherBench.location(0)
    try backend.emit([.location(exact)])
    while publisher.statistics.stored == 0 { await Task.yield() }
    backend.setAuthorization(Self.reduced)
    await clock.waitForSleepers()  // The deletion failed.
    let event = Monitor.Event(
      identifier: "home", number: 1, state: .satisfied, previousState: .unsatisfied,
      date: exact.timestamp, location: exact)
    let crossing = Task.immediate { try await publisher.publish(event) }
    let location = Task.immediate {
      try await publisher.publish(.location(LocationMessage(exact)))
    }
    backend.setAuthorization(Self.full)
    while publisher.current.manager.currentAuthorization.accuracy != .full { await Task.yield() }
    fails.withLock { $0 = false }
    channel.open()
    while publisher.current.state.withLock(\.permission.isDeleting) {
      clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(try await crossing.value)
    await #expect(throws: LocationError.self) { try await location.value }
    while publisher.statistics.published == 0 { await Task.yield() }
    let sent = Self.latitudes(channel.received.withLock(\.self))
    #expect(sent.isEmpty)
    run.cancel()
    _ = await run.result
  }

  /// A deletion may occur after permission was checked and before the crossing is stored.
  @Test("F65 a crossing is published whichever accuracy comes meanwhile", .longWork)
  func aCrossingBesideChangesOfAccuracy() async throws {
    // System clock: the mock has no script that waits.
    let (backend, channel) = (MockBackend(clock: ContinuousClock()), WorkingChannel())
    let publisher = try publisher(
      of: backend, over: channel, storage: MemoryPublicationStorage(), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let hasEnded = Locked(false)
    let changes = Task {
      for decision in (0..<300).flatMap({ _ in [Self.reduced, Self.full] }) {
        backend.setAuthorization(decision)
        while publisher.current.manager.currentAuthorization.accuracy != decision.accuracy {
          await Task.yield()
        }
      }
      hasEnded.withLock { $0 = true }
    }
    let time = try PublisherBench.location(0).timestamp
    while !hasEnded.withLock(\.self) {
      try await publisher.publish(.transition(TransitionMessage(.leave, time: time)))
    }
    await changes.value
    run.cancel()
    _ = await run.result
  }

  @Test func theReducedLocationOfEachReceiverIsPublishedOnce() async throws {
    let (backend, channel, clock) = (MockBackend(), WorkingChannel(), ManualClock())
    backend.setAuthorization(Self.reduced)
    let publisher = try publisher(
      of: backend, over: channel, storage: MemoryPublicationStorage(), clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let locations = try (0..<6).map { number in
      let place = try Coordinate(latitude: 60 + Double(number % 2), longitude: 24.5)
      return try PublisherBench.location(number).with {
        $0.coordinate = place
        $0.sourceInformation = SourceInformation(device: "/dev/tty\(number % 2)")
      }
    }
    for location in locations {
      try backend.emit([.location(location)])
      try await backend.settle()
    }
    try backend.end()
    try await run.value
    let sent = Self.latitudes(channel.received.withLock(\.self))
    #expect(sent.count <= 2)
    #expect(!sent.isEmpty)
  }

  /// The end of the source ends the demand, so permission for once lapses.
  @Test("what waits is sent after permission for once has lapsed")
  func permissionForOnce() async throws {
    let (channel, clock) = (WorkingChannel(isOpen: false), ManualClock())
    let backend = MockBackend(
      authorization: .answering(AuthorizationDecision(.whenInUseOnce)))
    let publisher = try publisher(
      of: backend, over: channel, storage: MemoryPublicationStorage(), clock: clock)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([
      .location(try PublisherBench.location(0)), .location(try PublisherBench.location(1)),
    ])
    while publisher.statistics.stored < 2 { await Task.yield() }
    try backend.end()
    while publisher.current.manager.currentAuthorization.isAuthorized { await Task.yield() }
    channel.open()
    try await run.value
    #expect(publisher.statistics.published == 2)
  }

  @Test("F58 a denial removes what an earlier run retained", arguments: [true, false])
  func retainedLocationOfAnEarlierRunIsRemoved(_ retains: Bool) async throws {
    let storage = MemoryPublicationStorage()
    do {
      let (backend, channel, clock) = (MockBackend(), WorkingChannel(isOpen: false), ManualClock())
      let publisher = try publisher(of: backend, over: channel, storage: storage, clock: clock)
      channel.open()
      let run = Task { try await publisher.run() }
      await backend.waitUntilRunning()
      try backend.emit([.location(try PublisherBench.location(0))])
      while publisher.statistics.published == 0 { await Task.yield() }
      run.cancel()
      _ = await run.result
      #expect(channel.received.withLock { $0.last?.isRetained } == true)
    }
    let (channel, clock) = (WorkingChannel(isOpen: false), ManualClock())
    let backend = MockBackend(authorization: .denying)
    backend.setAuthorization(.denied)
    let publisher = try publisher(
      of: backend, over: channel, storage: storage, clock: clock,
      options: PublisherOptions(retainsLastLocation: retains))
    channel.open()
    let error = await #expect(throws: LocationError.self) { try await publisher.run() }
    #expect(error?.message.contains("withdrawn") == false)
    let removals = channel.received.withLock { $0.count { $0.payload.isEmpty && $0.isRetained } }
    #expect(removals == 1)
  }

  /// A location that the program itself published as retained is removed at a denial.
  @Test func aRetainedMessageOfTheProgramIsRemoved() async throws {
    // System clock: the mock has no script that waits.
    let (backend, channel) = (MockBackend(clock: ContinuousClock()), WorkingChannel())
    let storage = MemoryPublicationStorage()
    let publisher = LocationPublisher(
      LocationManager(backend: backend, clock: ManualClock()),
      topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel, storage: storage,
      options: PublisherOptions(retainsLastLocation: false), clock: ManualClock())
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(0))])
    while publisher.statistics.published < 1 { await Task.yield() }
    try await publisher.publish(
      .location(LocationMessage(try PublisherBench.location(1))), isRetained: true)
    while publisher.statistics.published < 2 { await Task.yield() }
    backend.setAuthorization(.denied)
    _ = await run.result
    #expect(
      channel.received.withLock { $0.last?.payload } == [],
      "the broker keeps the location for ever")
  }

  /// A crossing contains the exact place of the device. A waypoint is a place of the user's choice.
  @Test("F58 a retained crossing is removed, also one of an earlier run", arguments: [false, true])
  func aRetainedCrossingIsRemoved(_ isOfEarlierRun: Bool) async throws {
    for withdrawal in [.denied, Self.reduced] {
      let channel = WorkingChannel()
      let storage = MemoryPublicationStorage()
      let exact = try PublisherBench.location(0)
      // System clock: the mock has no script that waits.
      let backend = MockBackend(clock: ContinuousClock())
      let publisher = try publisher(
        of: backend, over: channel, storage: storage, clock: ManualClock(),
        options: PublisherOptions(retainsLastLocation: false))
      let run = Task { try await publisher.run() }
      await backend.waitUntilRunning()
      var crossing = TransitionMessage(
        .enter, time: exact.timestamp, coordinate: exact.coordinate, name: "home")
      crossing.horizontalAccuracy = 5
      try await publisher.publish(.transition(crossing), isRetained: true)
      try await publisher.publish(waypoints: [
        "home": .circle(center: exact.coordinate, radius: 100)
      ])
      while publisher.statistics.published < 2 { await Task.yield() }
      if isOfEarlierRun {
        run.cancel()
        _ = await run.result
        // System clock: the mock has no script that waits.
        let later = MockBackend(clock: ContinuousClock())
        later.setAuthorization(withdrawal)
        let next = try self.publisher(
          of: later, over: channel, storage: storage, clock: ManualClock(),
          options: PublisherOptions(retainsLastLocation: false))
        let run = Task { try await next.run() }
        try await Self.end(run, of: next, over: channel, after: withdrawal)
      } else {
        backend.setAuthorization(withdrawal)
        try await Self.end(run, of: publisher, over: channel, after: withdrawal)
      }
      let removed = channel.received.withLock { $0.filter(\.isRemoval).map(\.topic) }
      #expect(removed.contains("owntracks/jane/boat/event"), "\(withdrawal)")
      #expect(!removed.contains("owntracks/jane/boat/waypoints"))
    }
  }

  /// Ends a run after every publication that a withdrawal causes has been sent. A denial ends the
  /// run itself.
  private static func end(
    _ run: Task<Void, any Error>, of publisher: LocationPublisher, over channel: WorkingChannel,
    after withdrawal: AuthorizationDecision
  ) async throws {
    if withdrawal != .denied {
      while !publisher.current.state.withLock(\.permission.sendsReduced) { await Task.yield() }
      let before = channel.received.withLock(\.count)
      try await publisher.publish(
        .transition(TransitionMessage(.leave, time: PublisherBench.location(9).timestamp)))
      // The transition is sent after the removals.
      while channel.received.withLock({ $0.dropFirst(before).allSatisfy(\.isRemoval) }) {
        await Task.yield()
      }
      run.cancel()
    }
    _ = await run.result
  }
}
