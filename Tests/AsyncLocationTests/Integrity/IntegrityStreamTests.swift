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

  @Test func locationsThatAreNotDeliveredAreNotCounted() async throws {
    let bench = ManagerBench()
    let updates = bench.manager.updates
    await bench.backend.waitUntilRunning()
    let locations = Self.locations()
    for location in locations {
      try bench.backend.emit(.location(location))
      bench.clock.advance(by: .seconds(1))
    }
    // Older ones, while the last one is suspect.
    try bench.backend.emit(.location(locations[50]), .location(locations[51]))
    await bench.manager.shutdown()
    #expect(await updates.all().elements.count == 60)
    #expect(await bench.manager.statistics.locationsStale == 2)
    #expect(await bench.manager.statistics.locationsSuspect == 10)
  }

  /// A receiver at rest whose antenna is disconnected or whose position jumps after half a minute.
  @Test(arguments: [true, false])
  func visitsAndChangesLeaveOutOnlyContradictions(jumps: Bool) async throws {
    let bench = ManagerBench()
    let (visits, changes) = (bench.manager.visits, bench.manager.significantLocationChanges)
    let events = bench.manager.events(
      EventOptions(services: [.visits, .significantLocationChanges]))
    let updates = bench.manager.updates
    await bench.backend.waitUntilRunning()
    for second in 0..<900 {
      let receiver = DrivingReceiver(
        speed: 0, displacement: jumps && second >= 30 && second % 2 == 0 ? 5_000 : 0,
        antennaStatus: !jumps && second >= 30 ? 2 : 1)
      try bench.backend.emit(.location(receiver.location(Double(second))))
      bench.clock.advance(by: .seconds(1))
    }
    await bench.manager.shutdown()
    #expect(await updates.all().elements.count { $0.integrity?.isSuspect ?? false } > 800)
    #expect(await visits.all().elements.count == (jumps ? 0 : 1))
    #expect(await changes.all().elements.count == 1)
    var visited = 0
    for await event in events {
      if case .didVisit = event { visited += 1 }
    }
    #expect(visited == (jumps ? 0 : 1))
  }

  // MARK: The value

  @Test(arguments: LocationIntegrity.Reasons.names.map(\.name))
  func aLocationIsContradictedByItsPositionOrTime(name: String) {
    let contradictions = ["jump", "drift", "clock", "replay"]
    var location = DrivingReceiver().location(0)
    location.integrity = LocationIntegrity(names: [name])
    #expect(location.isSuspect)
    #expect(location.isContradicted == contradictions.contains(name))
    location.integrity = .plausible
    #expect(!location.isContradicted)
    location.integrity = nil
    #expect(!location.isContradicted)
  }

  /// What a newer version encoded.
  @Test func unknownReasonsAreNotPlausible() throws {
    func decoded(_ names: String) throws -> LocationIntegrity? {
      var location = DrivingReceiver().location(0)
      location.integrity = .plausible
      let json = String(decoding: try JSONEncoder().encode(location), as: UTF8.self)
      let other = json.replacing(#""integrity":[]"#, with: #""integrity":\#(names)"#)
      #expect(other.contains(names))
      return try JSONDecoder().decode(Location.self, from: Data(other.utf8)).integrity
    }
    #expect(try decoded(#"["later"]"#) == nil)
    #expect(try decoded(#"["later","jump"]"#)?.reasons == .jump)
    #expect(try decoded("[]") == .plausible)
    #expect(throws: DecodingError.self) { try decoded(#"{"jump":1}"#) }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(LocationIntegrity.self, from: Data(#"["later"]"#.utf8))
    }
  }

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
