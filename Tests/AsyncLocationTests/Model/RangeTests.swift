import FoundationEssentials
import TestSupport
import Testing

@testable import AsyncLocation

/// Every numeric member accepts its bounds, and the error for values beyond them names the member.
@Suite(.inTurn) struct RangeTests {
  struct Member: CustomTestStringConvertible, Sendable {
    let name: String
    let range: ClosedRange<Double>
    let store: @Sendable (Double) throws -> Double?

    init(
      _ name: String, _ range: ClosedRange<Double>,
      _ store: @escaping @Sendable (Double) throws -> Double?
    ) {
      (self.name, self.range, self.store) = (name, range, store)
    }

    var testDescription: String { name }
  }

  static let now = Date(timeIntervalSinceReferenceDate: 0)

  /// Returns the location that a closure makes at a valid coordinate.
  static func location(_ build: (Coordinate) throws -> Location) throws -> Location {
    try build(Coordinate(latitude: 1, longitude: 2))
  }

  static let members = [
    Member("latitude", -90...90) { try Coordinate(latitude: $0, longitude: 0).latitude },
    Member("longitude", -180...180) { try Coordinate(latitude: 0, longitude: $0).longitude },
    Member("altitude", -20_000...1e8) { value in
      try location { try Location(coordinate: $0, timestamp: now, altitude: value) }.altitude
    },
    Member("ellipsoidalAltitude", -20_000...1e8) { value in
      try location { try Location(coordinate: $0, timestamp: now, ellipsoidalAltitude: value) }
        .ellipsoidalAltitude
    },
    Member("horizontalAccuracy", .nonNegative) { value in
      try location { try Location(coordinate: $0, timestamp: now, horizontalAccuracy: value) }
        .horizontalAccuracy
    },
    Member("verticalAccuracy", .nonNegative) { value in
      try location { try Location(coordinate: $0, timestamp: now, verticalAccuracy: value) }
        .verticalAccuracy
    },
    Member("speed", .nonNegative) { value in
      try location { try Location(coordinate: $0, timestamp: now, speed: value) }.speed
    },
    Member("speedAccuracy", .nonNegative) { value in
      try location { try Location(coordinate: $0, timestamp: now, speedAccuracy: value) }
        .speedAccuracy
    },
    Member("course", 0...360) { value in
      try location { try Location(coordinate: $0, timestamp: now, course: value) }.course
    },
    Member("courseAccuracy", 0...180) { value in
      try location { try Location(coordinate: $0, timestamp: now, courseAccuracy: value) }
        .courseAccuracy
    },
    Member("climb", .finite) { value in
      try location { try Location(coordinate: $0, timestamp: now, climb: value) }.climb
    },
    Member("trueHeading", 0...360) {
      try Heading(trueHeading: $0, timestamp: now, source: .compass).trueHeading
    },
    Member("magneticHeading", 0...360) {
      try Heading(magneticHeading: $0, timestamp: now, source: .compass).magneticHeading
    },
    Member("headingAccuracy", 0...180) {
      try Heading(trueHeading: 1, headingAccuracy: $0, timestamp: now, source: .compass)
        .headingAccuracy
    },
    Member("x", .finite) { try Heading.MagneticField(x: $0, y: 0, z: 0).x },
    Member("y", .finite) { try Heading.MagneticField(x: 0, y: $0, z: 0).y },
    Member("z", .finite) { try Heading.MagneticField(x: 0, y: 0, z: $0).z },
    Member("horizontal", .nonNegative) { try DilutionOfPrecision(horizontal: $0).horizontal },
    Member("vertical", .nonNegative) { try DilutionOfPrecision(vertical: $0).vertical },
    Member("position", .nonNegative) { try DilutionOfPrecision(position: $0).position },
    Member("time", .nonNegative) { try DilutionOfPrecision(time: $0).time },
    Member("geometric", .nonNegative) { try DilutionOfPrecision(geometric: $0).geometric },
    Member("east", .nonNegative) { try DilutionOfPrecision(east: $0).east },
    Member("north", .nonNegative) { try DilutionOfPrecision(north: $0).north },
    Member("magneticVariation", -180...180) {
      try GNSSFix(mode: .threeDimensional, magneticVariation: $0).magneticVariation
    },
    Member("geoidSeparation", .finite) {
      try GNSSFix(mode: .threeDimensional, geoidSeparation: $0).geoidSeparation
    },
    Member("differentialAge", .nonNegative) {
      try GNSSFix(mode: .threeDimensional, differentialAge: $0).differentialAge
    },
    Member("timeUncertainty", .nonNegative) {
      try GNSSFix(mode: .threeDimensional, timeUncertainty: $0).timeUncertainty
    },
    Member("elevation", -90...90) {
      try Satellite(prn: 1, elevation: $0, isUsed: true).elevation
    },
    Member("azimuth", 0...360) { try Satellite(prn: 1, azimuth: $0, isUsed: true).azimuth },
    Member("signalStrength", 0...254) {
      try Satellite(prn: 1, signalStrength: $0, isUsed: true).signalStrength
    },
    Member("pseudorangeResidual", .finite) {
      try Satellite(prn: 1, pseudorangeResidual: $0, isUsed: true).pseudorangeResidual
    },
  ]

