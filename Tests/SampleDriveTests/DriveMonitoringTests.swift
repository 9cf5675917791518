import AsyncLocation
import FoundationEssentials
import MockBackend
import SampleDrive
import TestSupport
import Testing

/// The car is parked for ten minutes, drives, and is parked again: fences, visits and pauses, event
/// by event.
@Suite(.inTurn) struct DriveMonitoringTests {
  private static let parked = 600

  /// One location a second.
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
    // The car is parked for the first seconds of the drive, and at its end again.
    let start = try fixes(drive.epochs.prefix(19))
    let end = try fixes(drive.epochs.suffix(5))
    func stay(_ fixes: [Location], from: Date) throws -> [Location] {
      try (0..<Self.parked).map { second in
        try fixes[second % fixes.count].with { $0.timestamp = from + Double(second) }
      }
    }
    let middle = try fixes(drive.epochs).map { fix in
      try fix.with { $0.timestamp += Double(Self.parked) }
    }
    let last = try #require(middle.last).timestamp
    return try stay(start, from: drive.start) + middle + stay(end, from: last + 1)
  }

  @Test func theDriveCausesItsEvents() async throws {
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
    let live = manager.liveUpdates(.automotiveNavigation)
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
    var paused: [Int] = []
    for await update in live where update.diagnostics.contains(.stationary) {
      paused.append(try second(#require(update.location).timestamp))
    }
    #expect(paused == [300, 1_428])
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
    var changes: [Bool] = []
    for await event in pauses { changes.append(event.isPaused) }
    #expect(changes == [true, false, true])
  }

  /// A crossing is reported after twenty seconds, or after forty if it follows another within the
  /// hour.
  static let expectedEvents = [
    "0 home: satisfied", "0 tunnel: unsatisfied", "300 home for five minutes: satisfied",
    "650 home: unsatisfied", "650 home for five minutes: unsatisfied", "802 tunnel: satisfied",
    "886 tunnel: unsatisfied", "1159 home: satisfied", "1419 home for five minutes: satisfied",
  ]
  /// An arrival before the first fix is unknown, as is a departure that has not happened.
  static let expectedVisits = [
    "?...? at 0 m", "?...630 at 2 m", "1121...? at 2 m",
  ]
}
