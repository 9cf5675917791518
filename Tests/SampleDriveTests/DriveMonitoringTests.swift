import AsyncLocation
import FoundationEssentials
import MockBackend
import SampleDrive
import TestSupport
import Testing

/// The car is parked for ten minutes, drives, and is parked again: fences, visits and pauses, event
/// by event.
@Suite(.inTurn) struct DriveMonitoringTests {
  /// The seconds that the car is parked before the drive, and after it.
  private static let parkedSeconds = 600

  /// The locations of the drive, between two stays of the parked car. There is one each second,
  /// except while the receiver has no fix.
  private func locations() throws -> [Location] {
    func fixes(_ epochs: some Sequence<Epoch>) throws -> [Location] {
      try epochs.flatMap { epoch in
        try epoch.events.compactMap { event -> Location? in
          guard case .location(let location) = event else { return nil }
          return location
        }
      }
    }
    let drive = Drive()
    // The car is parked in the first seconds and in the last seconds of the drive.
    let start = try fixes(drive.epochs.prefix(19))
    let end = try fixes(drive.epochs.suffix(5))
    func stay(_ fixes: [Location], from firstTime: Date) throws -> [Location] {
      try (0..<Self.parkedSeconds).map { second in
        try fixes[second % fixes.count].with { $0.timestamp = firstTime + Double(second) }
      }
    }
    let driven = try fixes(drive.epochs).map { fix in
      try fix.with { $0.timestamp += Double(Self.parkedSeconds) }
    }
    let last = try #require(driven.last).timestamp
    return try stay(start, from: drive.start) + driven + stay(end, from: last + 1)
  }

  @Test func theDriveProducesTheExpectedEvents() async throws {
    let clock = ManualClock()
    let backend = MockBackend()
    let manager = LocationManager(
      backend: backend, configuration: .init(buffering: .newest(10_000)), clock: clock)
    let locations = try locations()
    let home = locations[0]
    let tunnel = try #require(Drive().epochs.first { $0.truth.isInTunnel }).truth
    let monitor = try await Monitor("drive", manager: manager)
    try await monitor.add(contentsOf: [
      "home": .circle(center: home.coordinate, radius: 100),
      "home for five minutes": .circle(center: home.coordinate, radius: 100).dwelling(
        .seconds(300)),
      "tunnel": .circle(
        center: Coordinate(latitude: tunnel.latitude, longitude: tunnel.longitude), radius: 500),
    ])
    let visits = manager.visits
    let liveUpdates = manager.liveUpdates(.automotiveNavigation)
    let pauses = manager.pauseEvents
    for (index, location) in locations.enumerated() {
      let received = await manager.statistics.eventsReceived
      try backend.emit(.location(location))
      while await manager.statistics.eventsReceived == received { await Task.yield() }
      if index + 1 < locations.count {
        clock.advance(by: .seconds(location.timestamp.distance(to: locations[index + 1].timestamp)))
      }
    }
    await manager.shutdown()
    func second(_ date: Date) -> Int { Int(date.timeIntervalSince(Drive().start).rounded()) }
    var stationarySeconds: [Int] = []
    for await update in liveUpdates where update.diagnostics.contains(.stationary) {
      stationarySeconds.append(try second(#require(update.location).timestamp))
    }
    #expect(stationarySeconds == [300, 1_428])
    var events: [String] = []
    for await event in monitor.events {
      events.append("\(second(event.date)) \(event.identifier): \(event.state)")
    }
    #expect(events == Self.expectedEvents)
    var stays: [String] = []
    for try await visit in visits {
      let (arrival, departure) = (visit.arrival.map(second), visit.departure.map(second))
      let metres = Int(visit.coordinate.distance(to: home.coordinate).rounded())
      stays.append(
        "\(arrival.map(String.init) ?? "?")...\(departure.map(String.init) ?? "?") at \(metres) m")
    }
    #expect(stays == Self.expectedVisits)
    var pauseStates: [Bool] = []
    for await event in pauses { pauseStates.append(event.isPaused) }
    #expect(pauseStates == [true, false, true])
  }

  /// A crossing is reported after twenty seconds, or after forty if it follows another one within
  /// an hour.
  static let expectedEvents = [
    "0 home: satisfied", "0 tunnel: unsatisfied", "300 home for five minutes: satisfied",
    "650 home: unsatisfied", "650 home for five minutes: unsatisfied", "802 tunnel: satisfied",
    "886 tunnel: unsatisfied", "1159 home: satisfied", "1419 home for five minutes: satisfied",
  ]
  /// The arrival is unknown ("?") if the first fix is already at the place, and the departure is
  /// unknown before it happens.
  static let expectedVisits = [
    "?...? at 0 m", "?...630 at 2 m", "1121...? at 2 m",
  ]
}
