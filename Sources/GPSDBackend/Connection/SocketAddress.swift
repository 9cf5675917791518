import Glibc

/// A numeric address and port, IPv4 or IPv6, as the kernel wants it.
package struct SocketAddress: Sendable, Hashable {
  package let family: Int32
  private let bytes: [UInt8]

  package init(family: Int32, bytes: [UInt8]) {
    self.family = family
    self.bytes = bytes
  }

  func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    // A copy on the stack: an array of bytes is not aligned for a sockaddr.
    var storage = sockaddr_storage()
    return withUnsafeMutableBytes(of: &storage) { raw in
      raw.copyBytes(from: bytes.prefix(raw.count))
      return body(
        raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}

extension SocketAddress {
  /// The addresses of a host, in the order in which to try them. Blocks unless `numericOnly`.
  static func lookUp(
    host: String, port: Int, numericOnly: Bool
  ) -> Result<[SocketAddress], TransportFailure> {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, String(port), &hints, &list)
    if status == EAI_SYSTEM { return .failure(.system(errno: errno)) }
    guard status == 0 else { return .failure(.lookup(code: status)) }
    defer { freeaddrinfo(list) }

    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next {
      if let address = entry.pointee.ai_addr,
        entry.pointee.ai_addrlen <= socklen_t(MemoryLayout<sockaddr_storage>.size)
      {
        let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
        addresses.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
      }
      next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failure(.lookup(code: EAI_NONAME)) : .success(addresses)
  }
}
