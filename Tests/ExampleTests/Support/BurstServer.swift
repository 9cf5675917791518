import Glibc
import TestSupport

/// A server that speaks gpsd's protocol and sends many long lists of receivers at once. Each decoded
/// list needs almost a megabyte of memory.
final class BurstServer: Sendable {
  var port: Int { listener.port }
  private let listener = Listener(backlog: 1)
  /// Ends once a client has read everything.
  private let completion: Task<Void, Never>

  init(count: Int) {
    let (stream, sink) = AsyncStream.makeStream(of: Void.self)
    completion = Task { for await _ in stream {} }
    // On a separate thread: under load, shared threads may exceed the client's timeout.
    listener.accept { [listener] client in
      guard Self.serve(client, count) else { return }
      listener.stop()
      sink.finish()
    }
  }

  /// Returns when a client has read everything from its socket.
  func waitUntilRead() async { await completion.value }

  /// Serves a client, and closes its connection.
  ///
  /// - Returns: False if the client disconnected before the end; it then reconnects.
  private static func serve(_ client: Int32, _ count: Int) -> Bool {
    defer { close(client) }
    var command = [UInt8](repeating: 0, count: 256)
    guard
      sendLine(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#, client),
      recv(client, &command, command.count, 0) > 0,
      sendLine(#"{"class":"WATCH","enable":true}"#, client)
    else { return false }
    let devices = Array(repeating: "{}", count: 4_000).joined(separator: ",")
    for number in 1...count {
      let list = #"{"class":"DEVICES","remote":"number \#(number)","devices":[\#(devices)]}"#
      guard sendLine(list, client) else { return false }
    }
    // The client closes its side once it has read to the end.
    shutdown(client, Int32(SHUT_WR))
    while recv(client, &command, command.count, 0) > 0 {}
    return true
  }

  private static func sendLine(_ line: String, _ client: Int32) -> Bool {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return false }
      rest = rest.dropFirst(sent)
    }
    return true
  }
}
