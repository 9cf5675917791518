import AsyncLocation
import Foundation
import Glibc
import TestSupport

@testable import GPSDBackend
@testable import LocationTransport

/// A scripted server on a port of 127.0.0.1, by default a free one. It serves one connection at a
/// time. Deallocation ends it.
final class FakeGPSD: Sendable {
  enum Step: Sendable {
    case send(String)
    case sendBytes([UInt8])
    /// Sends up to this many bytes without a line feed, in blocks of 65,536 bytes. An incomplete
    /// block is not sent.
    case flood(Int)
    /// Sends a text in segments of one byte.
    case drip(String)
    /// Reads until a line feed arrives.
    case awaitLine
    /// Reads until the client closes the connection or the server stops.
    case hold
    /// Resets the connection, which ends the script.
    case reset
    /// Drops every segment that arrives from now on, without acknowledgement: a half-open
    /// connection.
    case vanish
  }

  static let banner =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
  static let watching =
    #"{"class":"DEVICES","devices":[]}"# + "\r\n" + #"{"class":"WATCH"}"# + "\r\n"

  /// A line with a position at a second of the minute 2026-05-04 03:02 UTC.
  static func fix(_ second: Int, latitude: Double = 60.25) -> String {
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2026-05-04T03:02:"#
      + (second < 10 ? "0" : "") + "\(second)"
      + #".000Z","lat":\#(latitude),"lon":24.5,"altHAE":30.5}"# + "\r\n"
  }

  private struct State {
    var connection: SharedSocket?
    var accepted = 0
    var received: [UInt8] = []
    var isStopped = false
  }

  /// The part of the server that its listener retains, so that the server can be deallocated.
  private final class Core: Sendable {
    let state = Locked(State())

    func serve(_ scripts: [[Step]], _ connection: Int32) {
      let socket = SharedSocket(connection)
      let (index, isStopped) = state.withLock { state in
        state.connection = socket
        state.accepted += 1
        return (state.accepted - 1, state.isStopped)
      }
      var isReset = false
      if !isStopped { isReset = play(scripts[min(index, scripts.count - 1)], connection) }
      state.withLock { $0.connection = nil }
      if isReset {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
          connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      }
      socket.close()
    }

    /// Performs the steps of a script. Returns whether the connection must be reset.
    private func play(_ script: [Step], _ connection: Int32) -> Bool {
      for step in script {
        switch step {
        case .send(let text): write(Array(text.utf8), connection)
        case .sendBytes(let bytes): write(bytes, connection)
        case .flood(let count):
          let bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
          for _ in 0..<count / bytes.count where write(bytes, connection) == false { break }
        case .drip(let text): for byte in text.utf8 { write([byte], connection) }
        case .awaitLine:
          while let bytes = read(connection), !bytes.contains(10) {}
        case .hold: while read(connection) != nil {}
        case .reset: return true
        case .vanish: FakeGPSD.dropAll(connection)
        }
      }
      return false
    }

    /// Sends all bytes. Returns false if the connection has ended.
    @discardableResult
    private func write(_ bytes: [UInt8], _ connection: Int32) -> Bool {
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        sent += count
      }
      return true
    }

    /// Receives and records bytes; nil if the connection has ended.
    private func read(_ connection: Int32) -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      state.withLock { $0.received += buffer[..<count] }
      return Array(buffer[..<count])
    }
  }

  private let core = Core()
  private let listener: Listener
  var port: Int { listener.port }

  /// Plays one script per connection; the last script also for all later connections.
  convenience init(_ scripts: [Step]..., port: Int = 0) { self.init(scripts: scripts, port: port) }

  init(scripts: [[Step]], port: Int = 0) {
    listener = Listener(port: port)
    listener.accept { [core] in core.serve(scripts, $0) }
  }

  deinit { stop() }

  func stop() {
    let connection = core.state.withLock { state in
      state.isStopped = true
      return state.connection
    }
    listener.stop()
    connection?.shutDown()
  }

  /// The number of accepted connections.
  var accepted: Int { core.state.withLock { $0.accepted } }
  /// The bytes that the script has read on all connections.
  var received: String { core.state.withLock { String(decoding: $0.received, as: UTF8.self) } }

  /// The sockets of this process that are connected to the server.
  var clients: [Int32] {
    // Lists the descriptors, because other tests open thousands of them: their numbers have no
    // useful bound.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.filter { peerPort(of: $0) == port }
  }

  /// Makes the kernel drop every segment for a socket, with a filter of one instruction.
  private static func dropAll(_ descriptor: Int32) {
    struct Instruction {
      var code: UInt16 = 0x06  // Return a constant: accept no bytes.
      var jumpTrue: UInt8 = 0
      var jumpFalse: UInt8 = 0
      var constant: UInt32 = 0
    }
    struct Program {
      var count: UInt16 = 1
      var instructions: UnsafeMutablePointer<Instruction>?
    }
    var instruction = Instruction()
    let status = withUnsafeMutablePointer(to: &instruction) { pointer in
      var program = Program(instructions: pointer)
      return setsockopt(
        descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &program,
        socklen_t(MemoryLayout<Program>.size))
    }
    precondition(status == 0, "no filter on a socket: \(errno)")
  }
}
