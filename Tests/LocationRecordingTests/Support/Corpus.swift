import Foundation
import Testing

/// Recordings of real receivers, which are not part of the package.
enum Corpus {
  static let path = ProcessInfo.processInfo.environment["ASYNC_LOCATION_CORPUS"]

  /// The recordings with NMEA 0183 and gpsd's output for them, sorted by name.
  static func recordings() throws -> [(name: String, log: [UInt8], reports: [UInt8])] {
    let root = URL(fileURLWithPath: try #require(path)).appendingPathComponent("gpsd-3.22")
    let names = try FileManager.default.contentsOfDirectory(atPath: root.path)
      .filter { $0.hasSuffix(".log") }.sorted()
    try #require(!names.isEmpty)
    return try names.map { name in
      let log = root.appendingPathComponent(name)
      return (
        name, Array(try Data(contentsOf: log)),
        Array(try Data(contentsOf: URL(fileURLWithPath: log.path + ".chk")))
      )
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if there are no recordings.
  static var needsCorpus: Self {
    .enabled(
      if: Corpus.path != nil, "set ASYNC_LOCATION_CORPUS to the folder that holds gpsd-3.22")
  }
}
