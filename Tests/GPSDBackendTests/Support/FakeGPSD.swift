import AsyncLocation
import Glibc

@testable import GPSDBackend
@testable import LocationTransport

/// A scripted server on a free port of 127.0.0.1. It ends on deallocation.
final class FakeGPSD: Sendable {
  enum Step: Sendable {
    case send(String)
    case sendBytes([UInt8])
    /// A number of bytes without a line feed.
    case flood(Int)
    /// The same in segments of one byte.
    case drip(String)
    /// Reads a complete line.
    case awaitLine
    /// Reads until the client or the server has closed.
    case hold
    /// Resets the connection.
    case reset
    /// Drops every segment from now on without acknowledgement: a half-open connection.
    case vanish
  }

  static let banner =
    #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\r\n"
  static let watching =
    #"{"class":"DEVICES","devices":[]}"# + "\r\n" + #"{"class":"WATCH"}"# + "\r\n"

  static func fix(_ second: Int, latitude: Double = 60.25) -> String {
    #"{"class":"TPV","device":"/dev/ttyUSB0","mode":3,"time":"2026-05-04T03:02:"#
      + (second < 10 ? "0" : "") + "\(second)"
      + #".000Z","lat":\#(latitude),"lon":24.5,"altHAE":30.5}"# + "\r\n"
  }

  private struct State {
    var connection: Int32 = -1
    var accepted = 0
    var received: [UInt8] = []
    var isStopped = false
  }

  private final class Core: Sendable {
    let listener: Int32
    let state = Locked(State())

    init(_ listener: Int32) { self.listener = listener }

    func serve(_ scripts: [[Step]]) {
      for index in 0... {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let isStopped = state.withLock { state in
          state.connection = connection
          state.accepted += 1
          return state.isStopped
        }
        var isReset = false
        if !isStopped { isReset = play(scripts[min(index, scripts.count - 1)], connection) }
        state.withLock { $0.connection = -1 }
        if isReset {
          var option = linger(l_onoff: 1, l_linger: 0)
          setsockopt(
            connection, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        Glibc.close(connection)
        if isStopped { break }
      }
      Glibc.close(listener)
    }

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

    private func read(_ connection: Int32) -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      state.withLock { $0.received += buffer[..<count] }
      return Array(buffer[..<count])
    }
  }

  private let core: Core
  let port: Int

  /// Plays one script per connection; the last one also for all later connections.
  convenience init(_ scripts: [Step]..., port: Int = 0) { self.init(scripts: scripts, port: port) }

  init(scripts: [[Step]], port: Int = 0) {
    let (listener, port) = Self.listen(port: port, backlog: 64)
    self.port = port
    let core = Core(listener)
    self.core = core
    _ = NamedThread.start("fake-gpsd") { core.serve(scripts) }
  }

  deinit { stop() }

  func stop() {
    let connection = core.state.withLock { state in
      state.isStopped = true
      return state.connection
    }
    shutdown(core.listener, Int32(SHUT_RDWR))
    if connection >= 0 { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  var accepted: Int { core.state.withLock { $0.accepted } }
  var received: String { core.state.withLock { String(decoding: $0.received, as: UTF8.self) } }

  /// The sockets of this process that are connected to the server.
  var clients: [Int32] { (3..<Int32(2048)).filter { Self.peerPort($0) == port } }

  /// The port that a socket is connected to; nil for other descriptors.
  private static func peerPort(_ descriptor: Int32) -> Int? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(descriptor, $0, &size)
      }
    }
    return status == 0 && address.sin_family == sa_family_t(AF_INET)
      ? Int(in_port_t(bigEndian: address.sin_port)) : nil
  }

  /// Lets the kernel drop every segment for a socket, by a filter of one instruction.
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

  /// A listening socket on 127.0.0.1, and its port.
  static func listen(port: Int, backlog: Int32) -> (descriptor: Int32, port: Int) {
    guard let listener = listener(port: port, backlog: backlog) else {
      preconditionFailure("no listener on 127.0.0.1: \(errno)")
    }
    return listener
  }

  private static func listener(port: Int, backlog: Int32) -> (descriptor: Int32, port: Int)? {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(listener, raw, size) == 0 && Glibc.listen(listener, backlog) == 0
          && getsockname(listener, raw, &size) == 0
      }
    }
    guard status else {
      Glibc.close(listener)
      return nil
    }
    return (listener, Int(in_port_t(bigEndian: address.sin_port)))
  }

  /// A free port below the range from which the kernel assigns ports, so that no server that asks the
  /// kernel for a port gets it before its user binds it. Each call returns another one.
  static func freePort() -> Int {
    lastFreePort.withLock { last in
      for _ in firstFreePort..<32_768 {
        last = last < 32_767 ? last + 1 : firstFreePort
        guard let listener = listener(port: last, backlog: 1) else { continue }
        Glibc.close(listener.descriptor)
        return last
      }
      preconditionFailure("no free port")
    }
  }

  private static let firstFreePort = 20_000
  /// Starts at a random port, since other processes may run the same tests.
  private static let lastFreePort = Locked(Int.random(in: firstFreePort..<32_768))
}
