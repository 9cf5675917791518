import AsyncLocation
import Foundation
import LocationRecording
import MQTTBackend
import MockBackend
import OwnTracks
import Testing
import VehicleService

/// The tests run one at a time, because Foundation may miss the end of one of two processes.
@Suite(.serialized, .timeLimit(.minutes(10))) final class VehicleTests {
  private let backend = MockBackend(clock: ContinuousClock())
  private let manager: LocationManager
  private let folder: URL

  init() throws {
    manager = LocationManager(backend: backend)
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var path: String { folder.appendingPathComponent("track.gpx").path }

  private func location(_ second: Int) throws -> Location {
    try Location(
      latitude: 60 + Double(second) / 1_000, longitude: 24.96,
      timestamp: Date(timeIntervalSince1970: 1_777_863_600 + Double(second)),
      horizontalAccuracy: 5)
  }

  /// A vehicle that publishes to a broker on a port of this host.
  private func vehicle(
    port: Int, connectTimeout: Duration = .seconds(10)
  ) throws -> (Vehicle, LocationPublisher, TrackRecorder) {
    var broker = try Broker.configuration(port: port)
    broker.connectTimeout = connectTimeout
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "van"), to: broker)
    let recorder = try TrackRecorder(to: path, format: .gpx)
    return (Vehicle(manager, publisher, recorder), publisher, recorder)
  }

  /// Waits until the publisher and the recorder run. A publisher connects only after it has
  /// subscribed to the locations.
  private func isRunning(
    _ publisher: LocationPublisher, _ phase: ConnectionState.Phase
  ) async {
    for await state in publisher.connectionStates where state.phase == phase { break }
    await backend.waitForReaders(of: .updates)
    await backend.waitUntilRunning()
  }

  private func segments() throws -> [Int] {
    try Track(Recording(contentsOf: path)).segments.map(\.locations.count)
  }

  @Test func goesOnWhenPermissionIsGrantedAgain() async throws {
    let broker = try await Broker()
    var updates = broker.fleet.updates.makeAsyncIterator()
    let (vehicle, publisher, recorder) = try vehicle(port: broker.port)
    let run = Task { try await vehicle.run() }
    for round in 0..<3 {
      await isRunning(publisher, .connected)
      for second in [2 * round, 2 * round + 1] {
        try backend.emit([.location(try location(second))])
        #expect(try await updates.next()?.location.latitude == location(second).latitude)
        while await recorder.statistics.recorded <= second { await Task.yield() }
      }
      guard round < 2 else { break }
      let states = publisher.connectionStates
      backend.setAuthorization(.denied)
      for await _ in states {}  // The run has ended.
      await backend.waitUntilIdle()
      backend.setAuthorization(AuthorizationDecision(.always))
    }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(try segments() == [2, 2, 2])
    #expect(publisher.statistics.stored == 6)
    await broker.stop()
  }

  /// Nothing listens on port 1.
  @Test func endsWithoutABroker() async throws {
    let (vehicle, publisher, recorder) = try vehicle(port: 1)
    let run = Task { try await vehicle.run() }
    await isRunning(publisher, .waiting)
    try backend.emit([.location(try location(0)), .location(try location(1))])
    while publisher.statistics.stored < 2 { await Task.yield() }
    while await recorder.statistics.recorded < 2 { await Task.yield() }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(publisher.statistics.backlog.count == 2)
    #expect(try segments() == [2])
  }

  @Test func endsWithoutPermission() async throws {
    backend.setAuthorization(.denied)
    let (vehicle, publisher, _) = try vehicle(port: 1)
    let run = Task { try await vehicle.run() }
    await backend.waitForReaders(of: .authorizationUpdates)
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(publisher.statistics.stored == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  /// The broker accepts connections but does not answer. Therefore the run of the publisher does
  /// not end: it waits until the broker has removed the retained location.
  @Test func recordsWhileThePublisherEnds() async throws {
    let (socket, port) = try Broker.boundSocket()
    defer { close(socket) }
    try #require(listen(socket, 8) == 0)
    let (vehicle, publisher, recorder) = try vehicle(port: port, connectTimeout: .seconds(3_600))
    let run = Task { try await vehicle.run() }
    await isRunning(publisher, .connecting)
    try backend.emit([.location(try location(0))])
    while publisher.statistics.stored < 1 { await Task.yield() }
    while await recorder.statistics.recorded < 1 { await Task.yield() }
    backend.setAuthorization(.denied)
    await backend.waitUntilIdle()
    backend.setAuthorization(AuthorizationDecision(.always))
    await backend.waitUntilRunning()
    try backend.emit([.location(try location(1))])
    while await recorder.statistics.recorded < 2 { await Task.yield() }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(try segments() == [1, 1])
    #expect(publisher.statistics.stored == 1)
  }

  @Test func anUnusableFileEndsBoth() async throws {
    try Data("Something else".utf8).write(to: URL(fileURLWithPath: path))
    let (vehicle, _, _) = try vehicle(port: 1)
    let error = await #expect(throws: LocationError.self) { try await vehicle.run() }
    #expect(error?.code == .storageUnavailable)
  }
}
