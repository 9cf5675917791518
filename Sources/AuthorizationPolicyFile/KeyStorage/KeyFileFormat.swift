import AsyncLocation

/// The file format of a key of reduced accuracy: a title line, the key and a checksum.
enum KeyFileFormat {
  private static let title = "async-location reduced-accuracy key, version 1\n"
  /// Detects accidental damage only; its key is public.
  private static let checksum = SipHash(low: 0, high: 0)

  /// The size of every key file in bytes.
  static let size = encode([UInt8](repeating: 0, count: ReducedAccuracyKey.count)).count

  static func encode(_ key: ReducedAccuracyKey) -> [UInt8] { encode(key.bytes) }

  private static func encode(_ key: [UInt8]) -> [UInt8] {
    let sum = checksum.hash(Array(title.utf8) + key)
    let sumBytes = (0..<8).map { UInt8(truncatingIfNeeded: sum >> (56 - 8 * UInt64($0))) }
    return Array(title.utf8) + hexadecimal(key) + [10] + hexadecimal(sumBytes) + [10]
  }

  /// Returns nil for contents that differ in any byte from the output of ``encode(_:)``.
  static func decode(_ contents: [UInt8]) -> ReducedAccuracyKey? {
    let start = title.utf8.count
    guard contents.count == size else { return nil }
    var key: [UInt8] = []
    for index in 0..<ReducedAccuracyKey.count {
      guard let high = digits.firstIndex(of: contents[start + 2 * index]),
        let low = digits.firstIndex(of: contents[start + 2 * index + 1])
      else { return nil }
      key.append(UInt8(high << 4 | low))
    }
    return encode(key) == contents ? try? ReducedAccuracyKey(bytes: key) : nil
  }

  /// Whether invalid contents are a damaged key: at least three quarters of the title's bytes
  /// match, as far as the contents go, or all bytes are zero.
  static func isDamaged(_ contents: [UInt8]) -> Bool {
    let equal = zip(contents, title.utf8).count { $0 == $1 }
    return 4 * equal >= 3 * min(contents.count, title.utf8.count) || contents.allSatisfy { $0 == 0 }
  }

  private static let digits = Array("0123456789abcdef".utf8)

  private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
    bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
