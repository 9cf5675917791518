import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// What a manager does with its assessments.
@Suite(.inTurn) struct IntegrityStreamTests {
  /// A drive of a minute in which the last ten locations are displaced.
  private static func locations() -> [Location] {
    (0..<60).map { DrivingReceiver(displacement: $0 < 50 ? 0 : 500).location(Double($0)) }
  }

  /// Emits the locations at their pace, and returns those that streams with options receive.
  private func delivered(
    _ options: [UpdateOptions], _ bench: ManagerBench = ManagerBench()
  ) async throws -> [[Location]] {
    let streams = options.map { bench.manager.updates($0) }
    await bench.backend.waitUntilRunning()
    for location in Self.locations() {
      try bench.backend.emit(.location(location))
      bench.clock.advance(by: .seconds(1))
    }
    await bench.manager.shutdown()
    var all: [[Location]] = []
    for stream in streams { all.append(await stream.all().elements) }
    return all
  }

  @Test func everyLocationHasItsAssessment() async throws {
    let bench = ManagerBench()
    let locations = try await delivered([UpdateOptions()], bench)[0]
    #expect(locations.prefix(50).allSatisfy { $0.integrity == .plausible })
    #expect(locations.suffix(10).allSatisfy { $0.integrity?.reasons == .jump })
    #expect(locations.count == 60)
    #expect(await bench.manager.statistics.locationsSuspect == 10)
  }

  @Test func suspectLocationsAreOmittedOnRequest() async throws {
    let bench = ManagerBench()
    let all = try await delivered(
      [
        UpdateOptions(omitsSuspectLocations: true),
        UpdateOptions(minimumInterval: .seconds(10), omitsSuspectLocations: true),
        UpdateOptions(minimumInterval: .seconds(10)),
      ], bench)
    #expect(all[0].count == 50)
    #expect(all[1].count == 5)
    #expect(all[2].count == 6)
    #expect(await bench.manager.statistics.locationsSuspect == 10)
  }

  /// When a receiver is suspect depends on its precise positions.
  @Test func reducedLocationsHaveNoAssessment() async throws {
    let bench = ManagerBench(authorization: .answering(ReducedAccuracyTests.reduced))
    let locations = try await delivered([UpdateOptions()], bench)[0]
    #expect(!locations.isEmpty)
    #expect(locations.allSatisfy { $0.integrity == nil })
    #expect(await bench.manager.statistics.locationsSuspect == 0)
  }

  @Test func theSkyCountsWhileItIsSubscribed() async throws {
    let bench = ManagerBench()
    let (updates, satellites) = (bench.manager.updates, bench.manager.satellites)
    await bench.backend.waitUntilRunning()
    let receiver = DrivingReceiver()
    for second in 0..<20 {
      try bench.backend.emit(
        .satellites(receiver.view { _ in 44 }), .location(receiver.location(Double(second))))
      bench.clock.advance(by: .seconds(1))
    }
    await bench.manager.shutdown()
    let locations = await updates.all().elements
    #expect(locations.first?.integrity == .plausible)
    #expect(locations.last?.integrity?.reasons == .uniformSignals)
    #expect(await satellites.all().elements.count == 20)
  }

  // MARK: The value

  @Test func assessmentsAreEncodedButNotCompared() throws {
    var location = DrivingReceiver().location(0)
    let original = location
    for integrity in [nil, .plausible, LocationIntegrity(reasons: [.jump, .antenna])] {
      location.integrity = integrity
      #expect(location == original)
      #expect(location.hashValue == original.hashValue)
      #expect(location.integrity == integrity)
      let decoded = try JSONDecoder().decode(Location.self, from: JSONEncoder().encode(location))
      #expect(decoded == location)
      #expect(decoded.integrity == integrity)
      let copy = try location.with { $0.altitude = 5 }
      #expect(copy.integrity == integrity)
    }
    let json = String(decoding: try JSONEncoder().encode(location), as: UTF8.self)
    #expect(json.contains(#""integrity":["jump","antenna"]"#))
    #expect("\(location)".contains("integrity: suspect [jump, antenna]"))
    location.integrity = .plausible
    #expect("\(location)".contains("integrity: plausible"))
  }

  @Test func everyReasonHasItsPlace() {
    var location = DrivingReceiver().location(0)
    for (name, reason) in LocationIntegrity.Reasons.names {
      location.integrity = LocationIntegrity(reasons: reason)
      #expect(location.integrity?.reasons == reason, "\(name)")
      #expect(location.isSuspect, "\(name)")
    }
    location.integrity = .plausible
    #expect(!location.isSuspect)
    #expect(MemoryLayout<Location>.size == 232)
  }
}
