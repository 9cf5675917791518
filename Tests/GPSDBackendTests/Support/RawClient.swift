import FoundationEssentials
import Glibc
import Testing

@testable import GPSDBackend

/// A client of gpsd that shares nothing with ours: a blocking socket and Foundation's decoder.
final class RawClient {
  struct Fix: Decodable {
    var device: String?
    var mode: Int
    var lat: Double?
    var lon: Double?
    var altMSL: Double?
    var altHAE: Double?
    var speed: Double?
    var climb: Double?
    var track: Double?
    var eph: Double?
    var epv: Double?
  }

  private struct Header: Decodable { var `class`: String }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects, and has gpsd send all that it reads from then on.
  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let address = try #require(
      try SocketAddress.lookUp(host: "127.0.0.1", port: port, numericOnly: true).get().first)
    try #require(address.withSocketAddress { connect(descriptor, $0, $1) } == 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let command = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    try #require(send(descriptor, command, command.count, Int32(MSG_NOSIGNAL)) == command.count)
    while try #require(try line()).header.class != "WATCH" {}
  }

  deinit { close(descriptor) }

  /// The next reports that have a position.
  func fixes(_ count: Int) throws -> [Fix] {
    var fixes: [Fix] = []
    while fixes.count < count {
      let (header, data) = try #require(try line())
      guard header.class == "TPV" else { continue }
      let fix = try JSONDecoder().decode(Fix.self, from: data)
      if fix.mode >= 2, fix.lat != nil { fixes.append(fix) }
    }
    return fixes
  }

  private func line() throws -> (header: Header, data: Data)? {
    while true {
      if let end = buffer.firstIndex(of: 10) {
        let data = Data(buffer[..<end])
        buffer.removeFirst(end + 1)
        return (try JSONDecoder().decode(Header.self, from: data), data)
      }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      buffer += chunk[..<count]
    }
  }
}
