import Glibc
import TestSupport
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// A port of 127.0.0.1 with a full listen backlog, so `connect` hangs.
final class FullListener {
  var port: Int { listener.port }
  private let listener = Listener(backlog: 0)
  private var descriptors: [Int32] = []

  init() throws {
    let address = try #require(SocketAddress.known(host: "127.0.0.1", port: port)?.first)
    for _ in 0..<4 {  // More than the backlog accepts.
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
      let filler = socket(AF_INET, kind, 0)
      descriptors.append(filler)
      _ = address.withSocketAddress { connect(filler, $0, $1) }
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
