import AsyncLocation
import FoundationEssentials
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import MQTTBackend

/// The trips of a fleet's devices: from its stream, from its history and from the machine alone.
@Suite(.inTurn)
struct FleetTripTests {
  /// A drive of ten minutes to the north, between rests of a quarter of an hour.
  private static func day(_ latitude: Double, from start: Double, every step: Int) -> [Location] {
    stride(from: 0, through: 2_400, by: step).map { second in
      let elapsed = min(max(second - 900, 0), 600)
      return location(
        at: start + Double(second), latitude: latitude + Double(elapsed) * 10 / 111_000)
    }
  }

  /// The trips that a stream delivers.
  private static func trips(of locations: [Location]) -> [Trip] {
    var machine = TripStateMachine()
    return locations.compactMap { machine.located($0) }
  }

  /// The locations of each device by its name, at different intervals.
  private static let fleet: [String: [Location]] = Dictionary(
    uniqueKeysWithValues: (0..<6).map { index in
      ("jane/car\(index)", day(40 + Double(index), from: Double(index), every: 10 + 10 * index))
    })

  /// All locations, in an order that keeps that of each device.
  private static func mixed(seed: UInt64) -> [(device: String, location: Location)] {
    var random = SplitMix64(seed: seed)
    var rest = fleet.mapValues { $0[...] }
    var mixed: [(String, Location)] = []
    while let name = rest.keys.sorted().randomElement(using: &random) {
      if let location = rest[name]?.popFirst() { mixed.append((name, location)) }
      if rest[name]?.isEmpty ?? false { rest[name] = nil }
    }
    return mixed
  }

