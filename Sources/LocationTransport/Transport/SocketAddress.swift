package import Glibc

/// A numeric IPv4 or IPv6 address with a port, in the kernel's layout.
package struct SocketAddress: Sendable, Hashable {
  package let family: Int32
  private let bytes: [UInt8]

  package init(family: Int32, bytes: [UInt8]) {
    self.family = family
    self.bytes = bytes
  }

  package func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    // Copied to the stack, because an array of bytes is not aligned for a `sockaddr`.
    // SAFETY: the storage is large enough for every address, and outlives the call of `body`.
    var storage = sockaddr_storage()
    return unsafe withUnsafeMutableBytes(of: &storage) { raw in
      unsafe raw.copyBytes(from: bytes.prefix(raw.count))
      return unsafe body(
        raw.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }

  /// Returns the address with another port. IPv4 and IPv6 store it at the same offset.
  func with(port: Int) -> Self {
    guard family == AF_INET || family == AF_INET6, bytes.count >= 4 else { return self }
    var bytes = bytes
    bytes[2] = UInt8(truncatingIfNeeded: port >> 8)
    bytes[3] = UInt8(truncatingIfNeeded: port)
    return Self(family: family, bytes: bytes)
  }

  /// The numeric address and the port, for C libraries that accept strings.
  package var text: (host: String, port: Int32)? {
    guard bytes.count >= 4 else { return nil }
    return unsafe withSocketAddress { address, length in
      var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard
        unsafe getnameinfo(
          address, length, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      let name = String(
        decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return (name, Int32(bytes[2]) << 8 | Int32(bytes[3]))
    }
  }
}
