import Foundation
import ProgramRun
import Testing

/// Tests the built server as an init system runs it. Nothing listens on port 1.
@Suite(.timeLimit(.minutes(10))) struct SignalTests {
  /// A server without a broker, with its storage in a folder.
  private static func server(
    _ folder: URL, _ areas: URL, storage: String = "fleet.sqlite"
  ) throws -> ProgramRun {
    try ProgramRun(
      "fleet-server", ["mqtt://127.0.0.1:1", areas.path, storage, "0"], in: folder)
  }

  private static func folder() throws -> (URL, areas: URL) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let areas = folder.appendingPathComponent("areas.geojson")
    try Data(Self.area.utf8).write(to: areas)
    return (folder, areas)
  }

  /// A mistyped address may contain a password.
  @Test(arguments: [
    "postgres://u:sesame@/a:b", "postgresql:/u:sesame@h/d", "host= password=sesame =",
  ])
  func aDatabaseIsNoFile(_ storage: String) async throws {
    let (folder, areas) = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Self.server(folder, areas, storage: storage)
    let (status, lines) = await server.end()
    #expect(status == 1)
    #expect(!lines.contains { $0.contains("sesame") }, "\(lines)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["areas.geojson"])
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func reloadsAndStops(_ signal: Int32) async throws {
    let (folder, areas) = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Self.server(folder, areas)
    #expect(try await server.line(beginning: "Areas:") == "Areas: 1 new or changed, 0 removed.")
    let url = try #require(
      URL(string: String(try await server.line(beginning: "Listening on ").dropFirst(13))))
    #expect(url.host == "127.0.0.1")
    server.send(SIGHUP)
    #expect(try await server.line(beginning: "Areas:") == "Areas: 0 new or changed, 0 removed.")
    try Data("{".utf8).write(to: areas)
    server.send(SIGHUP)
    #expect(try await server.line(beginning: "The areas").contains(areas.path))
    server.send(signal)
    #expect(await server.end().status == 0)
  }

  private static let area = """
    {"type": "Feature", "id": "depot", "properties": {"radius": 100},
    "geometry": {"type": "Point", "coordinates": [8, 47]}}
    """
}
