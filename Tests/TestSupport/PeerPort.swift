import Glibc

/// The port that an IPv4 TCP socket of this process is connected to; nil for other descriptors.
/// A UDP socket does not count, since a UDP port may have the same number.
package func peerPort(of descriptor: Int32) -> Int? {
  var type: Int32 = 0
  var length = socklen_t(MemoryLayout<Int32>.size)
  guard getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) == 0,
    type == Int32(SOCK_STREAM.rawValue)
  else { return nil }
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
