import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import NMEABackend

/// A backend over TCP and UDP.
@Suite(.inTurn) struct NMEABackendTests {
  @Test func aManagerDeliversLocationsHeadingsAndSatellites() async throws {
    let server = SentenceServer()
    let backend = NMEABackend(.local(.tcp(host: "127.0.0.1", port: server.port)))
    let manager = LocationManager(backend: backend)
    var locations = manager.updates.makeAsyncIterator()
    var headings = manager.headings.makeAsyncIterator()
    var views = manager.satellites.makeAsyncIterator()
    await server.waitForClients(1)
    server.send(cycle(1) + sentence("HCHDG,90.0,1.0,E,2.0,E") + cycle(2))
    #expect(try await locations.next()?.timestamp == date(2026, 5, 4, 12, 0, 1))
    let heading = try #require(try await headings.next())
    #expect(heading.magneticHeading == 91)
    #expect(heading.trueHeading == 93)
    #expect(try await views.next()?.satellites.map(\.prn) == [1, 2])
    #expect(try await locations.next()?.timestamp == date(2026, 5, 4, 12, 0, 2))
    await manager.shutdown()
  }

  @Test("the devices of each connection are reported")
  func devicesAfterAReconnection() async throws {
    let server = SentenceServer()
    let run = NMEARun(NMEABackend(.local(.tcp(host: "127.0.0.1", port: server.port))))
    for _ in 0..<3 {
      await server.waitForClients(1)
      server.send(cycle(1) + sentence("HEHDT,90.0,T") + cycle(2) + cycle(3))
      let state = await run.nextState { $0.phase == .connected && $0.devices?.count == 2 }
      #expect(state != nil)
      server.drop()
      #expect(await run.nextState(.waiting) != nil)
    }
    await run.finish()
  }

  @Test("F88 a server that is restarted is connected to again")
  func aServerThatIsRestartedIsConnectedToAgain() async throws {
    let server = SentenceServer()
    let backend = NMEABackend(.local(.tcp(host: "127.0.0.1", port: server.port)))
    let run = NMEARun(backend)
    for second in 1...3 {
      await server.waitForClients(1)
      server.send(cycle(second))
      #expect(await run.nextLocation()?.timestamp == date(2026, 5, 4, 12, 0, Double(second)))
      server.drop()
      #expect(await run.nextState(.waiting)?.problem?.code == .connectionLost)
    }
    server.stop()
    let refused = await run.nextState { $0.problem?.code == .backendUnavailable }
    #expect(refused?.problem?.message.contains("Nothing listens") == true)
    let next = SentenceServer(port: server.port)
    await next.waitForClients(1)
    next.send(cycle(9))
    #expect(await run.nextLocation()?.timestamp == date(2026, 5, 4, 12, 0, 9))
    #expect(backend.statistics.connections >= 4)
    #expect(backend.statistics.epochs == 4)
    await run.finish()
    #expect(backend.statistics.phase == .idle)
  }

  @Test("F88 a silent server is connected to again")
  func aSilentServerIsConnectedToAgain() async throws {
    let server = SentenceServer()
    let run = NMEARun(
      NMEABackend(
        .local(
          .tcp(host: "127.0.0.1", port: server.port), silenceTimeout: .milliseconds(50))))
    let state = await run.nextState(.waiting)
    #expect(state?.problem?.code == .connectionLost)
    #expect(state?.problem?.message.contains("sent nothing") == true)
    #expect(await run.nextState(.connecting) != nil)
    await run.finish()
  }

  @Test(arguments: [
    ("{\"class\":\"VERSION\",\"release\":\"3.22\"}\r\n", "Use GPSDBackend"),
    ("HTTP/1.1 400 Bad Request\r\n\r\n", "a web server"),
  ])
  func somethingElseIsNamed(_ greeting: String, _ words: String) async throws {
    let server = SentenceServer(greeting: greeting)
    let run = NMEARun(
      NMEABackend(
        .local(
          .tcp(host: "127.0.0.1", port: server.port), silenceTimeout: .milliseconds(50))))
    let state = await run.nextState { $0.problem != nil }
    #expect(state?.problem?.code == .unsupported)
    #expect(state?.problem?.message.contains(words) == true, "\(state as Any)")
    await run.finish()
  }

