import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage
@testable import monitor_writer

@Suite(.inTurn) struct ConditionColumnsTests {
  @Test func conditionsRoundTripThroughColumnsAndBytes() throws {
    var random = RandomChanges(seed: 11)
    for _ in 0..<500 {
      let condition = try random.condition()
      let columns = ConditionColumns(condition)
      #expect(try columns.condition() == condition)
      #expect(ConditionColumns(bytes: columns.bytes) == columns)
    }
  }

  @Test("F37 truncated, extended and changed bytes do not trap", .longWork)
  func damagedBytes() throws {
    var random = RandomChanges(seed: 12)
    for _ in 0..<40 {
      let bytes = ConditionColumns(try random.condition()).bytes
      for count in 0..<bytes.count {
        _ = try? ConditionColumns(bytes: Array(bytes[..<count]))?.condition()
      }
      for index in bytes.indices {
        for bit in 0..<8 {
          var flipped = bytes
          flipped[index] ^= 1 << UInt8(bit)
          _ = try? ConditionColumns(bytes: flipped)?.condition()
        }
      }
      _ = try? ConditionColumns(bytes: bytes + [0])?.condition()
    }
  }

  private static func bytes(_ words: [UInt64]) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in words { bytes.append(littleEndian: word) }
    return bytes
  }

  static let invalidShapes: [[UInt64]] = [
    [], [1], [.max], [2, .max], [1, .max], [1, UInt64(Int64.max), 0, 0], [1, 3, 0, 0], [2, 1, 1],
    [1, 1, 0, 0, 0], [UInt64(1) << 60, 0], [1, UInt64(1) << 62, 0],
  ]

  @Test("F37 counts that do not fit the bytes are refused", arguments: invalidShapes)
  func mismatchedCounts(_ words: [UInt64]) throws {
    #expect(try ShapeBytes.rings(Self.bytes(words)) == nil)
  }

  @Test func aShapeCanHaveNoRings() throws {
    #expect(try ShapeBytes.rings(Self.bytes([0])) == [])
  }

  @Test func verticesOutOfRangeAreRefused() {
    let bytes = Self.bytes([1, 1, 91.0.bitPattern, 0])
    #expect(throws: LocationError.self) { try ShapeBytes.rings(bytes) }
  }
}
