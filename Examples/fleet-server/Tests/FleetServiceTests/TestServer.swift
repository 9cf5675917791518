import AsyncLocation
import FleetService
import Foundation
import FoundationNetworking
import MQTTBackend
import Testing

/// A running service with a file of areas.
struct TestServer {
  let port: UInt16
  let reload, stopping: AsyncStream<Void>.Continuation
  /// The printed events.
  let lines: AsyncStream<String>
  private let run: Task<Void, any Error>

  /// Returns when the service answers requests.
  init(
    _ broker: MockBroker, _ storage: some FleetStorage, areas: String,
    printEvent: (@Sendable (String) throws -> Void)? = nil
  ) async throws {
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    let (reloads, reload) = AsyncStream.makeStream(of: Void.self)
    let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
    let (ports, listening) = AsyncStream.makeStream(of: UInt16.self)
    let service = FleetService(
      try await Fleet(broker: broker, storage: storage), areas: areas,
      printEvent: printEvent ?? { line.yield($0) })
    try await service.reload()
    run = Task {
      defer {
        line.finish()
        listening.finish()
      }
      try await service.run(port: 0, reloads: reloads, stops: stops) { listening.yield($0) }
    }
    (self.lines, self.reload, self.stopping) = (lines, reload, stopping)
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else {
      try await run.value
      throw URLError(.cannotConnectToHost)
    }
    self.port = port
    // The status is 200 when the service follows the fleet.
    while try await get("/health").status != 200 {}
  }

  func stop() async throws {
    stopping.yield()
    try await run.value
  }

  /// The next printed event.
  func event() async throws -> [String: Any] {
    var iterator = lines.makeAsyncIterator()
    let line = try #require(await iterator.next())
    #expect(!line.contains("\n"))
    return try #require(
      try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  func request(
    _ path: String, method: String = "GET", body: Data? = nil
  ) async throws -> (HTTPURLResponse, Data) {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
    (request.httpMethod, request.httpBody) = (method, body)
    let (data, response) = try await URLSession.shared.data(for: request)
    return (try #require(response as? HTTPURLResponse), data)
  }

  func get(_ path: String) async throws -> (status: Int, body: [String: Any]) {
    let (response, data) = try await request(path)
    #expect(response.value(forHTTPHeaderField: "Content-Type") == "application/json")
    let body = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return (response.statusCode, try #require(body))
  }

  func devices() async throws -> [[String: Any]] {
    try #require(
      try await JSONSerialization.jsonObject(with: request("/devices").1) as? [[String: Any]])
  }
}
