import Foundation
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// gpsd's own client as a child process, and the reports that it prints.
final class GPSPipe: Sendable {
  static let path = ["/usr/bin/gpspipe", "/usr/local/bin/gpspipe"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }
  static var isInstalled: Bool { path != nil }

  private let lines: AsyncStream<String>

  /// Starts a client that ends after a number of lines.
  init(port: Int, count: Int) throws {
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.path))
    process.arguments = ["-w", "-n", String(count), "127.0.0.1:\(port)"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let (lines, sink) = AsyncStream.makeStream(of: String.self)
    self.lines = lines
    try process.run()
    let handle = output.fileHandleForReading
    _ = NamedThread.start("gpspipe") {
      var rest: [UInt8] = []
      while case let bytes = handle.availableData, !bytes.isEmpty {
        rest += bytes
        while let end = rest.firstIndex(of: 10) {
          sink.yield(String(decoding: rest[..<end], as: UTF8.self))
          rest.removeSubrange(...end)
        }
      }
      process.waitUntilExit()
      sink.finish()
    }
  }

  /// Returns once gpsd has confirmed the watch. Throws if the client ends first.
  func waitUntilWatching() async throws {
    for await line in lines where line.contains("\"class\":\"WATCH\"") { return }
    throw CancellationError()
  }

  /// Waits until the client ends, and returns the remaining reports.
  func rest() async -> [[String: Any]] {
    var reports: [[String: Any]] = []
    for await line in lines {
      if let report = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] {
        reports.append(report)
      }
    }
    return reports
  }
}
