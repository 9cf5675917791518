import AsyncLocation
import FoundationEssentials
import LocationFleet
import LocationStorage
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

/// The trips that `stats` and `history` print.
@Suite(.inTurn) struct TripsTests {
  /// Twenty minutes at rest, ten to the north at 10 m/s, twenty at rest, and back.
  private static func drive() throws -> [Location] {
    var (latitude, locations) = (48.0, [Location]())
    for (minutes, speed) in [(20, 0.0), (10, 10), (20, 0), (10, -10), (20, 0)] {
      for _ in 0..<2 * minutes {
        latitude += speed * 30 / 111_200
        locations.append(
          try Location(
            coordinate: Coordinate(latitude: latitude, longitude: 11),
            timestamp: Samples.time + Double(30 * locations.count), horizontalAccuracy: 5,
            speed: speed.magnitude))
      }
    }
    return locations
  }

  private static func recording() throws -> String {
    try "time,lat,lon,accuracy,speed\n"
      + drive().map {
        "\(NumberText.time($0.timestamp)),\($0.latitude),\($0.longitude),5,\($0.speed ?? 0)\n"
      }.joined()
  }

  private static func stats(_ shape: Presentation.Shape) async throws -> [String] {
    let folder = try RecordingFolder()
    try folder.write(try recording(), to: "in.csv")
    let bench = Bench(MockBackend(), shape: shape)
    #expect(try await bench.run("stats \(folder.path)/in.csv --trips") == .done)
    return await bench.output.lines
  }

  @Test func statsPrintsALineForEachTrip() async throws {
    let lines = try await Self.stats(.lines).map { $0.split(separator: " ") }
    try #require(lines.count == 2)
    #expect(lines.map(\.count) == [TripLine.columns.count, TripLine.columns.count])
    for line in lines {
      let distance = try #require(Double(line[2]))
      #expect((5_800...6_100).contains(distance))
      #expect(line[4] == "10.00")
      #expect(line[5] == "0")
    }
    // The way back begins where the first trip ended.
    #expect(lines[0][8].prefix(6) == lines[1][6].prefix(6))
  }

  /// The same answer from a recording and from the history of a fleet, to the byte.
  @Test func historyHasTheSameTrips() async throws {
    let folder = try RecordingFolder()
    let path = "\(folder.path)/fleet.db"
    let (session, _) = try await SQLiteFleetStorage(file: path).open()
    let device = try #require(FleetDevice.ID("jane/boat"))
    let locations = try Self.drive()
    try await session.commit(
      locations.enumerated().map {
        .location(device, $1, isLast: $0 == locations.count - 1)
      })
    await session.close()
    let bench = Bench(MockBackend(), shape: .json)
    let command = "history jane/boat --storage \(path) --trips"
    #expect(try await bench.run(command) == .done)
    let lines = await bench.output.lines
    #expect(lines.count == 2)
    #expect(try await Self.stats(.json) == lines)

    let first = Bench(MockBackend(), shape: .json)
    #expect(try await first.run(command + " --count 1") == .done)
    #expect(await first.output.lines == Array(lines.prefix(1)))
  }

  @Test("places are asked for once each, and printed in quotes")
  func places() async throws {
    let folder = try RecordingFolder()
    try folder.write(try Self.recording(), to: "in.csv")
    let command = "stats \(folder.path)/in.csv --trips --places"
    func geocoder() -> MockGeocoder {
      MockGeocoder { request in
        guard case .reverseGeocode(let coordinate, nil) = request else {
          return .error(LocationError(.invalidValue, "\(request)"))
        }
        return .placemarks(
          Placemark(
            coordinate: coordinate, name: coordinate.latitude < 48.01 ? "The \"Depot\"" : nil,
            locality: "Munich", isoCountryCode: "DE", attribution: "the map of everyone"))
      }
    }
    let bench = Bench(MockBackend(), geocoder: geocoder())
    #expect(try await bench.run(command) == .done)
    let lines = await bench.output.lines
    try #require(lines.count == 2)
    let (depot, town) = (#""The 'Depot', Munich, DE""#, #""Munich, DE""#)
    #expect(lines[0].hasSuffix(" \(depot) \(town)"))
    #expect(lines[1].hasSuffix(" \(town) \(depot)"))
    #expect(await bench.errors.text.contains("places: the map of everyone"))

    let json = Bench(MockBackend(), shape: .json, geocoder: geocoder())
    #expect(try await json.run(command) == .done)
    let trips = await json.output.lines.map { Data($0.utf8) }
    let plain = try await Self.stats(.json).map { Data($0.utf8) }
    #expect(
      try trips.map { try JSONDecoder().decode(Trip.self, from: $0) }
        == plain.map { try JSONDecoder().decode(Trip.self, from: $0) })
    struct Places: Decodable { let startPlacemark, endPlacemark: Placemark }
    for trip in trips {
      let places = try JSONDecoder().decode(Places.self, from: trip)
      #expect(places.startPlacemark.isoCountryCode == "DE")
      #expect(places.endPlacemark.locality == "Munich")
    }
    #expect(await json.errors.text.isEmpty)
  }

  @Test(arguments: [
    ("stats a.gpx --places", "--places needs --trips"),
    ("stats a.gpx --trips --locale de", "--locale needs --places"),
    ("history a/b --storage a.db --places", "--places needs --trips"),
    ("history a/b --storage a.db --trips --nominatim http://a", "--nominatim needs --places"),
  ])
  func placesAreOfTrips(_ command: String, _ message: String) {
    let words = command.split(separator: " ").map(String.init)
    let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
    #expect(error?.message == message)
  }

  @Test func tripsAreOfADevice() {
    for options in [
      "--conditions a.geojson --trips", "jane/boat --trips --at 2026-11-30T08:00:00Z",
    ] {
      let words = "history --storage a.db \(options)".split(separator: " ").map(String.init)
      let error = #expect(throws: UsageError.self) { try Invocation.parse(words) }
      #expect(error?.message.contains("exclude each other") == true)
    }
  }
}
