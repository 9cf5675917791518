import AsyncLocation
import FaultInjection
import Foundation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import GPSDBackend

/// Rows 13 to 15, 21, 22, 24 and 45 of Documentation/Faults.md: volume, duration and combined
/// faults.
@Suite(.serialized, .inTurn) struct LoadFaultTests {
  @Test("F13 F14: a line over the limit, or without an end, uses at most a mebibyte", .exitTest)
  func floods() async {
    await #expect(processExitsWith: .success) {
      let flood = FaultRun.isFull ? 1 << 30 : 1 << 25
      let long = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000) + [10]
      let server = FakeGPSD(
        [.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .flood(1 << 20), .reset],
        [
          .send(FakeGPSD.greeting), .sendBytes(long), .send(FakeGPSD.fix(2)), .flood(flood),
          .hold,
        ], [.send(FakeGPSD.greeting + FakeGPSD.fix(3)), .hold])
      var configuration = GPSDConfiguration.local(server.port)
      configuration.silenceTimeout = .milliseconds(100)
      // On a busy machine the banner of the second connection may be late.
      configuration.handshakeTimeout = FaultRun.isFull ? .milliseconds(100) : .seconds(2)
      let backend = GPSDBackend(configuration)
      let run = BackendRun(backend)
      #expect(await run.nextLocation() != nil)
      #expect(await run.nextState(.connected) != nil)  // All code paths have been used.
      FaultRun.forgetPeak()
      let before = FaultRun.peakMemory()
      #expect(await run.nextLocation() != nil)
      #expect(await run.nextState(.waiting)?.problem?.code == .connectionLost)
      let growth = FaultRun.peakMemory() - before
      FaultRun.record("F13 F14 \(growth) bytes more, \(backend.statistics.bytes) received")
      if FaultRun.isFull { #expect(growth <= 1 << 20) }
      #expect(await run.nextLocation() != nil)
      #expect(backend.statistics.overlongLines >= 2)
      await run.finish()
    }
  }

  @Test(
    "F15: half a line followed by silence is ended by the watchdog, without busy waiting", .exitTest
  )
  func halfALine() async {
    await #expect(processExitsWith: .success) {
      let server = FakeGPSD([
        .send(FakeGPSD.greeting + FakeGPSD.fix(1) + #"{"class":"TPV","mo"#), .hold,
      ])
      var configuration = GPSDConfiguration.local(server.port)
      configuration.silenceTimeout = .seconds(1)
      configuration.handshakeTimeout = .milliseconds(500)
      let run = BackendRun(GPSDBackend(configuration))
      #expect(await run.nextLocation() != nil)
      let clock = FaultRun.clock
      let (begun, cpuTimeBefore) = (clock.now, FaultRun.cpuTime())
      #expect(await run.nextState(.waiting)?.problem?.code == .connectionLost)
      FaultRun.expectIdle(
        clock.now - begun, cpuTime: FaultRun.cpuTime() - cpuTimeBefore, "F15 half a line")
      await run.finish()
    }
  }

  @Test("F21: the queue of a subscriber that never reads is bounded, and its drops are counted")
  func neverReads() async throws {
    let count = 20_000
    let lines = (0..<count).map { FakeGPSD.fix($0 / 500, latitude: 1 + Double($0) * 1e-4) }
    let server = FakeGPSD([
      .send(FakeGPSD.greeting + lines.joined() + FakeGPSD.fix(59, latitude: 89)), .hold,
    ])
    // Five hundred reports share one second.
    var configuration = GPSDConfiguration.local(server.port)
    configuration.epochs = .everyReport
    let manager = LocationManager(backend: GPSDBackend(configuration))
    let unreadUpdates = manager.updates(UpdateOptions(buffering: .newest(16)))
    for try await location in manager.updates(UpdateOptions(buffering: .newest(1))) {
      if location.latitude == 89 { break }
    }
    var received = 0
    for try await location in unreadUpdates {
      received += 1
      if location.latitude == 89 { break }
    }
    #expect(received == 16)
    #expect(await manager.statistics.elementsDropped >= UInt64(count - 16))
    await manager.shutdown()
  }

  @Test("F22: ten thousand subscribers have one connection and 4 KiB each", .exitTest)
  func subscribers() async {
    await #expect(processExitsWith: .success) {
      let server = FakeGPSD([
        .send(FakeGPSD.greeting), .awaitLine, .send(FakeGPSD.fix(1)), .hold,
      ])
      let manager = LocationManager(backend: GPSDBackend(.local(server.port)))
      var first = manager.updates(UpdateOptions()).makeAsyncIterator()
      _ = try #require(try await first.next())
      let (count, clock) = (10_000, FaultRun.clock)
      var streams: [LocationUpdates] = []
      streams.reserveCapacity(count)
      func subscribe(_ count: Int) -> Duration {
        clock.measure { for _ in 0..<count { streams.append(manager.updates(UpdateOptions())) } }
      }
      let before = fault_allocated()
      let firstDuration = subscribe(count / 10)
      _ = subscribe(count * 8 / 10)
      let lastDuration = subscribe(count / 10)
      let bytesPerSubscriber = Int(fault_allocated() - before) / count
      FaultRun.record(
        "F22 \(bytesPerSubscriber) bytes a subscriber; joining \(firstDuration) and then "
          + "\(lastDuration)")
      #expect(bytesPerSubscriber <= 4096)
      if FaultRun.isFull { #expect(lastDuration <= firstDuration * 10) }
      #expect(await manager.statistics.subscribers == count + 1)
      let unsubscribing = clock.measure { streams.removeAll() }
      FaultRun.record("F22 leaving \(unsubscribing)")
      #expect(await manager.statistics.subscribers == 1)
      #expect(server.accepted == 1)
      await manager.shutdown()
    }
  }

  @Test("F24: dropping the last reference while streaming closes the connection")
  func dropped() async throws {
    for _ in 0..<FaultRun.repetitions(full: 20) {
      let server = WatchServer()
      var manager: LocationManager? = LocationManager(backend: GPSDBackend(.local(server.port)))
      weak let weakManager = manager
      var updates = manager?.updates(UpdateOptions()).makeAsyncIterator()
      while server.watchers == 0 { await Task.yield() }
      server.sendFix()
      #expect(try await updates?.next() != nil)
      manager = nil
      #expect(weakManager == nil)
      server.sendFix()
      #expect(try await updates?.next() != nil)
      updates = nil
      while server.watchers > 0 { await Task.yield() }
    }
  }

  @Test("F45: a good gpsd works after a hostile one that combines the faults", .exitTest)
  func hostile() async {
    await #expect(processExitsWith: .success) {
      var generator = SplitMix64(seed: FaultRun.seed)
      let connectionCount = FaultRun.repetitions(full: 200)
      let scripts = (0..<connectionCount).map { _ in HostileScript.make(&generator) }
      let server = FakeGPSD(scripts: scripts + [[.send(FakeGPSD.greeting + FakeGPSD.end), .hold]])
      var configuration = GPSDConfiguration.local(server.port)
      configuration.silenceTimeout = .milliseconds(30)
      configuration.handshakeTimeout = .milliseconds(30)
      configuration.reconnection = .exponential(
        initial: .milliseconds(10), maximum: .milliseconds(10))
      configuration.maximumLineLength = 4096
      let backend = GPSDBackend(configuration)
      let manager = LocationManager(backend: backend)
      let headings = manager.headings(HeadingOptions())
      let descriptors = FaultRun.openDescriptorCount()
      var (locationCount, restarts) = (0, 0)
      served: while true {
        do {
          for try await location in manager.updates(UpdateOptions()) {
            #expect(abs(location.latitude) <= 90)
            #expect(abs(location.longitude) <= 180)
            #expect(location.horizontalAccuracy?.isFinite ?? true)
            #expect(location.timestamp.timeIntervalSince1970.isFinite)
            locationCount += 1
            if location.sourceInformation?.device == "/dev/good" { break served }
          }
        } catch let error as LocationError where error.code == .notGPSD {
          restarts += 1  // The run has ended; the next one uses the next connection.
        }
      }
      let statistics = backend.statistics
      FaultRun.record(
        "F45 seed \(FaultRun.seed): \(statistics.attempts) connections, \(restarts) "
          + "taken for another server, \(statistics.lines) lines of which "
          + "\(statistics.droppedLines) dropped, \(locationCount) locations")
      #expect(server.accepted >= connectionCount)
      await manager.shutdown()
      _ = headings
      // The event loop opens its two descriptors after the first count.
      #expect(FaultRun.openDescriptorCount() <= descriptors + 4)
    }
  }
}
