import AsyncLocation
import FaultInjection
import Foundation
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Rows 1 to 5, 12 and 48 of Documentation/Faults.md: the connection and name resolution.
@Suite(.serialized, .inTurn) struct HealingFaultTests {
  @Test("F1: a late gpsd is found within the delay plus a second, without busy waiting", .exitTest)
  func late() async {
    await #expect(processExitsWith: .success) {
      let port = freePort()
      var configuration = GPSDConfiguration.local(port)
      configuration.reconnection = .exponential(
        initial: .milliseconds(300), maximum: .seconds(30))
      let clock = FaultRun.clock
      let run = BackendRun(GPSDBackend(configuration))
      var delay = try #require(await run.nextState(.waiting)?.retryDelay)
      let (begun, cpuTimeBefore) = (clock.now, FaultRun.cpuTime())
      for _ in 0..<2 { delay = try #require(await run.nextState(.waiting)?.retryDelay) }
      FaultRun.expectIdle(
        clock.now - begun, cpuTime: FaultRun.cpuTime() - cpuTimeBefore, "F1 waiting")
      #expect(delay > .zero)
      #expect(delay <= .seconds(30))
      let started = clock.now
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .hold], port: port)
      #expect(await run.nextLocation() != nil)
      FaultRun.expect(clock.now - started, atMost: delay + .seconds(1), "F1 first fix")
      #expect(server.accepted == 1)
    }
  }

  @Test("F1: a name is looked up again when its address changes", .exitTest)
  func movedHost() async {
    await #expect(processExitsWith: .success) {
      fault_set_name(0)
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .hold])
      var configuration = GPSDConfiguration.local(server.port)
      configuration.host = "boat.example"
      let run = BackendRun(GPSDBackend(configuration))
      #expect(await run.nextState(.waiting)?.problem?.message.contains("not found") == true)
      fault_set_name(2)  // Nothing listens at this address.
      while await run.nextState(.waiting)?.problem?.message.contains("Nothing listens") == false {}
      fault_set_name(1)
      #expect(await run.nextLocation() != nil)
      #expect(server.accepted == 1)
      await run.finish()
    }
  }

  @Test("F2: a repeatedly killed gpsd is found each time, and no fix is repeated", .needsGPSD)
  func restarts() async throws {
    let gpsd = try RealGPSD()
    let manager = LocationManager(backend: GPSDBackend(.local(gpsd.port)))
    var locations = manager.updates(UpdateOptions()).makeAsyncIterator()
    var states = manager.connectionStates.makeAsyncIterator()
    var (last, recovered) = (Double.zero, 0)
    let count = FaultRun.repetitions(full: 100)
    for round in 0..<count {
      while let state = await states.next(),
        state.phase != .connected || !state.receivers.contains(where: \.isActive)
      {}
      gpsd.feed.start(40)
      var fixes = 0
      while fixes < 3, let location = try await locations.next() {
        guard location.sourceInformation?.timeSource == .receiver else { continue }
        let time = location.timestamp.timeIntervalSinceReferenceDate
        #expect(time > last || fixes > 0 && time == last, "round \(round)")
        last = time
        fixes += 1
      }
      if fixes == 3 { recovered += 1 }
      gpsd.feed.pause()
      await gpsd.stop(SIGKILL)
      while let state = await states.next(), state.phase != .waiting {}
      try gpsd.start()
    }
    FaultRun.record("F2 \(recovered) of \(count) restarts survived")
    #expect(recovered == count)
    await manager.shutdown()
  }

  @Test("F3: a vanished peer is detected in time, every time")
  func halfOpen() async throws {
    let clock = FaultRun.clock
    var configuration = GPSDConfiguration.local(1)
    configuration.silenceTimeout = .milliseconds(50)
    // On a busy machine the banner may be late.
    configuration.handshakeTimeout = FaultRun.isFull ? .milliseconds(50) : .seconds(2)
    // The server does not detect the end of its connection, so each connection needs a new server.
    for _ in 0..<FaultRun.repetitions(full: 20) {
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .vanish, .hold])
      configuration.port = server.port
      let run = BackendRun(GPSDBackend(configuration))
      #expect(await run.nextLocation() != nil)
      let lastReport = clock.now
      #expect(await run.nextState(.waiting)?.problem?.code == .connectionLost)
      FaultRun.expect(
        clock.now - lastReport, atMost: .milliseconds(100) + .seconds(1), "F3 half-open noticed")
      await run.finish()
    }
  }

  @Test("F3: a stopped gpsd is detected in time, every time", .needsGPSD)
  func stopped() async throws {
    let gpsd = try RealGPSD()
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.silenceTimeout = .milliseconds(50)
    configuration.handshakeTimeout = .milliseconds(200)
    let clock = FaultRun.clock
    let run = BackendRun(GPSDBackend(configuration))
    for _ in 0..<FaultRun.repetitions(full: 20) {
      let location = await run.first { event -> Location? in
        switch event {
        // On a busy machine the connection may fail again before gpsd has sent the feed's epochs.
        case .connection(let state)
        where state.phase == .connected && state.receivers.contains(where: \.isActive):
          gpsd.feed.start(20)
          return nil
        case .location(let location): return location
        default: return nil
        }
      }
      #expect(location != nil)
      gpsd.feed.pause()
      gpsd.send(SIGSTOP)
      let stopped = clock.now
      #expect(await run.nextState(.waiting)?.problem?.isTransient == true)
      FaultRun.expect(
        clock.now - stopped, atMost: .milliseconds(250) + .seconds(1), "F3 SIGSTOP noticed")
      gpsd.send(SIGCONT)
    }
    await run.finish()
  }

  @Test("F4: a hanging connection fails at the deadline and is cancelled at once")
  func hangs() async throws {
    let listener = try FullListener()
    var configuration = GPSDConfiguration.local(listener.port)
    configuration.connectTimeout = .milliseconds(300)
    let clock = FaultRun.clock
    let run = BackendRun(GPSDBackend(configuration))
    #expect(await run.nextState(.connecting) != nil)
    let begun = clock.now
    #expect(await run.nextState(.waiting)?.problem?.code == .timedOut)
    FaultRun.expect(clock.now - begun, atMost: .milliseconds(400), "F4 deadline")
    configuration.connectTimeout = .seconds(1000)
    let secondRun = BackendRun(GPSDBackend(configuration))
    #expect(await secondRun.nextState(.connecting) != nil)
    let cancelled = clock.now
    await secondRun.finish()
    FaultRun.expect(clock.now - cancelled, atMost: .milliseconds(50), "F4 cancellation")
    await run.finish()
    withExtendedLifetime(listener) {}
  }

  @Test("F48: twenty hanging look-ups do not delay other names", .exitTest)
  func stalledNames() async {
    await #expect(processExitsWith: .success) {
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .hold])
      fault_set_name(1)
      fault_stall_names(1)
      var configuration = GPSDConfiguration.local(server.port)
      func run(_ host: String, deadline: Duration = .seconds(600)) -> BackendRun {
        (configuration.host, configuration.connectTimeout) = (host, deadline)
        return BackendRun(GPSDBackend(configuration))
      }
      // Creates the event loop and the resources of the first connection.
      let firstRun = run("127.0.0.1")
      #expect(await firstRun.nextLocation() != nil)
      await firstRun.finish()
      FaultRun.forgetPeak()
      let (memory, clock) = (FaultRun.peakMemory(), FaultRun.clock)
      let stalled = (0..<20).map { run("stall\($0).example") }
      for run in stalled { #expect(await run.nextState(.connecting) != nil) }
      for host in ["localhost", "boat.example", "localhost"] {
        let begun = clock.now
        let other = run(host, deadline: FaultRun.isFull ? .seconds(5) : .seconds(60))
        let connected = await other.first { event -> Bool? in
          switch event {
          case .location: true
          case .connection(let state) where state.phase == .waiting: false
          default: nil
          }
        }
        #expect(connected == true, "\(host) is held up")
        FaultRun.expect(clock.now - begun, atMost: .milliseconds(100), "F48 \(host)")
        await other.finish()
      }
      let threads = FaultRun.threadCount(named: "location-names")
      let growth = FaultRun.peakMemory() - memory
      FaultRun.record("F48 \(threads) threads, \(growth) bytes more")
      #expect(threads >= 20)
      #expect(threads <= 32)
      if FaultRun.isFull { #expect(growth <= 8 << 20) }
      for run in stalled { await run.finish() }
      fault_stall_names(0)
      while FaultRun.threadCount(named: "location-names") > 0 { await Task.yield() }
    }
  }

  @Test(
    "F48: without free threads a name fails at its deadline with the reason, and recovers",
    .exitTest)
  func allNamesStalled() async {
    await #expect(processExitsWith: .success) {
      let server = FakeGPSD([.send(FakeGPSD.greeting + FakeGPSD.fix(1)), .hold])
      fault_set_name(1)
      fault_stall_names(1)
      var configuration = GPSDConfiguration.local(server.port)
      let stalled = (0..<40).map { index in
        configuration.host = "stall\(index).example"
        return BackendRun(GPSDBackend(configuration))
      }
      for run in stalled { #expect(await run.nextState(.connecting) != nil) }
      (configuration.host, configuration.connectTimeout) = ("boat.example", .milliseconds(300))
      let clock = FaultRun.clock
      let other = BackendRun(GPSDBackend(configuration))
      #expect(await other.nextState(.connecting) != nil)
      let begun = clock.now
      let problem = try #require(await other.nextState(.waiting)?.problem)
      FaultRun.expect(clock.now - begun, atMost: .milliseconds(400), "F48 deadline")
      #expect(problem.code == .timedOut)
      #expect(problem.isTransient)
      #expect(problem.message.contains("look"), "\(problem.message)")
      #expect(FaultRun.threadCount(named: "location-names") <= 32)
      for run in stalled { await run.finish() }
      fault_stall_names(0)
      #expect(await other.nextLocation() != nil)
      await other.finish()
    }
  }

  @Test("F5: the 65th client of a real gpsd gets the reason and is served later", .needsGPSD)
  func full() async throws {
    let gpsd = try RealGPSD()
    let probe = BackendRun(GPSDBackend(.local(gpsd.port)))
    #expect(await probe.nextState(.connected) != nil)
    await probe.finish()
    let address = try #require(
      SocketAddress.known(host: "127.0.0.1", port: gpsd.port)?.first)
    let others = await onThread { Self.clients(64, of: address) }
    // Each client is served; gpsd may be slow with the last one.
    let served = await onThread { others.prefix(63).count(where: Self.isServed) }
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.handshakeTimeout = .milliseconds(200)
    let run = BackendRun(GPSDBackend(configuration))
    let problem = try #require(await run.nextState(.waiting)?.problem)
    #expect(problem.isTransient)
    #expect([.timedOut, .connectionLost].contains(problem.code), "\(problem)")
    for descriptor in others { close(descriptor) }
    #expect(served == 63)
    #expect(await run.nextState(.connected) != nil)
    await run.finish()
  }

  /// Opens connections and returns their descriptors.
  private static func clients(_ count: Int, of address: SocketAddress) -> [Int32] {
    (0..<count).map { _ in
      let descriptor = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      _ = address.withSocketAddress { connect(descriptor, $0, $1) }
      return descriptor
    }
  }

  /// Waits until a server sends a byte; false if it ends the connection.
  private static func isServed(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, 0) == 1
  }

  @Test("F12: an HTTP server is detected within a second and not retried")
  func stranger() async {
    let server = FakeGPSD([.awaitLine, .send("HTTP/1.1 400 Bad Request\r\n\r\n"), .hold])
    let clock = FaultRun.clock
    let begun = clock.now
    let result = await BackendRun(GPSDBackend(.local(server.port))).result()
    FaultRun.expect(clock.now - begun, atMost: .seconds(1), "F12 unmasked")
    #expect { try result.get() } throws: { ($0 as? LocationError)?.code == .notGPSD }
    #expect(server.accepted == 1)
  }
}
