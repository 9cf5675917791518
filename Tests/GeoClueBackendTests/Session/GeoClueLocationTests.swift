import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import GeoClueBackend

/// Reads the properties of location objects.
@Suite(.inTurn) struct GeoClueLocationTests {
  /// The properties that a real GeoClue 2.6.0 gave for sentences of a receiver.
  static let seen: [String: BusValue] = [
    "Latitude": .double(60.25000166666667), "Longitude": .double(24.508333333333333),
    "Accuracy": .double(0), "Altitude": .double(30.5), "Speed": .double(5.1444),
    "Heading": .double(90), "Description": .string(""),
    "Timestamp": .structure([.uint64(1_796_078_876), .uint64(0)]),
  ]

  @Test func readsWhatGeoClueGives() throws {
    let location = try #require(GeoClueLocation(Self.seen)?.location(at: .distantPast))
    #expect(location.latitude == 60.25000166666667)
    #expect(location.longitude == 24.508333333333333)
    #expect(location.horizontalAccuracy == nil)
    #expect(location.altitude == 30.5)
    #expect(location.speed == 5.1444)
    #expect(location.course == 90)
    #expect(location.timestamp == Date(timeIntervalSince1970: 1_796_078_876))
    #expect(location.sourceInformation?.timeSource == .receiver)
  }

  static let numbers: [(name: String, value: Double, expected: Double?)] = [
    ("Accuracy", 12, 12), ("Accuracy", 0, nil), ("Accuracy", -1, nil), ("Accuracy", .nan, nil),
    ("Accuracy", .infinity, nil),
    ("Altitude", -.greatestFiniteMagnitude, nil), ("Altitude", -10, -10), ("Altitude", .nan, nil),
    ("Altitude", 1e300, nil),
    ("Speed", -1, nil), ("Speed", 0, 0), ("Speed", .infinity, nil),
    ("Heading", -1, nil), ("Heading", 0, 0), ("Heading", 360, 0), ("Heading", 361, nil),
  ]

  @Test(arguments: numbers)
  func numbersOutOfRangeAreAbsent(_ number: (name: String, value: Double, expected: Double?)) throws
  {
    var properties = Self.seen
    properties[number.name] = .double(number.value)
    let location = try #require(GeoClueLocation(properties)?.location(at: .distantPast))
    let value =
      switch number.name {
      case "Accuracy": location.horizontalAccuracy
      case "Altitude": location.altitude
      case "Speed": location.speed
      default: location.course
      }
    #expect(value == number.expected)
  }

  static let coordinates: [[String: BusValue]] = [
    ["Latitude": .double(91)], ["Latitude": .double(.nan)], ["Longitude": .double(-180.5)],
    ["Longitude": .double(.infinity)], ["Latitude": .string("60")], ["Longitude": .unsupported],
  ]

  @Test(arguments: coordinates)
  func aLocationWithoutAValidCoordinateIsNone(_ changes: [String: BusValue]) {
    #expect(GeoClueLocation(Self.seen.merging(changes) { $1 }) == nil)
  }

  static let times: [BusValue] = [
    .structure([.uint64(0), .uint64(0)]), .structure([.uint64(.max), .uint64(0)]),
    .structure([.uint64(1_796_078_876), .uint64(1_000_000)]), .structure([.uint64(1)]),
    .uint64(1_796_078_876), .structure([.double(.nan), .double(1)]), .unsupported,
  ]

  @Test(arguments: times)
  func theHostsTimeReplacesAnUnusableTime(_ time: BusValue) throws {
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    let read = GeoClueLocation(Self.seen.merging(["Timestamp": time]) { $1 })
    let location = try #require(read?.location(at: now))
    #expect(location.timestamp == now)
    #expect(location.sourceInformation?.timeSource == .host)
  }

  @Test func microsecondsCount() throws {
    let time = BusValue.structure([.uint64(1_796_078_876), .uint64(250_000)])
    let read = GeoClueLocation(Self.seen.merging(["Timestamp": time]) { $1 })
    let location = try #require(read?.location(at: .distantPast))
    #expect(location.timestamp == Date(timeIntervalSince1970: 1_796_078_876.25))
  }
}
