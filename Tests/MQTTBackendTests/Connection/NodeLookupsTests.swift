import AsyncLocation
import TestSupport
import Testing

@testable import LocationTransport
@testable import MQTTBackend

/// The look-ups of the nodes of a cluster.
@Suite(.inTurn) struct NodeLookupsTests {
  /// A network that answers when the test does. Only its test uses it, sequentially.
  private final class Network: Transport {
    typealias Answer = (Result<[SocketAddress], TransportFailure>) -> Void

    // SAFETY: used only by the test that owns it, sequentially.
    nonisolated(unsafe) var answers: [UInt64: Answer] = [:]
    nonisolated(unsafe) private var timers = TimerHeap()
    nonisolated(unsafe) private var lastID: UInt64 = 0
    let workspace = Workspace()
    var isCurrent: Bool { true }

    func submit(_ work: @escaping @Sendable () -> Void) { work() }
    func now() -> Duration { .zero }
    func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
      timers.insert(at: instant, action)
    }
    func postpone(_ timer: TimerID, to instant: Duration) { timers.postpone(timer, to: instant) }
    func cancel(_ timer: TimerID) { timers.cancel(timer) }

    func resolve(host: String, port: Int, _ answer: @escaping Answer) -> LookupID {
      lastID += 1
      answers[lastID] = answer
      return LookupID(rawValue: lastID)
    }

    func cancel(_ lookup: LookupID) { answers[lookup.rawValue] = nil }

    func open(_ address: SocketAddress, handler: any ConnectionHandler) -> any Connection {
      fatalError("no connection is opened")
    }

    func nextTimer() -> Duration? { timers.next() }
    func passLimit() { timers.popDue(at: .seconds(5))?() }
  }

  private static func address(_ last: UInt8) -> SocketAddress {
    SocketAddress(family: 2, bytes: [2, 0, 7, 91, 127, 0, 0, last])
  }

  private let network = Network()
  private let lookups = NodeLookups()
  private let results = Locked<[Result<[SocketAddress], TransportFailure>]>([])

  private func begin() {
    lookups.begin(
      [.init(host: "a", port: 1), .init(host: "b", port: 2)], limit: .seconds(5), network
    ) { [results] result in results.withLock { $0.append(result) } }
  }

  private func answer(_ number: UInt64, _ result: Result<[SocketAddress], TransportFailure>) {
    network.answers.removeValue(forKey: number)?(result)
  }

  @Test("F78 the addresses are in the order of the nodes, once all are known")
  func order() {
    begin()
    answer(2, .success([Self.address(2)]))
    #expect(results.withLock(\.self).isEmpty)
    answer(1, .success([Self.address(1)]))
    #expect(results.withLock(\.self) == [.success([Self.address(1), Self.address(2)])])
    #expect(network.nextTimer() == nil)
  }

  @Test("F78 a node that is not found leaves the others, or else its failure counts")
  func failures() {
    begin()
    answer(1, .failure(.lookup(code: -2)))
    answer(2, .success([Self.address(2)]))
    begin()
    answer(3, .failure(.lookup(code: -2)))
    answer(4, .failure(.tooManyLookups))
    #expect(
      results.withLock(\.self) == [.success([Self.address(2)]), .failure(.lookup(code: -2))])
  }

  @Test("F78 a name server that does not answer for one node does not hold up the others")
  func silentNameServer() {
    begin()
    answer(2, .success([Self.address(2)]))
    network.passLimit()
    #expect(results.withLock(\.self) == [.success([Self.address(2)])])
    #expect(network.answers.isEmpty)
  }

  @Test("F78 after the limit, the first node that is found is enough")
  func lateAnswer() {
    begin()
    network.passLimit()
    #expect(results.withLock(\.self).isEmpty)
    answer(2, .success([Self.address(2)]))
    #expect(results.withLock(\.self) == [.success([Self.address(2)])])
  }

  @Test("cancelled look-ups are not answered")
  func cancellation() {
    begin()
    lookups.cancel(network)
    #expect(network.answers.isEmpty)
    #expect(network.nextTimer() == nil)
  }
}
