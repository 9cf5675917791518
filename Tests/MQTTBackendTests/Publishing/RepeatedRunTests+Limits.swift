import AsyncLocation
import MockBackend
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

// Publications while a run opens its storage, and while it ends.

extension RepeatedRunTests {
  /// Permission was withdrawn and granted again before the run. The run detects the withdrawal when
  /// it has opened its storage.
  @Test func aMessageWaitsForTheStorage() async throws {
    let gate = MockGate()
    let channel = WorkingChannel()
    let storage = HookedStorage(beforeOpening: { await gate.wait() })
    let publisher = try publisher(channel, storage)
    await grant()
    await withdraw()
    await grant()
    let run = Task.immediate { try await publisher.run() }
    let card = OwnTracksMessage.card(CardMessage(name: "Jane"))
    let message = Task.immediate { try await publisher.publish(card) }
    let entry = Task.immediate { try await publisher.publish(Self.event(.unsatisfied, .satisfied)) }
    gate.open()
    try await message.value
    #expect(try await entry.value)
    await cancel(run)
  }

  /// Permission is withdrawn and granted while messages wait for the storage.
  @Test("F58 a message that waits for the storage does not outlive its permission")
  func aWithdrawalWhileAMessageWaits() async throws {
    let gate = MockGate()
    let channel = WorkingChannel()
    let publisher = try publisher(channel, HookedStorage(beforeOpening: { await gate.wait() }))
    await grant()
    let run = Task.immediate { try await publisher.run() }
    let location = Task.immediate {
      try await publisher.publish(.location(LocationMessage(try PublisherBench.location(7))))
    }
    await withdraw()
    await grant()
    gate.open()
    let error = await #expect(throws: LocationError.self) { try await location.value }
    #expect(error?.code == .denied)
    await cancel(run)
    #expect(channel.received.withLock { $0.filter { !$0.isRemoval } } == [])
  }

  /// The exit waits until a run has opened its storage. This run deletes the entry.
  @Test("F58 an exit that waits for the storage is not published without its entry")
  func anExitThatWaits() async throws {
    let (gate, isGated) = (MockGate(), Locked(false))
    let channel = WorkingChannel(isOpen: false)
    let publisher = try publisher(
      channel,
      HookedStorage(beforeOpening: { () throws(LocationError) in
        if isGated.withLock(\.self) { await gate.wait() }
      }))
    let run = try await start(publisher, storing: 0)
    #expect(try await publisher.publish(Self.event(.unsatisfied, .satisfied)))
    await cancel(run)
    await withdraw()
    await grant()
    isGated.withLock { $0 = true }
    let next = Task.immediate { try await publisher.run() }
    let exit = Task.immediate {
      try await publisher.publish(Self.event(.unmonitored, .unsatisfied))
    }
    gate.open()
    #expect(try await !exit.value)
    await cancel(next)
    // Only the removal of the last location may be left.
    #expect(publisher.statistics.backlog.count <= 1)
  }

  @Test func aMessageOfARunThatCannotOpenIsRefused() async throws {
    let gate = MockGate()
    let storage = HookedStorage(beforeOpening: { () throws(LocationError) in
      await gate.wait()
      throw LocationError(.storageUnavailable, "Full.")
    })
    let publisher = try publisher(WorkingChannel(), storage)
    let run = Task.immediate { try await publisher.run() }
    let message = Task.immediate {
      try await publisher.publish(.card(CardMessage(name: "Jane")))
    }
    gate.open()
    await #expect(throws: LocationError.self) { try await run.value }
    let error = await #expect(throws: LocationError.self) { try await message.value }
    #expect(error?.code == .shutDown)
  }

  /// The caller's actor is busy, and resumes after the run has ended.
  @Test func anEntryThatIsStoredAtTheEndIsRemembered() async throws {
    let (gate, isAppending) = (MockGate(), Locked(false))
    let storage = HookedStorage(beforeAppend: { () throws(LocationError) in
      isAppending.withLock { $0 = true }
      await gate.wait()
    })
    let publisher = try publisher(WorkingChannel(), storage)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    let caller = BusyCaller()
    let entry = Task {
      try await caller.publish(Self.event(.unsatisfied, .satisfied), with: publisher)
    }
    while !isAppending.withLock(\.self) {
      await caller.executor.step()
      await Task.yield()
    }
    gate.open()
    while publisher.statistics.published < 1 { await Task.yield() }
    await cancel(run)
    let next = try await start(publisher, storing: 1)
    #expect(try await publisher.publish(Self.event(.unmonitored, .unsatisfied)))
    caller.executor.finish()
    _ = await entry.result
    await cancel(next)
  }

  /// The acknowledgement arrives when the run is cancelled and the connection is not yet closed.
  @Test func whatIsAcknowledgedAtTheEndIsNotSentAgain() async throws {
    let (closing, acknowledged) = (MockGate(), MockGate())
    var channel = WorkingChannel()
    channel.beforeAcknowledging = { await closing.wait() }
    channel.beforeClosing = {
      closing.open()
      await acknowledged.wait()
    }
    let publisher = try publisher(channel)
    let run = try await start(publisher, storing: 0)
    while channel.seconds != [0] { await Task.yield() }
    run.cancel()
    while publisher.statistics.published < 1 { await Task.yield() }
    acknowledged.open()
    _ = await run.result
    await backend.waitUntilIdle()
    let next = try await start(publisher, storing: 1)
    while publisher.statistics.published < 2 { await Task.yield() }
    await cancel(next)
    #expect(channel.seconds == [0, 1])
    #expect(publisher.statistics.published == 2)
  }
}
