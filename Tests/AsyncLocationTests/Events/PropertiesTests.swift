import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The effects of the manager's properties. `EventStreamTests` covers pausing.
@Suite(.inTurn)
struct PropertiesTests {
  private let bench = ManagerBench()
  private var backend: MockBackend { bench.backend }
  private var manager: LocationManager { bench.manager }

  @Test func propertiesHaveTheirDefaults() async {
    let properties = await manager.properties
    #expect(properties == LocationManager.Properties())
    #expect(properties.distanceFilter == 0)
    #expect(properties.headingFilter == 1)
  }

  /// Setting several properties at once changes the demand once and does not stop the receiver.
  @Test func settingSeveralPropertiesChangesTheDemandOnce() async throws {
    let events = manager.events(EventOptions(services: [.locations, .headings]))
    await backend.waitUntilRunning()
    await manager.set {
      $0.desiredAccuracy = .kilometer
      $0.distanceFilter = 200
      $0.headingFilter = 10
      $0.showsBackgroundLocationIndicator = true
    }
    await backend.waitForCall { if case .demandApplied = $0 { true } else { false } }
    #expect(backend.demand?.desiredAccuracy == .kilometer)
    for n in 1...4 { try backend.emit(.location(fix(n))) }
    for degrees in [1, 5, 12, 20, 23] { try backend.emit(.heading(heading(Double(degrees)))) }
    let calls = backend.calls.map { call in
      switch call {
      case .runStarted: "start"
      case .demandApplied: "demand"
      case .runEnded: "end"
      default: ""
      }
    }.filter { !$0.isEmpty }
    #expect(calls == ["start", "demand"])
    #expect(await manager.properties.showsBackgroundLocationIndicator)
    #expect(
      await bench.rest(of: events) == [
        .didUpdateLocations([fix(1)]), .didUpdateLocations([fix(3)]),
        .didUpdateHeading(heading(1)), .didUpdateHeading(heading(12)),
        .didUpdateHeading(heading(23)),
      ])
  }

  @MainActor private final class Screen {
    private let filter = 25.0
    private let manager: LocationManager
    private(set) var changes = 0

    init(_ manager: LocationManager) { self.manager = manager }

    func applyFilter() async {
      await manager.set {
        $0.distanceFilter = filter
        changes += 1
      }
    }
  }

  /// UI code changes the properties on the main actor.
  @Test @MainActor func propertiesCanBeSetOnTheMainActor() async {
    let screen = Screen(manager)
    await screen.applyFilter()
    #expect(await manager.properties.distanceFilter == 25)
    #expect(screen.changes == 1)
  }

  /// The accuracy is a hint: less accurate locations are reported.
  @Test func desiredAccuracyIsAHint() async throws {
    await manager.set { $0.desiredAccuracy = .nearestTenMeters }
    let events = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    #expect(backend.demand?.desiredAccuracy == .nearestTenMeters)
    try backend.emit(.location(fix(1, accuracy: 500)))
    #expect(await bench.rest(of: events) == [.didUpdateLocations([fix(1, accuracy: 500)])])
  }

  @Test func concurrentChangesAreAllApplied() async {
    await withTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { [manager] in await manager.set { $0.distanceFilter += 1 } }
        group.addTask { [manager] in await manager.set { $0.headingFilter += 1 } }
      }
    }
    let properties = await manager.properties
    #expect(properties.distanceFilter == 100)
    #expect(properties.headingFilter == 101)
  }

  @Test func fitnessActivityRejectsJumps() async throws {
    await manager.set { $0.activityType = .fitness }
    let events = manager.events(EventOptions(services: .locations))
    await backend.waitUntilRunning()
    for n in [0, 1, 9_000, 2] {
      bench.clock.advance(by: .seconds(5))
      try backend.emit(.location(fix(n)))
    }
    let seen = await bench.rest(of: events)
    #expect(!seen.contains(.didUpdateLocations([fix(9_000)])), "\(seen)")
    #expect(seen.contains(.didUpdateLocations([fix(1)])))
  }

  @Test func backgroundUpdatesContinueOutOfUse() async throws {
    let updates = manager.updates
    await backend.waitUntilRunning()
    await manager.set { $0.allowsBackgroundLocationUpdates = true }
    await manager.setInUse(false)
    try backend.emit(.location(fix(1)))
    #expect(try await updates.first(1) == [fix(1)])
    await manager.set { $0.allowsBackgroundLocationUpdates = false }
    await backend.waitUntilIdle()
    await manager.setInUse(true)
    await backend.waitUntilRunning()
    #expect(backend.runCount == 2)
  }

  static let orientations: [(DeviceOrientation, Double)] = [
    (.unknown, 300), (.portrait, 300), (.landscapeLeft, 30), (.portraitUpsideDown, 120),
    (.landscapeRight, 210), (.faceUp, 300), (.faceDown, 300),
  ]

  @Test(arguments: orientations)
  func orientationTurnsHeadings(_ orientation: DeviceOrientation, _ degrees: Double) async throws {
    await manager.set { $0.headingOrientation = orientation }
    let events = manager.events(EventOptions(services: .headings))
    await backend.waitUntilRunning()
    let compass = try heading(300).with { $0.magneticHeading = 290 }
    let course = try compass.with { $0.source = .courseOverGround }
    try backend.emit(.heading(compass))
    await manager.set { $0.headingFilter = 0 }
    try backend.emit(.heading(course))
    let seen = await bench.rest(of: events).compactMap { event in
      if case .didUpdateHeading(let heading) = event { heading } else { nil }
    }
    #expect(seen.map(\.trueHeading) == [degrees, 300])
    let magnetic = (degrees + 350).truncatingRemainder(dividingBy: 360)
    #expect(seen.map(\.magneticHeading) == [magnetic, 290])
  }

  @Test func authorizationPropertiesMatchTheDecision() async {
    let bench = ManagerBench(
      authorization: .answering(AuthorizationDecision(.always, accuracy: .full)))
    let manager = bench.manager
    #expect(manager.headingAvailable)
    #expect(manager.significantLocationChangeMonitoringAvailable)
    #expect(await manager.authorizationStatus == .notDetermined)
    #expect(await manager.locationServicesEnabled)
    #expect(await manager.accuracyAuthorization == .full)
  }
}
