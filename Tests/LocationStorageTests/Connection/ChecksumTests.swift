import TestSupport
import Testing

@testable import LocationStorage

@Suite(.inTurn) struct ChecksumTests {
  private static func checksum(_ bytes: [UInt8]) -> Int64 {
    var checksum = Checksum()
    bytes.withUnsafeBytes { checksum.combine(bytes: $0) }
    return checksum.value
  }

  @Test func flippedBitsAndLengthsChangeTheChecksum() {
    let bytes = (0..<37).map { UInt8($0) }
    let expected = Self.checksum(bytes)
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << UInt8(bit)
        #expect(Self.checksum(flipped) != expected)
      }
      #expect(Self.checksum(Array(bytes[..<index])) != expected)
    }
    #expect(Self.checksum(bytes) == expected)
  }

  @Test func nullsNumbersAndTypesHaveDifferentChecksums() {
    var values: Set<Int64> = []
    var checksum = Checksum()
    values.insert(checksum.value)
    checksum.combineNull()
    values.insert(checksum.value)
    for integer in [0, 1, -1, .min, .max] as [Int64] {
      var checksum = Checksum()
      checksum.combine(integer)
      values.insert(checksum.value)
    }
    var zero = Checksum()
    zero.combine(0.0)
    values.insert(zero.value)
    #expect(values.count == 8)
    var negative = Checksum()
    negative.combine(-0.0)
    #expect(negative.value == zero.value, "SQLite does not keep the sign")
  }
}
