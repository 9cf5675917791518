import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Subscribers whose options name a receiver.
@Suite(.inTurn)
struct NamedDeviceTests {
  private static let a = Receiver(name: "/dev/a")
  private static let b = Receiver(name: "/dev/b")

  private static func connected(
    _ receivers: Receiver..., problem: LocationError? = nil
  ) -> BackendEvent {
    .connection(
      ConnectionState(
        .connected, endpoint: "boat:2947", problem: problem, receivers: receivers,
        devices: Set(receivers.map(\.name))))
  }

  private func bench() -> (MockBackend, LocationManager) {
    let backend = MockBackend(authorization: MockAuthorization(initialDecision: .authorizedAlways))
    return (backend, LocationManager(backend: backend))
  }

  @Test func aMissingDeviceIsAProblemUntilItAppears() async throws {
    let (backend, manager) = bench()
    var states = manager.connectionStates.makeAsyncIterator()
    #expect(await states.next()?.phase == .idle)
    let named = manager.updates(UpdateOptions(device: "/dev/b"))
    let unrestricted = manager.updates(UpdateOptions())
    await backend.waitUntilRunning()
    try backend.emit(Self.connected(Self.a), .location(fix(1, device: "/dev/a")))
    let problem = await states.next()?.problem
    #expect(problem?.code == .deviceUnknown)
    #expect(
      problem?.message
        == "boat:2947 has no receiver '/dev/b'; it has '/dev/a'. Check the name in the options. "
        + "Reports start when the receiver is connected.")
    #expect(try await unrestricted.first(1).map(\.latitude) == [fix(1).latitude])

    try backend.emit(Self.connected(Self.a, Self.b), .location(fix(2, device: "/dev/b")))
    let recovered = await states.next()
    #expect(recovered?.problem == nil)
    #expect(recovered?.receivers.map(\.name) == ["/dev/a", "/dev/b"])
    #expect(try await named.first(1).map(\.latitude) == [fix(2).latitude])

