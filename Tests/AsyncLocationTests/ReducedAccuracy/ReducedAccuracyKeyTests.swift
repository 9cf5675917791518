import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ReducedAccuracyKeyTests {
  @Test(arguments: [0, 1, 16, 31, 33, 64])
  func aKeyRequiresThirtyTwoBytes(_ count: Int) throws {
    #expect(throws: LocationError.self) {
      try ReducedAccuracyKey(bytes: [UInt8](repeating: 1, count: count))
    }
    _ = try ReducedAccuracyKey(bytes: [UInt8](repeating: 1, count: 32))
  }

  @Test func aPrintedKeyShowsNoByte() throws {
    let key = try ReducedAccuracyKey(bytes: [UInt8](repeating: 0xd7, count: 32))
    var dumped = ""
    dump(key, to: &dumped)
    dump(LocationReducer(key: key), to: &dumped)
    let shown = [
      "\(key)", String(describing: key), String(reflecting: key), "\([key])", "\([key: key])",
      "\(LocationReducer(key: key))", String(reflecting: LocationReducer(key: key)), dumped,
    ]
    #expect(Mirror(reflecting: key).children.isEmpty)
    #expect(Mirror(reflecting: LocationReducer(key: key)).children.isEmpty)
    for text in shown {
      #expect(!text.contains("215"), "\(text)")
      #expect(!text.lowercased().contains("d7"), "\(text)")
    }
  }

  @Test func everyByteChangesTheGrid() throws {
    let place = Globe.normal(latitude: 50, longitude: 13)
    let bytes = (0..<32).map { UInt8($0) }
    let cell = ReducedGrid(key: try ReducedAccuracyKey(bytes: bytes)).cell(of: place)
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 1
      let moved = ReducedGrid(key: try ReducedAccuracyKey(bytes: other)).cell(of: place)
      #expect(Globe.distance(cell.centre, moved.centre) > 1, "byte \(index)")
    }
  }
}
