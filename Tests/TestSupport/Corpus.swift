package import Foundation
package import Testing

/// Recordings of real receivers, which are not part of the package.
package enum Corpus {
  /// The folder that contains gpsd-3.22 and gpsd-next.
  package static let path = ProcessInfo.processInfo.environment["ASYNC_LOCATION_CORPUS"]

  package static let folders = ["gpsd-3.22", "gpsd-next"]

  /// The files in a folder whose names end with a suffix, sorted by name. At least one is required.
  package static func files(in folder: String, _ suffix: String) throws -> [URL] {
    let root = URL(fileURLWithPath: try #require(path)).appendingPathComponent(folder)
    let names = try FileManager.default.contentsOfDirectory(atPath: root.path)
      .filter { $0.hasSuffix(suffix) }.sorted()
    try #require(!names.isEmpty)
    return names.map { root.appendingPathComponent($0) }
  }

  /// gpsd's output for the recordings in a folder.
  package static func reports(in folder: String) throws -> [(name: String, bytes: Data)] {
    try files(in: folder, ".chk").map { ($0.lastPathComponent, try Data(contentsOf: $0)) }
  }

  /// The recordings of NMEA 0183 in gpsd 3.22, and gpsd's output for them.
  package static func recordings() throws -> [(name: String, log: [UInt8], reports: [UInt8])] {
    try files(in: "gpsd-3.22", ".log").map { log in
      let reports = URL(fileURLWithPath: log.path + ".chk")
      return (
        log.lastPathComponent, Array(try Data(contentsOf: log)),
        Array(try Data(contentsOf: reports))
      )
    }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test unless `ASYNC_LOCATION_CORPUS` is set.
  package static var needsCorpus: Self {
    .enabled(
      if: Corpus.path != nil,
      "set ASYNC_LOCATION_CORPUS to the folder that holds gpsd-3.22 and gpsd-next")
  }
}
