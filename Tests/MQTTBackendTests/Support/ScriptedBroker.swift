import AsyncLocation
import Foundation
import Glibc
import TestSupport

/// An MQTT 5 broker that follows a test's script, even if the script violates the protocol. It
/// handles CONNECT, SUBSCRIBE, PUBLISH with QoS 1 and PINGREQ.
final class ScriptedBroker: Sendable {
  struct Script: Sendable {
    /// The properties of CONNACK, without their length.
    var limits: [UInt8] = []
    /// The number of CONNACK packets that answer a CONNECT.
    var acceptances = 1
    /// A publication is acknowledged only when this number of them are unacknowledged, the oldest
    /// one first.
    var window = 1
    /// Whether publications are acknowledged, by the number of the connection, from 1.
    var acknowledges: @Sendable (Int) -> Bool = { _ in true }
    /// The quality of service that SUBACK grants.
    var quality: UInt8 = 1
    /// The bytes that follow each SUBACK.
    var afterSubscription: [UInt8] = []
  }

  struct Publication: Sendable, Hashable {
    let topic: String
    let payload: [UInt8]
    /// The number of its connection, from 1.
    let connection: Int
  }

  private struct State: Sendable {
    var connections = 0
    var publications: [Publication] = []
    var mostUnacknowledged = 0
    var longest = 0
  }

  private let listener = Listener()
  private let state = Locked(State())

  var port: Int { listener.port }
  var connections: Int { state.withLock(\.connections) }
  var publications: [Publication] { state.withLock(\.publications) }
  /// The largest number of publications that waited for their acknowledgements.
  var mostUnacknowledged: Int { state.withLock(\.mostUnacknowledged) }
  /// The length in bytes of the longest packet, if it is below 16 KiB.
  var longest: Int { state.withLock(\.longest) }

  init(_ script: Script = Script()) {
    listener.accept { [state] socket in
      let number = state.withLock { state in
        state.connections += 1
        return state.connections
      }
      Thread.detachNewThread {
        var connection = Connection(socket, number, script, state)
        connection.serve()
      }
    }
  }

  deinit { listener.stop() }

  private struct Connection {
    let socket: Int32
    let number: Int
    let script: Script
    let state: Locked<State>
    private var unacknowledged: [[UInt8]] = []

    init(_ socket: Int32, _ number: Int, _ script: Script, _ state: Locked<State>) {
      (self.socket, self.number, self.script, self.state) = (socket, number, script, state)
    }

    mutating func serve() {
      while let (header, body) = readPacket() {
        // Before the body, a packet has a byte for its type, and one or two for its length.
        let length = body.count + (body.count < 128 ? 2 : 3)
        state.withLock { $0.longest = max($0.longest, length) }
        switch header >> 4 {
        case 1:
          let length = UInt8(script.limits.count)
          for _ in 0..<script.acceptances {
            send([0x20, length + 3, 0, 0, length] + script.limits)
          }
        case 3: publish(body)
        case 8:
          send([0x90, 4] + body.prefix(2) + [0, script.quality])
          send(script.afterSubscription)
        case 12: send([0xD0, 0])
        default: break
        }
      }
      close(socket)
    }

    private mutating func publish(_ body: [UInt8]) {
      let length = Int(body[0]) << 8 | Int(body[1])
      let rest = body.dropFirst(2 + length)
      let publication = Publication(
        topic: String(decoding: body[2..<2 + length], as: UTF8.self),
        // The payload follows the identifier and the length of the properties, which is 0.
        payload: Array(rest.dropFirst(3)), connection: number)
      unacknowledged.append(Array(rest.prefix(2)))
      let count = unacknowledged.count
      state.withLock {
        $0.publications.append(publication)
        $0.mostUnacknowledged = max($0.mostUnacknowledged, count)
      }
      guard script.acknowledges(number), count >= script.window else { return }
      send([0x40, 2] + unacknowledged.removeFirst())
    }

    private func readPacket() -> (header: UInt8, body: [UInt8])? {
      guard let header = read(1)?.first else { return nil }
      var (length, shift) = (0, 0)
      while let byte = read(1)?.first {
        length |= Int(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 { return read(length).map { (header, $0) } }
      }
      return nil
    }

    private func read(_ count: Int) -> [UInt8]? {
      var bytes = [UInt8](repeating: 0, count: count)
      let received = count == 0 ? 0 : recv(socket, &bytes, count, Int32(MSG_WAITALL))
      return received == count ? bytes : nil
    }

    private func send(_ bytes: [UInt8]) {
      _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
  }
}
