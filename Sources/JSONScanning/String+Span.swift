extension String {
  /// Copies UTF-8; invalid sequences become U+FFFD.
  package init(copying bytes: Span<UInt8>) {
    // SAFETY: the pointer does not leave the closure.
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