    // The device may disappear again.
    try backend.emit(Self.connected(Self.a))
    #expect(await states.next()?.problem?.code == .deviceUnknown)
    withExtendedLifetime((named, unrestricted)) {}
  }

  @Test func theProblemLastsWhileASubscriberNamesTheDevice() async throws {
    let (backend, manager) = bench()
    let unrestricted = manager.updates
    await backend.waitUntilRunning()
    try backend.emit(Self.connected())
    var states = manager.connectionStates.makeAsyncIterator()
    #expect(await states.next()?.problem == nil)
    var first: HeadingUpdates? = manager.headings(HeadingOptions(device: "x"))
    #expect(
      await states.next()?.problem?.message.hasPrefix("boat:2947 has no receiver 'x'; it has none.")
        == true)
    var second: LocationUpdates? = manager.updates(UpdateOptions(device: "x"))
    let third = manager.updates(UpdateOptions(device: "y\u{1B}"))
    #expect(
      await states.next()?.problem?.message.contains("no receiver 'x', 'y\\u{1b}'; it") == true)
    withExtendedLifetime((first, second)) {}
    first = nil
    second = nil
    #expect(
      await states.next()?.problem?.message.contains("no receiver 'y\\u{1b}'; it") == true)
    let loop = Task { for try await _ in third {} }
    loop.cancel()
    try await loop.value
    #expect(await states.next()?.problem == nil)
    withExtendedLifetime(unrestricted) {}
  }

  @Test func liveUpdatesReportAMissingDeviceOnce() async throws {
    let (backend, manager) = bench()
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    try backend.emit(Self.connected(Self.a), .location(fix(1)))
    #expect(try await live.first(1).map(\.diagnostics) == [[]])
    let named = manager.updates(UpdateOptions(device: "/dev/b"))
    try backend.emit(.location(fix(2)), .unavailable(LocationError(.locationUnknown, "Dark.")))
    try backend.emit(.location(fix(3)), Self.connected(Self.a))
    let late = manager.liveUpdates
    #expect(
      try await live.first(4).map {
        LocationUpdate(location: $0.location, diagnostics: $0.diagnostics)
      }
        == [
          LocationUpdate(diagnostics: .deviceUnknown), LocationUpdate(location: fix(2)),
          LocationUpdate(diagnostics: [.deviceUnknown, .locationUnavailable]),
          LocationUpdate(location: fix(3)),
        ])
    #expect(try await late.first(1).map(\.diagnostics) == [.deviceUnknown])
    withExtendedLifetime(named) {}
  }

  @Test func failedRunReportsItsMissingDevice() async throws {
    let (backend, manager) = bench()
    let live = manager.liveUpdates
    await backend.waitUntilRunning()
    let missing = LocationError(.deviceUnknown, "No such receiver.")
    try backend.emit(.connection(ConnectionState(.failed, problem: missing)))
    #expect(
      try await live.first(1).map(\.diagnostics) == [[.deviceUnknown, .locationUnavailable]])
  }

  /// `devices` is nil in each state; in the last, although it has a receiver.
  @Test(arguments: [
    ConnectionState(.connected), ConnectionState(.connecting),
    ConnectionState(.connected, receivers: [a], devices: nil),
  ])
  func aSourceWithoutADeviceListReportsNoMissingDevice(_ state: ConnectionState) async throws {
    let (backend, manager) = bench()
    let named = manager.updates(UpdateOptions(device: "/dev/b"))
    let (states, live) = (manager.connectionStates, manager.liveUpdates)
    await backend.waitUntilRunning()
    try backend.emit(.connection(state), .location(fix(1, device: "/dev/b")))
    #expect(try await states.first(2).last?.problem == nil)
    #expect(try await live.first(1).map(\.diagnostics) == [[]])
    #expect(try await named.first(1).count == 1)
  }

  @Test func aReportingDeviceIsPresent() async throws {
    let (backend, manager) = bench()
    let named = manager.updates(UpdateOptions(device: "/dev/b"))
    var states = manager.connectionStates.makeAsyncIterator()
    await backend.waitUntilRunning()
    try backend.emit(Self.connected(Self.a))
    try backend.emit(.location(fix(1, device: "/dev/b")))
    #expect(await states.next()?.phase == .idle)
    #expect(await states.next()?.problem?.code == .deviceUnknown)
    #expect(await states.next()?.problem == nil)
    withExtendedLifetime(named) {}
  }

  @Test func aMissingDeviceHasTheBackendsProblemAsCause() async throws {
    let (backend, manager) = bench()
    let named = manager.updates(UpdateOptions(device: "/dev/b"))
    let complaint = LocationError(.backendUnavailable, "gpsd complains.")
    await backend.waitUntilRunning()
    try backend.emit(Self.connected(Self.a, problem: complaint))
    let problem = try await manager.connectionStates.first(1).first?.problem
    #expect(problem?.code == .deviceUnknown)
    #expect(problem?.cause as? LocationError == complaint)
    // Another subscriber's missing device is not the reason for a call's timeout.
    let error = await #expect(throws: LocationError.self) {
      try await manager.currentLocation(timeout: .zero)
    }
    #expect(error?.cause as? LocationError == complaint)
    withExtendedLifetime(named) {}
  }

  @Test(arguments: ["", "/dev/a\0", "\0"])
  func anInvalidDeviceNameIsRefusedAtOnce(_ device: String) async throws {
    let (backend, manager) = bench()
    for error in [
      await manager.updates(UpdateOptions(device: device)).all().error,
      await manager.headings(HeadingOptions(device: device)).all().error,
    ] {
      #expect((error as? LocationError)?.code == .invalidValue)
    }
    #expect(backend.runCount == 0)
  }

  @Test func aReplayListsTheReceiversOfItsTrack() async throws {
    let backend = try ReplayBackend(
      [
        TimedEvent(offset: .zero, event: .location(fix(1, device: "/dev/a"))),
        TimedEvent(offset: .seconds(60), event: .location(fix(2, device: "/dev/a"))),
      ], clock: ManualClock())
    let manager = LocationManager(backend: backend)
    let (missing, present) = (
      manager.updates(UpdateOptions(device: "/dev/b")),
      manager.updates(UpdateOptions(device: "/dev/a"))
    )
    #expect(try await present.first(1).count == 1)
    let state = try await manager.connectionStates.first(1).first
    #expect(state?.problem?.code == .deviceUnknown)
    #expect(state?.receivers.map(\.name) == ["/dev/a"])
    withExtendedLifetime(missing) {}
  }
}
