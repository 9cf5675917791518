import Glibc
import Tally

/// `decoder-loop PORT`: a plain loop over a socket that passes received bytes to the backend's
/// decoder and reads the values, without the rest of the library.
@main
struct Loop {
  static func main() {
    guard CommandLine.arguments.count == 2, let port = UInt16(CommandLine.arguments[1]) else {
      exit(2)
    }
    tally_begin()
    guard let server = connect(port) else {
      perror("decoder-loop")
      exit(1)
    }
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    var values = Values()
    while case let count = recv(server, bytes.baseAddress, bytes.count, 0), count > 0 {
      values.read(bytes.bindMemory(to: UInt8.self).span.extracting(first: count))
    }
    tally_end()
    print()
  }

  private static func connect(_ port: UInt16) -> Int32? {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
    guard connected == 0, send(server, watch, watch.count, Int32(MSG_NOSIGNAL)) > 0 else {
      return nil
    }
    return server
  }
}
