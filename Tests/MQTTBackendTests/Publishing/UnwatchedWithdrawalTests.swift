import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// Permission is withdrawn between two runs of a publisher, or after the manager was shut down.
@Suite(.inTurn) struct UnwatchedWithdrawalTests {
  private static let withdrawals = [
    AuthorizationDecision(.denied), AuthorizationDecision(.always, accuracy: .reduced),
  ]

  private let backend = MockBackend()
  private let storage = MemoryPublicationStorage()
  private let manager: LocationManager

  init() { manager = LocationManager(backend: backend, clock: ManualClock()) }

  private func publisher(
    _ channel: WorkingChannel, storage: (any PublicationStorage)? = nil
  ) throws -> LocationPublisher {
    LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
      storage: storage ?? self.storage, options: PublisherOptions(), clock: ManualClock())
  }

  private func withdrawAndGrant(_ withdrawal: AuthorizationDecision) async {
    backend.setAuthorization(withdrawal)
    await waitForAuthorization { $0.status == .denied || $0.accuracy == .reduced }
    backend.setAuthorization(AuthorizationDecision(.always))
    await waitForAuthorization { $0.isAuthorized && $0.accuracy == .full }
  }

  private func waitForAuthorization(where isExpected: (Authorization) -> Bool) async {
    for await authorization in manager.authorizationUpdates where isExpected(authorization) {
      return
    }
  }

  /// Starts a publisher and waits until it has stored a location. Returns the task of its run.
  private func start(
    _ publisher: LocationPublisher, storing seconds: Int
  ) async throws -> Task<Void, any Error> {
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(seconds))])
    while publisher.statistics.stored == 0 { await Task.yield() }
    return run
  }

  /// Runs a publisher until it has sent a location.
  private func send(
    _ seconds: Int, with publisher: LocationPublisher, over channel: WorkingChannel
  ) async throws {
    let run = try await start(publisher, storing: seconds)
    while !channel.seconds.contains(seconds) { await Task.yield() }
    run.cancel()
    _ = await run.result
  }

  /// Runs a publisher until it has stored a location, and cancels it.
  private func store(_ seconds: Int, in storage: (any PublicationStorage)? = nil) async throws {
    let publisher = try publisher(WorkingChannel(isOpen: false), storage: storage)
    let run = try await start(publisher, storing: seconds)
    run.cancel()
    _ = await run.result
    await backend.waitUntilIdle()
  }

  @Test(arguments: withdrawals)
  func publicationsBeforeTheWithdrawalAreDeleted(_ withdrawal: AuthorizationDecision) async throws {
    try await store(7)
    await withdrawAndGrant(withdrawal)
    let channel = WorkingChannel()
    let publisher = try publisher(channel)
    try await send(8, with: publisher, over: channel)
    #expect(channel.seconds == [8])
    #expect(publisher.statistics.deleted == 1)
  }

  /// A withdrawal that an earlier run has handled deletes no publication that was stored after it.
  @Test func publicationsAfterTheWithdrawalAreSent() async throws {
    try await store(7)
    await withdrawAndGrant(.denied)
    try await store(8)
    let channel = WorkingChannel()
    let publisher = try publisher(channel)
    let run = Task { try await publisher.run() }
    while channel.seconds.isEmpty { await Task.yield() }
    run.cancel()
    _ = await run.result
    #expect(channel.seconds == [8])
    #expect(publisher.statistics.deleted == 0)
  }

  /// A run with one storage does not handle withdrawals for another storage.
  @Test func withdrawalsAreHandledForEachStorage() async throws {
    try await store(7)
    await withdrawAndGrant(.denied)
    try await store(8, in: MemoryPublicationStorage())
    let channel = WorkingChannel()
    let publisher = try publisher(channel)
    try await send(9, with: publisher, over: channel)
    #expect(channel.seconds == [9])
  }

  /// A message that is published during the deletion waits for it.
  @Test func aMessageWaitsForTheDeletion() async throws {
    let (deletion, isDeleting) = (MockGate(), Locked(false))
    var storage = HookedStorage()
    storage.beforeRemoval = {
      isDeleting.withLock { $0 = true }
      await deletion.wait()
    }
    try await store(7, in: storage)
    await withdrawAndGrant(.denied)
    let channel = WorkingChannel()
    let publisher = try publisher(channel, storage: storage)
    let run = Task { try await publisher.run() }
    while !isDeleting.withLock(\.self) { await Task.yield() }
    let message = Task { try await publisher.publish(waypoints: [:]) }
    // A message that does not wait for the deletion would arrive during these yields.
    for _ in 0..<1_000 { await Task.yield() }
    #expect(channel.received.withLock(\.isEmpty))
    deletion.open()
    _ = try await message.value
    run.cancel()
    _ = await run.result
  }

  @Test(arguments: withdrawals)
  func publicationsAreDeletedAtAWithdrawalAfterShutdown(
    _ withdrawal: AuthorizationDecision
  ) async throws {
    let channel = WorkingChannel(isOpen: false)
    let publisher = try publisher(channel)
    let run = try await start(publisher, storing: 7)
    await manager.shutdown()
    backend.setAuthorization(withdrawal)
    while publisher.statistics.deleted < 1 { await Task.yield() }
    channel.open()
    _ = await run.result
    #expect(channel.seconds.isEmpty)
  }

  @Test func permittedPublicationsAreSentAfterShutdown() async throws {
    let channel = WorkingChannel(isOpen: false)
    let publisher = try publisher(channel)
    let run = try await start(publisher, storing: 7)
    await manager.shutdown()
    channel.open()
    try await run.value
    #expect(channel.seconds == [7])
  }
}
