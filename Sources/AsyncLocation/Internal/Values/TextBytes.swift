// Names from outside that are compared byte by byte, as brokers and file systems do. `String` compares
// and hashes by canonical equivalence: hashed as strings, many spellings of one name, chosen by
// someone else, have one hash.

extension String {
  /// Whether both have the same UTF-8 bytes.
  package func hasSameBytes(as other: String) -> Bool {
    let (left, right) = (utf8.span, other.utf8.span)
    return left.count == right.count && left.indices.allSatisfy { left[$0] == right[$0] }
  }
}

extension Hasher {
  /// Adds the UTF-8 bytes of a text, and its end.
  package mutating func combine(bytesOf text: String) {
    // SAFETY: The bytes are read during the call.
    unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
    combine(UInt8.max)  // No byte of UTF-8.
  }
}
