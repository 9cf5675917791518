import AsyncLocation
import Foundation
import Glibc
import TestSupport

/// A Unix socket that sends NMEA 0183 to each client: one epoch when the client connects, and one
/// for each call. Times and longitudes increase.
final class NMEASocket: Sendable {
  struct Failure: Error { let errno: Int32 }

  private struct State {
    var clients: [Int32] = []
    var epoch = 0
  }

  let path: String
  private let listener: Int32
  private let state = Locked(State())

  init(path: String) throws {
    self.path = path
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard status == 0, listen(descriptor, 8) == 0 else { throw Failure(errno: errno) }
    listener = descriptor
    Thread.detachNewThread { [weak self] in
      while true {
        let client = accept(descriptor, nil, nil)
        if client < 0, errno == EINTR { continue }
        guard client >= 0, let self else { return }
        self.state.withLock { $0.clients.append(client) }
        self.send()
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    for client in state.withLock({ $0.clients }) { close(client) }
  }

  /// Sends an epoch to each client.
  func send() {
    let (clients, epoch) = state.withLock { state in
      state.epoch += 1
      return (state.clients, state.epoch)
    }
    let bytes = Array(Self.epoch(epoch).utf8)
    for client in clients {
      _ = Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
    }
  }

  private static func epoch(_ number: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = "12\(two(number / 60 % 60))\(two(number % 60)).00"
    let position = "6015.0000,N,02430.\(5000 + number),E"
    return [
      "GPGGA,\(time),\(position),1,08,0.9,30.5,M,17.2,M,,",
      "GPRMC,\(time),A,\(position),10.0,90.0,040526,,,A",
    ].map { body in
      let digits = String(body.utf8.reduce(0 as UInt8, ^), radix: 16, uppercase: true)
      return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }.joined()
  }
}