  /// The members that accept their upper bound, 360°, and store it as 0.
  static let directions: Set = ["course", "trueHeading", "magneticHeading", "azimuth"]

  @Test(arguments: members)
  func acceptsItsBounds(_ member: Member) throws {
    #expect(try member.store(member.range.lowerBound) == member.range.lowerBound)
    let top = member.range.upperBound
    #expect(try member.store(top) == (Self.directions.contains(member.name) ? 0 : top))
    #expect(try member.store(top.nextDown) == top.nextDown)
  }

  @Test(arguments: members)
  func refusesValuesBeyondItsBounds(_ member: Member) throws {
    var beyond = [Double.nan, -.nan, .signalingNaN, .infinity, -.infinity]
    if member.range.lowerBound > -.greatestFiniteMagnitude {
      beyond += [member.range.lowerBound.nextDown, -.greatestFiniteMagnitude]
    }
    if member.range.upperBound < .greatestFiniteMagnitude {
      beyond += [member.range.upperBound.nextUp, .greatestFiniteMagnitude]
    }
    for value in beyond {
      let error = #expect(throws: LocationError.self, "\(value)") { try member.store(value) }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.hasPrefix("\(member.name) must be finite") == true)
      // An invalid coordinate is not printed.
      let isSecret = ["latitude", "longitude"].contains("\(member.name)")
      #expect(error?.message.hasSuffix("got \(value).") == !isSecret)
    }
  }

  @Test(arguments: members)
  func negativeZeroIsStoredAsZero(_ member: Member) throws {
    let zero = try #require(try member.store(-0.0))
    #expect(zero == 0)
    #expect(zero.sign == .plus)
  }

  static let counts: [(String, Int, @Sendable (Int) throws -> Int?)] = [
    (
      "satellitesUsed", 1000,
      { try GNSSFix(mode: .twoDimensional, satellitesUsed: $0).satellitesUsed }
    ),
    (
      "satellitesVisible", 1000,
      { try GNSSFix(mode: .twoDimensional, satellitesVisible: $0).satellitesVisible }
    ),
    (
      "differentialStation", 4095,
      { try GNSSFix(mode: .twoDimensional, differentialStation: $0).differentialStation }
    ),
  ]

  @Test func countsHaveBounds() throws {
    for (name, last, store) in Self.counts {
      #expect(try store(0) == 0)
      #expect(try store(last) == last)
      for value in [-1, last + 1, .min, .max] {
        let error = #expect(throws: LocationError.self) { try store(value) }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.hasPrefix(name) == true)
      }
    }
  }

  @Test func timesHaveBounds() throws {
    let first = Timestamp.range.lowerBound
    let end = Timestamp.range.upperBound
    let last = Date(
      timeIntervalSinceReferenceDate: end.timeIntervalSinceReferenceDate.nextDown)
    let stores: [(Date) throws -> Date?] = [
      { try Location(latitude: 0, longitude: 0, timestamp: $0).timestamp },
      { try Heading(trueHeading: 0, timestamp: $0, source: .compass).timestamp },
      { try SatelliteView(timestamp: $0, satellites: []).timestamp },
    ]
    for store in stores {
      #expect(try store(first) == first)
      #expect(try store(last) == last)
      for interval in [
        first.timeIntervalSinceReferenceDate.nextDown, end.timeIntervalSinceReferenceDate,
        .nan, .infinity, -.infinity, .greatestFiniteMagnitude,
      ] {
        let error = #expect(throws: LocationError.self) {
          try store(Date(timeIntervalSinceReferenceDate: interval))
        }
        #expect(error?.code == .invalidValue)
        #expect(error?.message.hasPrefix("timestamp must be in the years 1 to 9999") == true)
      }
    }
  }

  @Test func aHeadingNeedsADirection() {
    let error = #expect(throws: LocationError.self) {
      try Heading(timestamp: Self.now, source: .compass)
    }
    #expect(error?.code == .invalidValue)
  }

  @Test func anActivationTimeIsClampedToItsRange() {
    let first = Timestamp.range.lowerBound
    for (given, kept) in [
      (Date.distantPast, first), (Date(timeIntervalSinceReferenceDate: .nan), first),
      (first, first), (Self.now, Self.now),
      (.distantFuture, .distantFuture),
      (
        Date(timeIntervalSinceReferenceDate: .infinity),
        Timestamp.range.upperBound.addingTimeInterval(-1)
      ),
    ] {
      let receiver = Receiver(name: "/dev/ttyS0", activated: given)
      #expect(receiver.activated == kept)
      #expect(receiver.isActive)
    }
    #expect(!Receiver(name: "/dev/ttyS0").isActive)
  }
}
