import AsyncLocation
import FoundationEssentials
import LocationFleet
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct PackedLocationsTests {
  /// Locations as OwnTracks sends them: six decimal places, whole metres and whole kilometres per
  /// hour.
  private func drive(_ count: Int) throws -> [Location] {
    var random = SplitMix64(seed: 1)
    var (latitude, longitude) = (48.137154, 11.576124)
    return try (0..<count).map { index in
      latitude = ((latitude + .random(in: -2e-4...2e-4, using: &random)) * 1e6).rounded() / 1e6
      longitude = ((longitude + .random(in: -2e-4...2e-4, using: &random)) * 1e6).rounded() / 1e6
      return try Location(
        latitude: latitude, longitude: longitude,
        timestamp: Date(timeIntervalSinceReferenceDate: Double(800_000_000 + index)),
        altitude: Double(Int.random(in: 500...520, using: &random)),
        horizontalAccuracy: Double(Int.random(in: 3...12, using: &random)),
        speed: Double(Int.random(in: 0...120, using: &random)) / 3.6,
        course: Double(Int.random(in: 0..<360, using: &random)))
    }
  }

  /// A location with random values. Each optional member may be absent.
  private static func location(using random: inout SplitMix64) throws -> Location {
    func number(_ range: ClosedRange<Double>) -> Double? {
      let value = Double.random(in: range, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: return nil
      case 1: return value.rounded()
      case 2: return (value * 100).rounded() / 100
      default: return value
      }
    }
    return try Location(
      latitude: number(-90...90) ?? 0, longitude: number(-180...180) ?? 180,
      timestamp: Date(timeIntervalSinceReferenceDate: number(-1e9...1e9) ?? 0),
      altitude: number(-100...9_000), ellipsoidalAltitude: number(-100...9_000),
      horizontalAccuracy: number(0...100), verticalAccuracy: number(0...100),
      speed: number(0...300), speedAccuracy: number(0...10), course: number(0...359),
      courseAccuracy: number(0...180), climb: number(-50...50),
      floor: number(-3...99).map { Int($0) },
      sourceInformation: Bool.random(using: &random)
        ? SourceInformation(isSimulated: true) : nil)
  }

  @Test("the locations of a device take few bytes")
  func size() throws {
    let locations = try drive(256)
    let bytes = try PackedLocations.pack(locations)
    #expect(PackedLocations.unpack(bytes) == locations)
    #expect(bytes.count <= 12 * locations.count)
  }

  @Test("any locations round-trip", arguments: [0, 1, 2, 9, 300])
  func exactness(count: Int) throws {
    for seed in 0..<20 {
      var random = SplitMix64(seed: UInt64(seed))
      let locations = (0..<count).map { _ in try! Self.location(using: &random) }
      let bytes = try PackedLocations.pack(locations)
      #expect(PackedLocations.unpack(bytes) == locations)
    }
  }

  @Test("assessments round-trip in few bytes")
  func assessments() throws {
    var locations = try drive(256)
    let plain = try PackedLocations.pack(locations).count
    let assessments = [nil, .plausible, LocationIntegrity(reasons: [.jump, .clock])]
    for index in locations.indices { locations[index].integrity = assessments[index / 100] }
    let bytes = try PackedLocations.pack(locations)
    #expect(
      PackedLocations.unpack(bytes)?.map(\.integrity)
        == locations.indices.map { assessments[$0 / 100] })
    #expect(bytes.count <= plain + locations.count + 64)
  }

  @Test("values at the limits round-trip")
  func limits() throws {
    let locations = try [-180, 180, 0, 1e-300, 179.999_999_999_999_97].map { longitude in
      try Location(
        latitude: -90, longitude: longitude,
        timestamp: Date(timeIntervalSinceReferenceDate: 0.1 + longitude),
        altitude: -0.0, speed: .greatestFiniteMagnitude, climb: -.leastNonzeroMagnitude, floor: -3)
    }
    #expect(PackedLocations.unpack(try PackedLocations.pack(locations)) == locations)
  }

  @Test("damaged bytes are refused or are other locations, and end")
  func damage() throws {
    let bytes = try PackedLocations.pack(try drive(20))
    for length in 0..<bytes.count {
      #expect(PackedLocations.unpack(Array(bytes[..<length])) == nil)
    }
    #expect(PackedLocations.unpack(bytes + [0]) == nil)
    var random = SplitMix64(seed: 7)
    for _ in 0..<5_000 {
      var damaged = bytes
      damaged[Int.random(in: 0..<bytes.count, using: &random)] = .random(
        in: 0...255, using: &random)
      if let locations = PackedLocations.unpack(damaged) {
        #expect(locations.allSatisfy { (-90...90).contains($0.latitude) })
      }
    }
    // The count is larger than ten bytes can hold.
    #expect(
      PackedLocations.unpack([1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]) == nil)
  }
}
