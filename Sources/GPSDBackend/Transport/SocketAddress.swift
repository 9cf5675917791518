import Glibc

/// A numeric IPv4 or IPv6 address with a port, in the kernel's layout.
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
}
