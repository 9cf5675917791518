import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// Faults of connections over real sockets. The numbers are those of Documentation/Faults.md.
@Suite(.inTurn) struct ConnectionFaultTests {
  private static let greeting = FakeGPSD.banner + FakeGPSD.watching

  @Test("F1 a late gpsd is found")
  func late() async throws {
    let port = freePort()
    let run = BackendRun(GPSDBackend(.local(port)))
    let state = try #require(await run.nextState(.waiting))
    #expect(state.problem?.code == .backendUnavailable)
    #expect(state.attempts == 1)
    #expect((state.retryDelay ?? .zero) > .zero)
    let server = FakeGPSD([.send(Self.greeting + FakeGPSD.fix(1)), .hold], port: port)
    #expect(await run.nextLocation() != nil)
    #expect(server.accepted == 1)
    await run.finish()
  }

  @Test("F2 a repeatedly crashing gpsd is found each time")
  func restarts() async throws {
    func answer(_ index: Int) -> FakeGPSD.Step {
      .send(Self.greeting + FakeGPSD.fix(index, latitude: Double(index)))
    }
    let server = FakeGPSD(
      [answer(1)], [answer(2), .awaitLine, .reset], [answer(3)], [answer(4), .awaitLine, .reset],
      [answer(5), .hold])
    let run = BackendRun(GPSDBackend(.local(server.port)))
    for index in 1...5 {
      #expect(await run.nextLocation()?.latitude == Double(index))
      if index < 5 {
        #expect(await run.reachesWaiting(after: .connectionLost))
      }
    }
    #expect(server.accepted == 5)
    await run.finish()
  }

  @Test("F3 a silent connection is detected")
  func silence() async throws {
    let server = FakeGPSD([.send(Self.greeting), .hold])
    var configuration = GPSDConfiguration.local(server.port)
    configuration.silenceTimeout = .milliseconds(30)
    configuration.handshakeTimeout = .milliseconds(30)
    let run = BackendRun(GPSDBackend(configuration))
    #expect(await run.reachesWaiting(after: .connectionLost))
    // The server's thread may read the command later.
    while !server.received.contains("?VERSION;"), !Task.isCancelled { await Task.yield() }
    await run.finish()
  }

  @Test("F4 a hanging connection fails in time and can be cancelled")
  func hangs() async throws {
    let listener = try FullListener()
    var configuration = GPSDConfiguration.local(listener.port)
    configuration.connectTimeout = .milliseconds(50)
    let run = BackendRun(GPSDBackend(configuration))
    #expect(await run.reachesWaiting(after: .timedOut))
    await run.finish()
    configuration.connectTimeout = .seconds(1000)
    let secondRun = BackendRun(GPSDBackend(configuration))
    #expect(await secondRun.nextState(.connecting) != nil)
    await secondRun.finish()
    withExtendedLifetime(listener) {}
  }

  @Test("F5 a gpsd that is full sends no greeting")
  func full() async throws {
    let server = FakeGPSD([.hold])
    var configuration = GPSDConfiguration.local(server.port)
    configuration.handshakeTimeout = .milliseconds(30)
    let run = BackendRun(GPSDBackend(configuration))
    let problem = try #require(await run.nextState(.waiting)?.problem)
    #expect(problem.isTransient)
    #expect(problem.message.contains("64"))
    await run.finish()
  }

  @Test("F7 any number of receivers", arguments: [0, 1, 5, 64])
  func receivers(count: Int) async throws {
    let list = (0..<count).map { #"{"class":"DEVICE","path":"/dev/ttyUSB\#($0)"}"# }
    let server = FakeGPSD([
      .send(
        FakeGPSD.banner + #"{"class":"DEVICES","devices":[\#(list.joined(separator: ","))]}"#
          + "\r\n" + FakeGPSD.fix(1)), .hold,
    ])
    let run = BackendRun(GPSDBackend(.local(server.port)))
    var lastState: ConnectionState?
    for await event in run.events {
      if case .connection(let state) = event { lastState = state }
      if case .location = event { break }
    }
    #expect(lastState?.receivers.map(\.name) == (0..<count).map { "/dev/ttyUSB\($0)" })
    await run.finish()
  }

  @Test(
    "F12 another server on the port is detected and not retried",
    arguments: [
      "HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-x\r\n", "{\"class\":\"TPV\"}\n", "\u{0}\n",
    ])
  func stranger(_ answer: String) async throws {
    let server = FakeGPSD([.awaitLine, .send(answer), .hold])
    let run = BackendRun(GPSDBackend(.local(server.port)))
    let state = await run.nextState(.failed)
    #expect(state?.problem?.code == .notGPSD)
    let result = await run.result()
    #expect { try result.get() } throws: { error in
      guard let error = error as? LocationError else { return false }
      return error.code == .notGPSD && error.message.contains("127.0.0.1:\(server.port)")
        && !error.message.utf8.contains { $0 < 32 }
    }
    #expect(server.accepted == 1)
  }

