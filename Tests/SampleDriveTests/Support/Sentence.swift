/// A sentence parsed independently of the library.
struct Sentence {
  let type: String
  let fields: [String]
  let hasValidChecksum: Bool

  /// Nil unless the text begins with `$` and ends with `*` and a hexadecimal number.
  init?(_ text: String) {
    let parts = text.dropFirst().split(separator: "*", omittingEmptySubsequences: false)
    guard text.first == "$", parts.count == 2, let checksum = UInt8(parts[1], radix: 16) else {
      return nil
    }
    var sum: UInt8 = 0
    for byte in parts[0].utf8 { sum ^= byte }
    hasValidChecksum = sum == checksum && parts[1].utf8.count == 2
    let fields = parts[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    type = fields[0]
    self.fields = Array(fields.dropFirst())
  }
}
