import AsyncLocation
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct SignificantChangeStreamTests {
  private let bench = ManagerBench()
  private var manager: LocationManager { bench.manager }
  private static let start = Track().then()

  @Test func aDriveIsDeliveredEveryFiveMinutes() async throws {
    let changes = manager.significantLocationChanges
    let filtered = manager.updates(UpdateOptions(distanceFilter: 1_000_000))
    try await bench.feed(Self.start.move(east: 20_000, at: 20))
    try bench.backend.end()
    #expect(await changes.all().elements.seconds == [0, 300, 600, 900])
    #expect(await filtered.all().elements.count == 1)
  }

  @Test func aStreamBeginsWithTheKnownLocation() async throws {
    let drive = Self.start.move(east: 10_000, at: 20)
    let running = manager.updates  // Runs the backend before the first stream of changes begins.
    try await bench.feed(Self.start)
    let changes = manager.significantLocationChanges
    try await bench.feed(drive, after: Self.start)
    let laterChanges = manager.significantLocationChanges
    try await bench.feed(drive.move(east: 10_000, at: 20), after: drive)
    try bench.backend.end()
    #expect(await changes.all().elements.seconds == [0, 300, 600, 900])
    // A new stream starts over. The pace of 30 seconds counts from the known location.
    #expect(await laterChanges.all().elements.seconds == [500, 800])
    _ = running
  }

  @Test func aStreamEndsWithPermissionOrTheManager() async throws {
    let revoked = manager.significantLocationChanges
    try await bench.feed(Self.start)
    bench.backend.setAuthorization(.denied)
    #expect((await revoked.all().error as? LocationError)?.code == .denied)
    bench.backend.setAuthorization(.authorizedAlways)
    let open = manager.significantLocationChanges
    await manager.shutdown()
    #expect(await open.all().error == nil)
    let late = manager.significantLocationChanges
    #expect((await late.all().error as? LocationError)?.code == .shutDown)
  }

  @Test func significantChangesRequireLocations() async {
    #expect(manager.significantLocationChangeMonitoringAvailable)
    let other = ManagerBench(capabilities: .headings).manager
    #expect(!other.significantLocationChangeMonitoringAvailable)
    #expect(
      (await other.significantLocationChanges.all().error as? LocationError)?.code == .unsupported)
  }
}
