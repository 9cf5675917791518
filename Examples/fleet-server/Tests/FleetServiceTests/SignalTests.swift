import Foundation
import Testing

/// Tests the built server as an init system runs it. Nothing listens on port 1. The tests run one
/// at a time, because Foundation may miss the end of one of two processes.
@Suite(.serialized, .timeLimit(.minutes(10))) struct SignalTests {
  /// A server without a broker, with its storage in a folder.
  private static func server(
    _ folder: URL, _ areas: URL, storage: String = "fleet.sqlite"
  ) -> Process {
    let server = Process()
    // `env` restores the default signal actions: the background jobs of a shell ignore SIGINT, and
    // child processes inherit this.
    server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    server.arguments = [
      "--default-signal=HUP,INT,TERM", products.appendingPathComponent("fleet-server").path,
      "mqtt://127.0.0.1:1", areas.path, storage, "0",
    ]
    server.currentDirectoryURL = folder
    return server
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
    let server = Self.server(folder, areas, storage: storage)
    let pipe = Pipe()
    server.standardError = pipe
    let (ends, ended) = AsyncStream<Void>.makeStream()
    server.terminationHandler = { _ in ended.finish() }
    try server.run()
    for await _ in ends {}
    #expect(server.terminationStatus == 1)
    let errors = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    #expect(!errors.contains("sesame"), "\(errors)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["areas.geojson"])
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func reloadsAndStops(_ signal: Int32) async throws {
    let (folder, areas) = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = Self.server(folder, areas)
    let pipe = Pipe()
    server.standardError = pipe
    let (ends, ended) = AsyncStream<Void>.makeStream()
    server.terminationHandler = { _ in ended.finish() }
    try server.run()
    defer { if server.isRunning { server.terminate() } }

    var output = Lines(of: pipe.fileHandleForReading)
    #expect(try await output.next("Areas:") == "Areas: 1 new or changed, 0 removed.")
    let url = try #require(
      URL(string: String(try await output.next("Listening on ").dropFirst(13))))
    #expect(url.host == "127.0.0.1")
    kill(server.processIdentifier, SIGHUP)
    #expect(try await output.next("Areas:") == "Areas: 0 new or changed, 0 removed.")
    try Data("{".utf8).write(to: areas)
    kill(server.processIdentifier, SIGHUP)
    #expect(try await output.next("The areas").contains(areas.path))
    kill(server.processIdentifier, signal)
    for await _ in ends {}
    #expect(server.terminationReason == .exit)
    #expect(server.terminationStatus == 0)
  }

  /// The lines that a process prints.
  private struct Lines {
    private var pieces: AsyncStream<Data>.Iterator
    private var rest = Data()

    init(of handle: FileHandle) {
      let stream = AsyncStream<Data> { output in
        handle.readabilityHandler = { handle in
          let data = handle.availableData
          if data.isEmpty { output.finish() } else { output.yield(data) }
        }
      }
      pieces = stream.makeAsyncIterator()
    }

    /// The next line that begins with a text.
    mutating func next(_ start: String) async throws -> String {
      while true {
        if let end = rest.firstIndex(of: 10) {
          let line = String(decoding: rest[..<end], as: UTF8.self)
          rest = Data(rest[(end + 1)...])
          if line.hasPrefix(start) { return line }
        } else {
          rest += try #require(await pieces.next())
        }
      }
    }
  }

  private static let area = """
    {"type": "Feature", "id": "depot", "properties": {"radius": 100},
    "geometry": {"type": "Point", "coordinates": [8, 47]}}
    """

  /// The folder of the built tests and the server.
  private static var products: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }
}
