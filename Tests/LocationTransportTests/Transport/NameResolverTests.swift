import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import LocationTransport

/// Runs look-ups on threads, with a look-up function that blocks until the test opens a gate.
@Suite(.inTurn) struct NameResolverTests {
  /// A look-up function that blocks until the gate is open.
  private final class Gate: Sendable {
    private struct State {
      var calls: [String] = []
      var isOpen = false
    }

    private let state = Locked(State())

    var calls: [String] { state.withLock { $0.calls } }

    func open() { state.withLock { $0.isOpen = true } }

    func lookUp(_ host: String) -> Result<[SocketAddress], TransportFailure> {
      state.withLock { $0.calls.append(host) }
      while !state.withLock({ $0.isOpen }) { sched_yield() }
      return host == "nobody" ? .failure(.lookup(code: EAI_NONAME)) : .success([Self.address])
    }

    static let address = SocketAddress(family: AF_INET, bytes: [2, 0, 0, 0, 10, 1, 2, 3])
  }

  @Test func callersOfOneHostShareALookUp() async {
    let gate = Gate()
    let resolver = NameResolver { gate.lookUp($0) }
    let (answers, sink) = AsyncStream.makeStream(of: SocketAddress?.self)
    for port in 1...50 {
      // Both bytes of the port are equal, so that its byte order does not matter below.
      _ = resolver.lookUp(host: port % 2 == 0 ? "boat" : "BOAT", port: port * 256 + port) {
        sink.yield((try? $0.get())?.first)
      }
    }
    while gate.calls.isEmpty { await Task.yield() }
    #expect(resolver.load == (1, 0, 50))
    gate.open()
    var found = Set<SocketAddress>()
    for await answer in answers {
      if let answer { found.insert(answer) }
      if found.count == 50 { break }
    }
    let expected = (UInt8(1)...50).map { port in
      SocketAddress(family: AF_INET, bytes: [2, 0, port, port, 10, 1, 2, 3])
    }
    #expect(found == Set(expected))
    #expect(gate.calls == ["boat"])
    while resolver.load.threads > 0 { await Task.yield() }
  }

  @Test func failedLookUpsAreReported() async {
    let gate = Gate()
    gate.open()
    let resolver = NameResolver { gate.lookUp($0) }
    let (answers, sink) = AsyncStream.makeStream(
      of: Result<[SocketAddress], TransportFailure>.self)
    _ = resolver.lookUp(host: "nobody", port: 1) { sink.yield($0) }
    let answer = await answers.first { _ in true }
    #expect(answer == .failure(.lookup(code: EAI_NONAME)))
  }

  @Test("cancelled look-ups are neither answered nor started, and a refusal is reported")
  func bounds() async {
    let gate = Gate()
    let resolver = NameResolver(.init(maximumThreads: 2, maximumWaiting: 2)) { gate.lookUp($0) }
    let (answers, sink) = AsyncStream.makeStream(of: String.self)
    func lookUp(_ host: String) -> NameResolver.RequestID {
      resolver.lookUp(host: host, port: 1) { result in
        sink.yield(result == .failure(.tooManyLookups) ? "\(host) refused" : host)
      }
    }
    _ = lookUp("a")
    let second = lookUp("b")
    while gate.calls.count < 2 { await Task.yield() }
    let third = lookUp("c")
    _ = lookUp("d")
    _ = lookUp("e")
    var received = answers.makeAsyncIterator()
    #expect(await received.next() == "e refused")
    resolver.cancel(second)
    resolver.cancel(third)
    #expect(resolver.load == (2, 1, 2))
    gate.open()
    var rest = Set<String>()
    while rest.count < 2, let host = await received.next() { rest.insert(host) }
    #expect(rest == ["a", "d"])
    while resolver.load.threads > 0 { await Task.yield() }
    #expect(Set(gate.calls) == ["a", "b", "d"])
    #expect(resolver.load == (0, 0, 0))
  }

  static let known: [(String, [String])] = [
    ("localhost", ["::1", "127.0.0.1"]), ("LocalHost.", ["::1", "127.0.0.1"]),
    ("gpsd.localhost", ["::1", "127.0.0.1"]), ("127.0.0.1", ["127.0.0.1"]),
    ("127.1", ["127.0.0.1"]), ("::1", ["::1"]), ("fe80::1%lo", ["fe80::1%lo"]),
    ("192.168.1.2", ["192.168.1.2"]), ("0x7f.1", ["127.0.0.1"]),
  ]

  @Test("addresses and localhost need no look-up", arguments: known)
  func needsNoLookUp(_ host: String, _ expected: [String]) throws {
    let addresses = try #require(SocketAddress.known(host: host, port: 0x1234))
    let written = addresses.map { address in
      address.withSocketAddress { pointer, size -> String in
        var (text, port) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 8))
        getnameinfo(
          pointer, size, &text, 64, &port, 8, Int32(NI_NUMERICHOST) | Int32(NI_NUMERICSERV))
        return [text, port].map { characters in
          let bytes = characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
          return String(decoding: bytes, as: UTF8.self)
        }.joined(separator: " ")
      }
    }
    #expect(written == expected.map { $0 + " 4660" })  // 4660 is 0x1234.
  }

  @Test(arguments: [
    "boat", "localhost.example", "localhos", "alocalhost", "", ".", "..localhost", ".localhost",
    "3com.example", "256.1.1.1", "cafe", "boat:2947",
  ])
  func otherHostsNeedALookUp(_ host: String) {
    #expect(SocketAddress.known(host: host, port: 1) == nil)
  }
}