  private static func json(_ trips: [FleetTrip]) throws -> [String] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try trips.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
  }

  private static func all(_ trips: FleetTrips) async throws -> [FleetTrip] {
    var elements: [FleetTrip] = []
    for try await trip in trips { elements.append(trip) }
    return elements
  }

  @Test("a fleet, its partitions, its history and a replay have the same trips", arguments: 0..<3)
  func sameAnswer(seed: Int) async throws {
    let devices = Self.fleet.keys.sorted()
    let expected = try devices.map { name in
      let trips = Self.trips(of: Self.fleet[name] ?? [])
      #expect(trips.map { $0.end != nil } == [false, true])
      return try Self.json(trips.map { FleetTrip(device: id(name), trip: $0) })
    }
    let mixed = Self.mixed(seed: UInt64(seed))
    // One fleet with a history, and three that share the devices.
    let storage = MemoryFleetStorage()
    let broker = MockBroker()
    let whole = try await Fleet(FleetConfiguration(), broker: broker, storage: storage)
    let parts = try (0..<3).map { number in
      try Fleet(
        FleetConfiguration(partition: .init(number, base: "part")), broker: broker)
    }
    let wholeTrips = whole.trips
    let partTrips = parts.map(\.trips)
    _ = (whole.devices, parts.map(\.devices))
    for (name, location) in mixed {
      broker.publish(location, from: id(name), isRetained: false)
      let number = (devices.firstIndex(of: name) ?? 0) % 3
      broker.publish(location, from: id(name), base: "part/\(number)", isRetained: false)
    }
    try await whole.waitUntilStored()
    let history = try #require(whole.history)
    var stored: [[String]] = []
    for name in devices {
      let trips = try await history.trips(of: id(name))
      stored.append(try Self.json(trips.map { FleetTrip(device: id(name), trip: $0) }))
    }
    await whole.shutdown()
    for part in parts { await part.shutdown() }
    func byDevice(_ trips: [FleetTrip]) throws -> [[String]] {
      try devices.map { name in try Self.json(trips.filter { $0.device == id(name) }) }
    }
    #expect(try byDevice(try await Self.all(wholeTrips)) == expected)
    var divided: [FleetTrip] = []
    for trips in partTrips { divided += try await Self.all(trips) }
    #expect(try byDevice(divided) == expected)
    // A history has only the last state of each trip.
    #expect(stored == expected.map { Array($0.suffix(1)) })
  }

  @Test("a trip is decoded as it was encoded")
  func coding() throws {
    for trip in Self.trips(of: Self.fleet["jane/car0"] ?? []) {
      let trip = FleetTrip(device: id("jane/car0"), trip: trip)
      let json = try JSONEncoder().encode(trip)
      #expect(try JSONDecoder().decode(FleetTrip.self, from: json) == trip)
      #expect("\(trip)".contains("jane/car0"))
    }
  }

  @Test("a device that was forgotten has no trip from before")
  func forgets() async throws {
    let broker = MockBroker()
    let fleet = try Fleet(FleetConfiguration(), broker: broker)
    let trips = fleet.trips
    _ = fleet.devices
    let car = id("jane/car")
    let locations = Self.day(50, from: 0, every: 10)
    let middle = locations.count / 2
    for location in locations[..<middle] { broker.publish(location, from: car, isRetained: false) }
    fleet.forget(car)
    for location in locations[middle...] { broker.publish(location, from: car, isRetained: false) }
    await fleet.shutdown()
    let expected =
      Self.trips(of: Array(locations[..<middle])) + Self.trips(of: Array(locations[middle...]))
    #expect(try await Self.all(trips).map(\.trip) == expected)
    #expect(expected.count == 3)
  }

  @Test("a location that its device found contradicted is left out")
  func leavesOutContradicted() async throws {
    let broker = MockBroker()
    let fleet = try Fleet(FleetConfiguration(), broker: broker)
    let trips = fleet.trips
    _ = fleet.devices
    for location in Self.day(50, from: 0, every: 10) {
      var location = location
      location.integrity = LocationIntegrity(reasons: .replay)
      broker.publish(location, from: id("jane/car"), isRetained: false)
    }
    #expect(fleet.device(id("jane/car"))?.location?.integrity?.reasons == .replay)
    await fleet.shutdown()
    #expect(try await Self.all(trips).isEmpty)
  }

  @Test("locations that are read too slowly are counted, and their trips go on")
  func bounds() async throws {
    let broker = MockBroker()
    let limits = FleetLimits(buffering: .newest(100))
    let fleet = try Fleet(FleetConfiguration(limits: limits), broker: broker)
    let trips = fleet.trips
    _ = fleet.devices
    let locations = Self.day(50, from: 0, every: 10)
    for location in locations { broker.publish(location, from: id("jane/car"), isRetained: false) }
    await fleet.shutdown()
    let expected = Self.trips(of: Array(locations.suffix(100)))
    #expect(try await Self.all(trips).map(\.trip) == expected)
    #expect(trips.dropped == locations.count - 100)
  }

  @Test("a stream after the end throws, and a released one unsubscribes")
  func end() async throws {
    let fleet = try Fleet(FleetConfiguration(), broker: MockBroker())
    do {
      let trips = fleet.trips
      #expect(fleet.hub.subscriberCount == 1)
      _ = trips.dropped
    }
    #expect(fleet.hub.subscriberCount == 0)
    await fleet.shutdown()
    var late = fleet.trips.makeAsyncIterator()
    let error = await #expect(throws: LocationError.self) { try await late.next() }
    #expect(error?.code == .shutDown)
  }

  @Test("devices that the fleet has forgotten do not stay in the table")
  func boundsTheTable() {
    let known = Locked<Set<FleetDevice.ID>>([])
    var table = FleetTripTable(TripOptions()) { device in known.withLock { $0.contains(device) } }
    for number in 0..<20_000 {
      let device = id("jane/\(number)")
      known.withLock { known in
        known.insert(device)
        if number >= 500 { known.remove(id("jane/\(number - 500)")) }
      }
      let trip = table.located(
        TripLocation(
          device: device, number: UInt32(number), location: location(at: Double(number))))
      #expect(trip == nil)
      #expect(table.count <= 2 * FleetTripTable.leastCount)
    }
  }
}
