import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

/// A broker that confirms subscriptions and records their options. It closes its first connection
/// once three are confirmed; the second connection resumes the session.
private final class NotingBroker: Sendable {
  /// How the broker refuses a subscription to its messages about itself.
  enum Refusal: Sendable {
    case code, close
  }

  /// The options of each connection's subscriptions. A connection is added when it ends.
  let subscriptions: AsyncStream<[UInt8]>
  private let listener = Listener()
  private let connectionCount = Locked(0)

  var port: Int { listener.port }

  init(_ refusal: Refusal? = nil) {
    let (subscriptions, ended) = AsyncStream.makeStream(of: [UInt8].self)
    self.subscriptions = subscriptions
    listener.accept { [connectionCount] connection in
      let isFirst = connectionCount.withLock { count in
        count += 1
        return count == 1
      }
      ended.yield(Self.serve(connection, isFirst: isFirst, refusal))
      close(connection)
    }
  }

  deinit { listener.stop() }

  private static func serve(
    _ connection: Int32, isFirst: Bool, _ refusal: Refusal?
  ) -> [UInt8] {
    func answer(_ bytes: [UInt8]) { _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }
    var options: [UInt8] = []
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while case let count = recv(connection, &buffer, buffer.count, 0), count > 0 {
      rest += buffer[..<count]
      // Each packet has fewer than 128 bytes.
      while rest.count >= 2, rest.count >= 2 + Int(rest[1]) {
        let packet = Array(rest.prefix(2 + Int(rest[1])))
        rest.removeFirst(packet.count)
        switch packet[0] {
        case 0x10: answer([0x20, 3, isFirst ? 0 : 1, 0, 0])
        case 0x82:
          options.append(packet[packet.count - 1])
          let isRefused = refusal != nil && packet.contains(UInt8(ascii: "$"))
          if isRefused, refusal == .close { return options }
          let code = isRefused ? 0x87 : options[options.count - 1] & 3
          answer([0x90, 4, packet[2], packet[3], 0, code])
          if isFirst, options.count == 3 { return options }
        case 0xE0: return options
        default: break
        }
      }
    }
    return options
  }
}

@Suite(.inTurn) struct FleetSubscriptionTests {
  private static func fleet(_ broker: NotingBroker) throws -> Fleet {
    try Fleet(
      FleetConfiguration(
        MQTTConfiguration(
          host: "127.0.0.1", port: broker.port,
          reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(10)))))
  }

  /// The subscriptions of a resumed session are not changed: a live message that arrives meanwhile
  /// retains its quality of service.
  @Test("F71 a session that the broker has kept requests no retained locations")
  func aResumedSessionRequestsNoRetainedLocations() async throws {
    let broker = NotingBroker()
    let fleet = try Self.fleet(broker)
    let states = fleet.connectionStates
    // Reading a property makes the fleet connect.
    #expect(fleet.deviceCount == 0)
    var subscriptions = broker.subscriptions.makeAsyncIterator()
    // The broker's drop count; then quality 0 with retained messages, and quality 1 without them.
    #expect(await subscriptions.next() == [0x00, 0x00, 0x21])
    var connections = 0
    for await state in states where state.phase == .connected {
      connections += 1
      if connections == 2 { break }
    }
    await fleet.shutdown()
    #expect(await subscriptions.next() == [0x00, 0x21])
  }

  @Test(
    "F71 a fleet also follows a broker that does not report its drops", arguments: [true, false])
  func brokerWithoutDropCountIsFollowed(_ closes: Bool) async throws {
    let broker = NotingBroker(closes ? .close : .code)
    let fleet = try Self.fleet(broker)
    let states = fleet.connectionStates
    // Reading a property makes the fleet connect.
    #expect(fleet.deviceCount == 0)
    var isConnected = false
    for await state in states where state.phase == .connected {
      isConnected = true
      break
    }
    #expect(isConnected)
    await fleet.shutdown()
    var subscriptions = broker.subscriptions.makeAsyncIterator()
    #expect(await subscriptions.next() == (closes ? [0x00] : [0x00, 0x00, 0x21]))
    if closes { #expect(await subscriptions.next() == [0x00, 0x21]) }
  }

  @Test func aGroupRequestsNoRetainedLocations() {
    let configuration = FleetConfiguration(group: "archive")
    let subscriptions = configuration.subscriptions.filter { $0.filter != BrokerDrops.topic }
    #expect(subscriptions.map(\.quality) == [1])
    #expect(subscriptions.allSatisfy { !$0.wantsRetained && !$0.isForNewSession })
  }
}
