import Foundation
import Glibc
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// A minimal client of gpsd that reads with Foundation, independent of the library.
final class PlainClient: Sendable {
  private let lines: AsyncStream<Data>
  private let socket: SharedSocket

  /// Connects to a gpsd of this machine and watches it.
  init(port: Int) throws {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(status == 0)
    let command = Array(#"?WATCH={"enable":true,"json":true};"#.utf8)
    try #require(send(descriptor, command, command.count, Int32(MSG_NOSIGNAL)) == command.count)
    let socket = SharedSocket(descriptor)
    self.socket = socket
    let (lines, sink) = AsyncStream.makeStream(of: Data.self)
    self.lines = lines
    _ = NamedThread.start("plain-client") {
      var rest = Data()
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
        rest += buffer[..<count]
        while let end = rest.firstIndex(of: 10) {
          sink.yield(Data(rest[..<end]))
          rest = Data(rest[rest.index(after: end)...])
        }
      }
      socket.close()
      sink.finish()
    }
  }

  deinit { socket.shutDown() }

  /// Returns the next `count` reports that satisfy `isWanted`; fewer if the connection ends first.
  func reports(_ count: Int, where isWanted: ([String: Any]) -> Bool) async -> [[String: Any]] {
    var reports: [[String: Any]] = []
    guard count > 0 else { return reports }
    for await line in lines {
      guard let report = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
        isWanted(report)
      else { continue }
      reports.append(report)
      if reports.count == count { break }
    }
    return reports
  }
}
