// Compares and hashes external names byte by byte, as brokers and file systems compare them.
// `String` compares and hashes by canonical equivalence: a peer could choose many spellings of one
// name, and as strings they would all have the same hash.

extension String {
  /// Whether both strings have the same UTF-8 bytes.
  package func hasSameBytes(as other: String) -> Bool {
    let (left, right) = (utf8.span, other.utf8.span)
    return left.count == right.count && left.indices.allSatisfy { left[$0] == right[$0] }
  }
}

extension Hasher {
  /// Adds the UTF-8 bytes of a text and a terminator.
  package mutating func combine(bytesOf text: String) {
    // SAFETY: The bytes are read during the call.
    unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
    combine(UInt8.max)  // No byte of UTF-8.
  }
}
