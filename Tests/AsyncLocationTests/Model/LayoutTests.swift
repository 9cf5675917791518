import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// The sizes of values. They contain no references, so the size is the cost of a copy.
@Suite(.inTurn) struct LayoutTests {
  struct Layout: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let size: Int
    let stride: Int
    let expected: (size: Int, stride: Int)

    /// Accepts only bitwise-copyable types.
    init<Value: BitwiseCopyable>(_ type: Value.Type, _ size: Int, stride: Int) {
      testDescription = "\(type)"
      (self.size, self.stride) = (MemoryLayout<Value>.size, MemoryLayout<Value>.stride)
      expected = (size, stride)
    }
  }

  /// The layouts that Documentation/Performance.md lists.
  static let layouts = [
    Layout(Location.self, 232, stride: 232), Layout(Location?.self, 232, stride: 232),
    Layout(LocationUpdate.self, 236, stride: 240), Layout(GNSSFix.self, 100, stride: 104),
    Layout(GNSSFix?.self, 100, stride: 104), Layout(DilutionOfPrecision.self, 56, stride: 56),
    Layout(Coordinate.self, 16, stride: 16), Layout(SourceInformation.self, 6, stride: 8),
    Layout(SourceInformation?.self, 6, stride: 8), Layout(Heading.self, 63, stride: 64),
    Layout(Heading.MagneticField.self, 24, stride: 24), Layout(Satellite.self, 123, stride: 128),
    Layout(Arrival.self, 20, stride: 24), Layout(DeviceID.self, 4, stride: 4),
    Layout(PackedOptional.self, 8, stride: 8), Layout(PackedCount.self, 2, stride: 2),
  ]

  @Test(arguments: layouts)
  func valuesHaveTheirExpectedSize(_ layout: Layout) {
    #expect(layout.size == layout.expected.size)
    #expect(layout.stride == layout.expected.stride)
  }

  @Test(arguments: [nil, 0, 1, -1, .min, .max] as [Int?])
  func everyFloorIsKept(_ floor: Int?) throws {
    let location = try Location(latitude: 1, longitude: 2, floor: floor)
    #expect(location.floor == floor)
    let other = try Location(
      latitude: 1, longitude: 2, timestamp: location.timestamp, floor: floor == 0 ? nil : 0)
    #expect(location != other)
  }

  @Test func anArrivalCanBeCleared() throws {
    var location = try Location(latitude: 1, longitude: 2)
    #expect(location.arrival == nil)
    location.arrival = Arrival(timeline: .continuous, instant: .zero - .nanoseconds(1))
    #expect(location.arrival?.instant == .nanoseconds(-1))
    #expect(location.arrival?.timeline == .continuous)
    location.arrival = nil
    #expect(location.arrival == nil)
    #expect(location.age == nil)
  }

  @Test func absentDilutionDiffersFromEmptyDilution() throws {
    let fixes = try [nil, DilutionOfPrecision(), DilutionOfPrecision(horizontal: 0)].map {
      try GNSSFix(mode: .twoDimensional, dilutionOfPrecision: $0)
    }
    #expect(Set(fixes).count == 3)
    #expect(fixes[0].dilutionOfPrecision == nil)
    #expect(try fixes[1].dilutionOfPrecision == DilutionOfPrecision())
  }

  @Test func absentMagneticFieldDiffersFromZero() throws {
    func heading(_ field: Heading.MagneticField?) throws -> Heading {
      try Heading(
        trueHeading: 1, magneticField: field, timestamp: Date(timeIntervalSinceReferenceDate: 0),
        source: .compass)
    }
    let zero = try Heading.MagneticField(x: 0, y: 0, z: 0)
    #expect(try heading(nil).magneticField == nil)
    #expect(try heading(zero).magneticField == zero)
    #expect(try heading(nil) != heading(zero))
    let field = try Heading.MagneticField(x: -0.0, y: 2, z: -3)
    #expect(try heading(field).magneticField == field)
  }
}