  @Test("F13 a line over the limit is dropped and counted")
  func overlong() async throws {
    let long = String(repeating: "x", count: 300_000) + "\n"
    let server = FakeGPSD([.send(Self.greeting + long + FakeGPSD.fix(1) + "junk\n"), .hold])
    let backend = GPSDBackend(.local(server.port))
    let run = BackendRun(backend)
    #expect(await run.nextLocation() != nil)
    await run.finish()
    #expect(backend.statistics.overlongLines == 1)
  }

  @Test("F14 a line without end counts as silence")
  func endless() async throws {
    let server = FakeGPSD([
      .send(Self.greeting + String(repeating: "x", count: 2_000_000)), .hold,
    ])
    var configuration = GPSDConfiguration.local(server.port)
    configuration.silenceTimeout = .milliseconds(50)
    configuration.handshakeTimeout = .milliseconds(50)
    let run = BackendRun(GPSDBackend(configuration))
    #expect(await run.reachesWaiting(after: .connectionLost))
    await run.finish()
  }

  @Test("F16 one-byte segments give the same result")
  func segments() async throws {
    let text = Self.greeting + (1...5).map { FakeGPSD.fix($0) }.joined()
    var received: [[Location]] = []
    for step in [FakeGPSD.Step.send(text), .drip(text)] {
      let server = FakeGPSD([step, .hold])
      let run = BackendRun(GPSDBackend(.local(server.port)))
      var locations: [Location] = []
      while locations.count < 5, let next = await run.nextLocation() { locations.append(next) }
      received.append(locations)
      await run.finish()
    }
    #expect(received[0].count == 5)
    #expect(received[0] == received[1])
  }

  @Test("F31 descriptors over 1023 work")
  func manyDescriptors() async throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    try #require(limit.rlim_max >= 2048)
    if limit.rlim_cur < 2048 {
      limit.rlim_cur = 2048
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    var descriptors: [Int32] = []
    defer { for descriptor in descriptors { close(descriptor) } }
    while (descriptors.last ?? 0) <= 1100 {
      descriptors.append(open("/dev/null", O_RDONLY | O_CLOEXEC))
      try #require(descriptors.last != -1)
    }
    let server = FakeGPSD([.send(Self.greeting + FakeGPSD.fix(1)), .hold])
    let run = BackendRun(GPSDBackend(.local(server.port)))
    #expect(await run.nextLocation() != nil)
    await run.finish()
  }

  @Test("F32 writing to a closed connection does not end the process")
  func brokenPipe() async throws {
    let server = FakeGPSD([.send(Self.greeting), .awaitLine, .reset], [.hold])
    let run = BackendRun(GPSDBackend(.local(server.port)))
    #expect(await run.reachesWaiting(after: .connectionLost))
    await run.finish()
  }

  @Test("F34 descriptors are not inherited")
  func closeOnExec() async throws {
    let server = FakeGPSD([.send(Self.greeting + FakeGPSD.fix(1)), .hold])
    let run = BackendRun(GPSDBackend(.local(server.port)))
    #expect(await run.nextLocation() != nil)
    let clients = server.clients
    #expect(!clients.isEmpty)
    let descriptors = try Poller.makeDescriptors().get()
    defer {
      close(descriptors.poll)
      close(descriptors.wake)
    }
    for descriptor in clients + [descriptors.poll, descriptors.wake] {
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }
    await run.finish()
  }
}
