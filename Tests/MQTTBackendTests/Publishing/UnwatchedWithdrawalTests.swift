import AsyncLocation
import FoundationEssentials
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// Permission that goes while no publisher runs, or after the manager was shut down.
@Suite(.inTurn) struct UnwatchedWithdrawalTests {
  private static let withdrawals = [
    AuthorizationDecision(.denied), AuthorizationDecision(.always, accuracy: .reduced),
  ]

  private let backend = MockBackend()
  private let storage = MemoryPublicationStorage()
  private let manager: LocationManager

  init() { manager = LocationManager(backend: backend, clock: ManualClock()) }

  private func publisher(_ channel: WorkingChannel) throws -> LocationPublisher {
    LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"), over: channel,
      storage: storage, options: PublisherOptions(), clock: ManualClock())
  }

  private func withdrawAndGrant(_ withdrawal: AuthorizationDecision) async {
    backend.setAuthorization(withdrawal)
    await reaches { $0.status == .denied || $0.accuracy == .reduced }
    backend.setAuthorization(AuthorizationDecision(.always))
    await reaches { $0.isAuthorized && $0.accuracy == .full }
  }

  private func reaches(_ isReached: (Authorization) -> Bool) async {
    for await authorization in manager.authorizationUpdates where isReached(authorization) {
      return
    }
  }

  /// Runs a publisher until it has stored a location, and cancels it.
  private func store(_ seconds: Int) async throws {
    let publisher = try publisher(WorkingChannel(isOpen: false))
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(seconds))])
    while publisher.statistics.stored == 0 { await Task.yield() }
    run.cancel()
    _ = await run.result
    await backend.waitUntilIdle()
  }

  @Test(arguments: withdrawals)
  func whatWaitedBeforeIsDeleted(_ withdrawal: AuthorizationDecision) async throws {
    try await store(7)
    await withdrawAndGrant(withdrawal)
    let channel = WorkingChannel()
    let second = try publisher(channel)
    let run = Task { try await second.run() }
    while second.statistics.deleted < 1 { await Task.yield() }
    try backend.emit([.location(try PublisherBench.location(8))])
    while !channel.received.withLock({ $0.contains { !$0.payload.isEmpty } }) { await Task.yield() }
    run.cancel()
    _ = await run.result
    #expect(channel.seconds == [8])
  }

  /// A withdrawal that an earlier run has obeyed deletes nothing of what was stored after it.
  @Test func whatWaitedAfterIsSent() async throws {
    try await store(7)
    await withdrawAndGrant(.denied)
    try await store(8)
    let channel = WorkingChannel()
    let third = try publisher(channel)
    let run = Task { try await third.run() }
    while channel.seconds.isEmpty { await Task.yield() }
    run.cancel()
    _ = await run.result
    #expect(channel.seconds == [8])
    #expect(third.statistics.deleted == 0)
  }

  @Test(arguments: withdrawals)
  func afterShutdown(_ withdrawal: AuthorizationDecision) async throws {
    let channel = WorkingChannel(isOpen: false)
    let publisher = try publisher(channel)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(7))])
    while publisher.statistics.stored == 0 { await Task.yield() }
    await manager.shutdown()
    backend.setAuthorization(withdrawal)
    while publisher.statistics.deleted < 1 { await Task.yield() }
    channel.open()
    _ = await run.result
    #expect(channel.seconds.isEmpty)
  }

  @Test func afterShutdownWhatIsPermittedIsSent() async throws {
    let channel = WorkingChannel(isOpen: false)
    let publisher = try publisher(channel)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit([.location(try PublisherBench.location(7))])
    while publisher.statistics.stored == 0 { await Task.yield() }
    await manager.shutdown()
    channel.open()
    try await run.value
    #expect(channel.seconds == [7])
  }
}
