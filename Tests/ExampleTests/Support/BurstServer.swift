import Foundation
import Glibc

@testable import async_location_example

/// A gpsd that sends many long lists of receivers at once. Each takes almost a megabyte of memory
/// as a value.
final class BurstServer: Sendable {
  let port: Int
  private let work: Task<Void, Never>

  /// Listens on a free port of this machine.
  init(count: Int) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) | listen(listener, 1) | getsockname(listener, $0, &length)
      }
    }
    guard listener >= 0, status == 0 else { throw OutputError.failed(errno) }
    port = Int(in_port_t(bigEndian: address.sin_port))
    // A separate thread: under load the shared ones may exceed the client's timeout.
    let (stream, sink) = AsyncStream.makeStream(of: Void.self)
    work = Task { for await _ in stream {} }
    Thread.detachNewThread {
      while !Self.serve(listener, count) {}
      close(listener)
      sink.finish()
    }
  }

  /// Returns when a client has read everything from its socket.
  func waitUntilRead() async { await work.value }

  /// False if the client disconnected before the end; it then reconnects.
  private static func serve(_ listener: Int32, _ count: Int) -> Bool {
    let client = accept(listener, nil, nil)
    guard client >= 0 else { return true }
    defer { close(client) }
    var command = [UInt8](repeating: 0, count: 256)
    guard
      say(#"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"#, client),
      recv(client, &command, command.count, 0) > 0,
      say(#"{"class":"WATCH","enable":true}"#, client)
    else { return false }
    let devices = Array(repeating: "{}", count: 4_000).joined(separator: ",")
    for number in 1...count {
      let list = #"{"class":"DEVICES","remote":"number \#(number)","devices":[\#(devices)]}"#
      guard say(list, client) else { return false }
    }
    // The client closes its side once it has read to the end.
    shutdown(client, Int32(SHUT_WR))
    while recv(client, &command, command.count, 0) > 0 {}
    return true
  }

  private static func say(_ line: String, _ client: Int32) -> Bool {
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