  /// Sends datagrams to a port of this host.
  ///
  /// - Parameter host: The last byte of the address 127.0.0.x, or 255 for the broadcast address of
  ///   the loopback network.
  private static func sendDatagrams(_ texts: [String], to port: Int, host: UInt32 = 1) {
    let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &isOn, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    let number = host == 255 ? 0x7FFF_FFFF : 0x7F00_0000 | host
    address.sin_addr.s_addr = in_addr_t(number).bigEndian
    for text in texts {
      let bytes = Array(text.utf8)
      _ = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
  }

  @Test(arguments: [nil, "127.0.0.1"])
  func readsDatagrams(_ address: String?) async throws {
    let port = freePort()
    let backend = NMEABackend(.local(.udp(port: port, address: address)))
    let run = NMEARun(backend)
    #expect(await run.nextState(.connecting) != nil)
    while backend.statistics.connections == 0 { await Task.yield() }
    // Several sentences, an empty datagram, and one sentence without a line end.
    Self.sendDatagrams(
      [cycle(1), "", String(sentence(gga("120002")).dropLast()), cycle(3)], to: port)
    #expect(await run.nextState(.connected)?.endpoint == backend.configuration.source.description)
    for second in 1...3 {
      #expect(await run.nextLocation()?.timestamp == date(2026, 5, 4, 12, 0, Double(second)))
    }
    await run.finish()
  }

  @Test func aLineWithoutPositionsIsReportedUntilOneArrives() async throws {
    let port = freePort()
    let backend = NMEABackend(.local(.udp(port: port), silenceTimeout: .milliseconds(50)))
    let run = NMEARun(backend)
    while backend.statistics.connections == 0 { await Task.yield() }
    let other = sentences("SDDBT,7.8,f,2.4,M,1.3,F", "WIMWV,214.8,R,10.8,N,A")
    Self.sendDatagrams([other], to: port)
    // The silence after the first sentences shows that the time is over. There may be one before.
    #expect(await run.nextState { $0.phase == .connected && $0.problem == nil } != nil)
    #expect(await run.nextState { $0.problem?.message.contains("nothing") == true } != nil)
    Self.sendDatagrams([other], to: port)
    let state = await run.nextState { $0.problem?.message.contains("no positions") == true }
    #expect(state?.phase == .connected)
    #expect(
      state?.problem?.message
        == "udp://:\(port) sends NMEA 0183, but no positions: DBT, MWV. Connect it to the receiver's "
        + "output, or let the multiplexer pass GGA or RMC.")
    let loss = await run.first { event in
      if case .unavailable(let error) = event { error } else { nil }
    }
    #expect(loss == state?.problem)
    Self.sendDatagrams([other + cycle(1)], to: port)
    let healed = await run.nextState { $0.problem == nil }
    #expect(healed?.phase == .connected)
    #expect(await run.nextLocation() != nil)
    await run.finish()
  }

  @Test func readsBroadcastDatagrams() async throws {
    let port = freePort()
    let backend = NMEABackend(.local(.udp(port: port)))
    let run = NMEARun(backend)
    while backend.statistics.connections == 0 { await Task.yield() }
    Self.sendDatagrams([cycle(1)], to: port, host: 255)
    #expect(await run.nextLocation() != nil)
    await run.finish()
  }

  @Test func aPortThatIsInUseIsNamed() async throws {
    let port = freePort()
    let first = NMEABackend(.local(.udp(port: port)))
    let run = NMEARun(first)
    while first.statistics.connections == 0 { await Task.yield() }
    let second = NMEARun(NMEABackend(.local(.udp(port: port))))
    let state = await second.nextState { $0.problem != nil }
    #expect(state?.problem?.message.contains("Another program receives") == true)
    await run.finish()
    while first.statistics.phase != .idle { await Task.yield() }
    #expect(await second.nextState { $0.phase == .connecting && $0.attempts > 0 } != nil)
    await second.finish()
  }

  @Test func withoutReconnectionTheFirstErrorEndsTheRun() async throws {
    var configuration = NMEAConfiguration.local(.tcp(host: "127.0.0.1", port: freePort()))
    configuration.reconnection = .never
    let error = await NMEARun(NMEABackend(configuration)).error() as? LocationError
    #expect(error?.code == .backendUnavailable)
  }

  @Test(arguments: [
    NMEASource.serial(path: "ttyUSB0"), .serial(path: "/dev/ttyUSB0", speed: 1), .tcp(host: ""),
    .tcp(host: "boat", port: 0), .udp(port: 65_536), .udp(address: "boat.local"),
    .udp(address: "localhost"),
  ])
  func anInvalidConfigurationIsRefused(_ source: NMEASource) async throws {
    let error = await NMEARun(NMEABackend(source)).error() as? LocationError
    #expect(error?.code == .invalidValue)
  }
}
