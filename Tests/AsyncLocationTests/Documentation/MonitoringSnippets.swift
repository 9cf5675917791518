import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

/// The code of "Monitoring conditions" and "Visits, trips, significant changes and pausing".
@Suite(.inTurn) @MainActor
struct MonitoringSnippets {
  private let backend = MockBackend(
    script: MockScript([.emit(.location(fix(1, accuracy: 5))), .end]), clock: ManualClock())
  private let depot = at(60.17, 24.94)
  private let yard = box(60.1, 24.9, 60.2, 25)

  @Test func monitor() async throws {
    let manager = LocationManager(backend: backend)
    let monitor = try await Monitor("deliveries", manager: manager)
    try await monitor.add(
      .circle(center: Coordinate(latitude: 60.17, longitude: 24.94), radius: 150),
      identifier: "depot")
    for await event in monitor.events {
      print(event.date, event.identifier, event.previousState, event.state)
    }
  }

  @Test func dwell() async throws {
    let monitor = try await Monitor("orders", manager: LocationManager(backend: backend))
    let delivery = try Condition.polygon(yard)
      .dwelling(.seconds(120)).expiring(at: Date(timeIntervalSinceNow: 86_400))
    try await monitor.add(delivery, identifier: "order 4711", assuming: .unsatisfied)
    #expect(await monitor.identifiers == ["order 4711"])
  }

  @Test func tracker() throws {
    let location = fix(1)
    let uptime = Duration.zero
    var tracker = ConditionTracker<String>()
    try tracker.add(.circle(center: depot, radius: 150), identifier: "depot")
    for change in tracker.observe(location, of: "truck 12", at: uptime) {
      print("truck 12:", change.identifier, change.state)
    }
  }

  @Test func visits() async throws {
    let manager = LocationManager(backend: backend)
    for try await visit in manager.visits {
      if let departure = visit.departure {
        print("left", visit.coordinate, "at", departure)
      } else {
        print("arrived at", visit.coordinate, visit.arrival.map { "at \($0)" } ?? "some time ago")
      }
    }
  }

  @Test func trips() async throws {
    let manager = LocationManager(backend: backend)
    for try await trip in manager.trips {
      guard let end = trip.end else { continue }  // Under way.
      print(trip.start, "to", end, trip.distance, "m with", trip.stops.count, "stops")
    }
  }

  @Test func pausing() async {
    let manager = LocationManager(backend: backend)
    for await update in manager.liveUpdates(.fitness) {
      if update.diagnostics.contains(.stationary) { print("Standing still") }
      if let location = update.location { print(location.coordinate) }
    }
  }
}
