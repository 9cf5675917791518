import AsyncLocation
import Foundation

/// An HTTP server on a free port of 127.0.0.1 that answers as a test specifies, even incorrectly.
/// It ends with its last reference.
package final class LocalServer: Sendable {
  package struct Request: Sendable, Equatable {
    /// The first line, such as `GET /search?q=x HTTP/1.1`.
    package let line: String
    /// The header values, by their names in lower case.
    package let headers: [String: String]
    /// The body, of the length that `Content-Length` states.
    package let body: [UInt8]

    package var target: String {
      line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    }
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// The decoded members of the query.
    package var query: [String: String] {
      let pairs = target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
      var members: [String: String] = [:]
      for pair in pairs.split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        members[String(parts[0])] = parts.count > 1 ? parts[1].removingPercentEncoding : nil
      }
      return members
    }
  }

  /// A part of the answer to a request.
  package enum Step: Sendable {
    case send(String)
    case sendBytes([UInt8])
    /// Sends these bytes until the client closes.
    case repeated([UInt8])
    /// Sends single bytes until the client closes.
    case drip
    /// Waits until the client closes.
    case hold
    /// Keeps the connection open after the answer, for the next request.
    case keepOpen
  }

  private struct State: Sendable {
    var requests: [Request] = []
    var connections: Set<Int32> = []
    var accepted = 0
    var sent = 0
    var isStopped = false
    var waiters: [Waiter] = []
  }

  private struct Waiter: Sendable {
    let isMet: @Sendable (State) -> Bool
    let continuation: CheckedContinuation<Void, Never>
  }

  private final class Core: Sendable {
    let state = Locked(State())

    func change(_ body: @Sendable (inout State) -> Void) {
      let met = state.withLock { state in
        body(&state)
        let met = state.waiters.filter { $0.isMet(state) }
        let pending = state.waiters.filter { !$0.isMet(state) }
        state.waiters = pending
        return met
      }
      for waiter in met { waiter.continuation.resume() }
    }

    func wait(until isMet: @escaping @Sendable (State) -> Bool) async {
      await withCheckedContinuation { continuation in
        let isMetNow = state.withLock { state in
          if isMet(state) { return true }
          state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
          return false
        }
        if isMetNow { continuation.resume() }
      }
    }
  }

  private let core = Core()
  private let listener: Listener
  package var port: Int { listener.port }

  /// - Parameters:
  ///   - port: One of ``freePort()``, if another server uses the same port afterwards, or the port
  ///     of a server that was stopped; nil for any free port.
  ///   - script: Returns the answer to a request. The connection is closed after it, unless it
  ///     contains ``Step/keepOpen``.
  package init(port: Int? = nil, _ script: @escaping @Sendable (Request) -> [Step]) {
    listener = Listener(port: port ?? 0)
    listener.accept { [core] connection in
      core.change {
        $0.accepted += 1
        $0.connections.insert(connection)
        if $0.isStopped { shutdown(connection, Int32(SHUT_RDWR)) }
      }
      Thread.detachNewThread {
        Self.serve(connection, core, script)
        core.change {
          $0.connections.remove(connection)
          close(connection)
        }
      }
    }
  }

  /// Creates a server that answers every request with the same text.
  package convenience init(answer: String) { self.init { _ in [.send(answer)] } }

  deinit { stop() }

  /// Ends the server, even in the middle of an answer. Connections are refused afterwards.
  package func stop() {
    core.change { state in
      listener.stop()
      state.isStopped = true
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  package var address: String { "http://127.0.0.1:\(port)" }
  package var requests: [Request] { core.state.withLock { $0.requests } }
  package var accepted: Int { core.state.withLock { $0.accepted } }
  /// The number of bytes sent so far, in all answers.
  package var sent: Int { core.state.withLock { $0.sent } }

  package func waitForRequests(_ count: Int) async {
    await core.wait { $0.requests.count >= count }
  }
  package func waitForSentBytes(_ count: Int) async { await core.wait { $0.sent >= count } }
  /// Returns when every connection is closed.
  package func waitForClose() async { await core.wait { $0.connections.isEmpty } }

  /// Returns an HTTP answer with a body.
  ///
  /// - Parameter headers: Further header lines, each of which ends with CRLF.
  package static func answer(
    _ body: String, status: String = "200 OK", headers: String = ""
  ) -> String {
    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
  }

  // MARK: Threads

  private static func serve(
    _ connection: Int32, _ core: Core, _ script: @Sendable (Request) -> [Step]
  ) {
    var buffer: [UInt8] = []
    while let request = read(connection, &buffer) {
      core.change { $0.requests.append(request) }
      var isOpen = false
      for step in script(request) {
        switch step {
        case .send(let text): write(Array(text.utf8), connection, core)
        case .sendBytes(let bytes): write(bytes, connection, core)
        case .repeated(let bytes): while write(bytes, connection, core) {}
        case .drip: while write([UInt8(ascii: " ")], connection, core) { sched_yield() }
        case .hold:
          var byte: UInt8 = 0
          while recv(connection, &byte, 1, 0) > 0 {}
        case .keepOpen: isOpen = true
        }
      }
      if !isOpen { return }
    }
  }

  @discardableResult
  private static func write(_ bytes: [UInt8], _ connection: Int32, _ core: Core) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
      core.change { $0.sent += count }
    }
    return true
  }

  /// Reads the next request; nil when the client has closed.
  private static func read(_ connection: Int32, _ buffer: inout [UInt8]) -> Request? {
    while true {
      let text = String(decoding: buffer, as: UTF8.self)
      if let end = text.range(of: "\r\n\r\n") {
        let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.components(separatedBy: ": ")
          headers[parts[0].lowercased()] = parts.dropFirst().joined(separator: ": ")
        }
        let start = text.utf8.distance(from: text.startIndex, to: end.upperBound)
        let count = headers["content-length"].flatMap { Int($0) } ?? 0
        if buffer.count - start >= count {
          let body = Array(buffer[start..<start + count])
          buffer = Array(buffer[(start + count)...])
          return Request(line: lines[0], headers: headers, body: body)
        }
      }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = recv(connection, &bytes, bytes.count, 0)
      guard count > 0 else { return nil }
      buffer += bytes[..<count]
    }
  }
}
