import AsyncLocation
import FleetService
import Foundation
import LocationStorage
import MQTTBackend
import Testing

/// Tests a fleet with one boat over an in-memory broker. Each test has its own folder.
@Suite(.timeLimit(.minutes(10))) final class FleetServiceTests {
  private let broker = MockBroker()
  private let boat: FleetDevice.ID
  private let folder: URL

  init() throws {
    boat = try FleetDevice.ID(user: "jane", device: "boat")
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private var areas: String { folder.appendingPathComponent("areas.geojson").path }

  /// Writes the file of areas: circles with a radius of one kilometre around points on the meridian
  /// 8° E.
  private func writeAreas(_ latitudes: [String: Double]) throws {
    let features = latitudes.map { identifier, latitude -> [String: Any] in
      [
        "type": "Feature", "id": identifier, "properties": ["radius": 1_000],
        "geometry": ["type": "Point", "coordinates": [8, latitude]],
      ]
    }
    try JSONSerialization.data(
      withJSONObject: ["type": "FeatureCollection", "features": features]
    ).write(to: URL(fileURLWithPath: areas))
  }

  /// Publishes a location of the boat.
  private func publish(_ latitude: Double, at second: Double) throws {
    let location = try Location(
      latitude: latitude, longitude: 8,
      timestamp: Date(timeIntervalSince1970: 1_777_863_600 + second), horizontalAccuracy: 5)
    broker.publish(location, from: boat)
  }

  private func server(_ storage: some FleetStorage = MemoryFleetStorage()) async throws
    -> TestServer
  {
    try await TestServer(broker, storage, areas: areas)
  }

  /// The reader of standard output has stopped reading. The event is repeated after the next start.
  @Test func endsWhileALineIsBeingPrinted() async throws {
    try writeAreas(["depot": 47])
    let storage = SQLiteFleetStorage(file: folder.appendingPathComponent("fleet.sqlite").path)
    let (prints, printing) = AsyncStream.makeStream(of: Void.self)
    let reader = DispatchSemaphore(value: 0)
    let stalled = try await TestServer(broker, storage, areas: areas) { _ in
      printing.yield()
      reader.wait()
    }
    try publish(47, at: 0)
    for await _ in prints { break }
    try await stalled.stop()
    reader.signal()
    let server = try await server(storage)
    let event = try await server.event()
    #expect(event["area"] as? String == "depot")
    #expect(event["isRepeated"] as? Bool == true)
    try await server.stop()
  }

  // MARK: Answers

  @Test func devicesAreListed() async throws {
    try writeAreas(["depot": 47])
    let server = try await server()
    #expect(try await server.devices().isEmpty)
    try publish(47.5, at: 0)
    let device = try #require(try await server.devices().first)
    #expect(device["id"] as? String == "jane/boat")
    #expect(device["presence"] as? String == "online")
    let location = try #require(device["location"] as? [String: Any])
    #expect(location["latitude"] as? Double == 47.5)
    #expect(location["timestamp"] as? String == "2026-05-04T03:00:00.000Z")
    try await server.stop()
  }

  @Test func otherRequestsAreRefused() async throws {
    try writeAreas(["depot": 47])
    let server = try await server()
    for path in ["/", "/devices/", "/%2e%2e/etc/passwd", "/health%20"] {
      #expect(try await server.request(path).0.statusCode == 404, "\(path)")
    }
    for method in ["POST", "PUT", "DELETE"] {
      let (response, _) = try await server.request(
        "/devices", method: method, body: Data(repeating: 65, count: 100_000))
      #expect(response.statusCode == 405)
      #expect(response.value(forHTTPHeaderField: "Allow") == "GET, HEAD")
    }
    let (response, body) = try await server.request("/health", method: "HEAD")
    #expect(response.statusCode == 200)
    #expect(body.isEmpty)
    try await server.stop()
  }

  @Test func healthNeedsTheBroker() async throws {
    try writeAreas(["depot": 47, "harbour": 48])
    let server = try await server()
    try publish(47, at: 0)
    var (status, body) = try await server.get("/health")
    #expect(status == 200)
    #expect(body["areas"] as? Int == 2)
    #expect(body["devices"] as? Int == 1)
    #expect(body["locations"] as? Int == 1)
    #expect(body["storageProblem"] == nil)
    broker.disconnect(because: LocationError(.backendUnavailable, "\"Gone\"\n"))
    repeat { (status, body) = try await server.get("/health") } while status == 200
    #expect(status == 503)
    #expect(body["isConnected"] as? Bool == false)
    #expect(body["connectionProblem"] as? String == "\"Gone\"\n")
    broker.connect()
    while try await server.get("/health").status != 200 {}
    try await server.stop()
  }

  @Test func healthNeedsTheStorage() async throws {
    try writeAreas(["depot": 47])
    let storage = FailingStorage()
    let server = try await server(storage)
    storage.setFails(true)
    try publish(47, at: 0)
    var (status, body) = try await server.get("/health")
    while status == 200 { (status, body) = try await server.get("/health") }
    #expect(status == 503)
    #expect(body["storageProblem"] as? String == "The test's disk is full.")
    #expect(body["isConnected"] as? Bool == true)
    storage.setFails(false)
    while try await server.get("/health").status != 200 {}
    // The event waited for the storage.
    #expect(try await server.event()["state"] as? String == "satisfied")
    try await server.stop()
  }

  @Test func aPortInUseIsAnError() async throws {
    try writeAreas(["depot": 47])
    let server = try await server()
    let fleet = try await Fleet(broker: broker, storage: MemoryFleetStorage())
    let second = FleetService(fleet, areas: areas, printEvent: { _ in })
    let (none, _) = AsyncStream.makeStream(of: Void.self)
    for (host, port) in [("127.0.0.1", server.port), ("localhost", 0)] {
      let error = await #expect(throws: LocationError.self) {
        try await second.run(host: host, port: port, reloads: none, stops: none) { _ in }
      }
      #expect(error?.message.contains("\(host):\(port)") == true)
    }
    try await server.stop()
  }

  // MARK: Events

  @Test func anEventIsALine() async throws {
    let name = "Dock \"7\"\n\u{1F6A2}"
    try writeAreas([name: 47])
    let server = try await server()
    try publish(47, at: 0)
    let event = try await server.event()
    #expect(event["area"] as? String == name)
    #expect(event["device"] as? String == "jane/boat")
    #expect(event["previousState"] as? String == "unknown")
    #expect(event["state"] as? String == "satisfied")
    #expect(event["isRepeated"] as? Bool == false)
    #expect((event["location"] as? [String: Any])?["latitude"] as? Double == 47)
    try await server.stop()
  }

  @Test func aRestartKeepsStates() async throws {
    try writeAreas(["depot": 47])
    let storage = SQLiteFleetStorage(file: folder.appendingPathComponent("fleet.sqlite").path)
    var server = try await server(storage)
    try publish(47, at: 0)
    #expect(try await server.event()["state"] as? String == "satisfied")
    try await server.stop()
    server = try await self.server(storage)
    #expect(try await server.devices().first?["id"] as? String == "jane/boat")
    try publish(48, at: 900)
    let event = try await server.event()
    #expect(event["state"] as? String == "unsatisfied")
    #expect(event["previousState"] as? String == "satisfied")
    #expect(event["isRepeated"] as? Bool == false)
    try await server.stop()
  }

  /// Simulates a program whose output is closed, or that is killed while it prints.
  @Test func anEventThatWasNotPrintedComesAgain() async throws {
    try writeAreas(["depot": 47])
    let storage = MemoryFleetStorage()
    let fleet = try await Fleet(broker: broker, storage: storage)
    let service = FleetService(fleet, areas: areas, printEvent: { _ in throw POSIXError(.EPIPE) })
    try await service.reload()
    try publish(47, at: 0)
    let (none, _) = AsyncStream.makeStream(of: Void.self)
    await #expect(throws: POSIXError.self) {
      try await service.run(port: 0, reloads: none, stops: none) { _ in }
    }
    let server = try await server(storage)
    let event = try await server.event()
    #expect(event["state"] as? String == "satisfied")
    #expect(event["isRepeated"] as? Bool == true)
    try await server.stop()
  }

  // MARK: Areas

  @Test func aReloadChangesWhatIsDifferent() async throws {
    try writeAreas(["depot": 47, "old": 47])
    let server = try await server()
    try publish(47, at: 0)
    var entered: Set<String> = []
    for _ in 0..<2 { entered.insert(try #require(try await server.event()["area"] as? String)) }
    #expect(entered == ["depot", "old"])

    try writeAreas(["depot": 47, "new": 47, "newer": 47])
    server.reload.yield()
    while try await server.get("/health").body["areas"] as? Int != 3 {}
    try publish(47, at: 60)
    // The depot keeps its state, so there are events only for the new areas.
    entered = []
    for _ in 0..<2 { entered.insert(try #require(try await server.event()["area"] as? String)) }
    #expect(entered == ["new", "newer"])

    try Data("{\"type\": \"FeatureCollection\",\n\"features\": 7}".utf8)
      .write(to: URL(fileURLWithPath: areas))
    server.reload.yield()
    var (_, body) = try await server.get("/health")
    while body["areasProblem"] == nil { (_, body) = try await server.get("/health") }
    #expect(body["areas"] as? Int == 3)
    try publish(48, at: 960)
    for _ in 0..<3 { #expect(try await server.event()["state"] as? String == "unsatisfied") }

    try writeAreas(["depot": 47])
    server.reload.yield()
    repeat { (_, body) = try await server.get("/health") } while body["areasProblem"] != nil
    #expect(body["areas"] as? Int == 1)
    try await server.stop()
  }

  @Test func fiveThousandAreas() async throws {
    // Two kilometres apart: 0.018 degrees.
    try writeAreas(
      Dictionary(uniqueKeysWithValues: (0..<5_000).map { ("area \($0)", -45 + Double($0) * 0.018) })
    )
    let server = try await server()
    #expect(try await server.get("/health").body["areas"] as? Int == 5_000)
    try publish(-45 + 4_321 * 0.018, at: 0)
    #expect(try await server.event()["area"] as? String == "area 4321")
    try await server.stop()
  }

  @Test func aFileThatIsNotValidEndsTheStart() async throws {
    for text in ["", "{}", "{\"type\":\"FeatureCollection\",\"features\":[]}"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: areas))
      await #expect(throws: (any Error).self) { try await self.server() }
    }
  }
}
