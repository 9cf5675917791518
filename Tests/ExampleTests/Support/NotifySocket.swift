import Foundation
import Glibc
import TestSupport

@testable import async_location_example

/// The socket of a service manager.
final class NotifySocket: Sendable {
  private let descriptor: Int32
  private let path: String

  init(isAbstract: Bool) throws {
    let name = "notify-\(UUID().uuidString)"
    path = isAbstract ? "@\(name)" : "\(NSTemporaryDirectory())/\(name)"
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      bytes.copyBytes(from: path.utf8)
      if isAbstract { bytes[0] = 0 }
    }
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + path.utf8.count
    let status = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(length))
      }
    }
    guard status == 0 else { throw OutputError.failed(errno) }
  }

  deinit {
    close(descriptor)
    if !path.hasPrefix("@") { unlink(path) }
  }

  var environment: [String: String] { ["NOTIFY_SOCKET": path] }

  /// Waits for a datagram.
  func next() async -> String {
    await onThread { [descriptor] in
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  /// Waits for a datagram that is wanted, and returns it. Others before it are ignored.
  @discardableResult
  func read(until isWanted: (String) -> Bool) async -> String {
    while true {
      let text = await next()
      if isWanted(text) { return text }
    }
  }

  func read(until text: String) async { await read { $0 == text } }
}
