import Foundation
import Testing

/// Reads lines with libgps through `libgps-unpack` in a separate process.
struct LibGPSParser {
  enum Answer {
    /// gpsd's names with libgps' values; `set` has the change bits, `result` the status.
    case values([String: Any])
    /// libgps looped until its CPU limit.
    case hang
    case crash
  }

  /// The program `libgps-unpack`, in the folder of the test program.
  static let program: URL = {
    let testProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return testProgram.deletingLastPathComponent().appendingPathComponent("libgps-unpack")
  }()

  /// Parses lines in one process. Returns one answer for each line.
  ///
  /// - Parameter lines: The class of each report, and its line.
  static func parse(_ lines: [(className: String, line: [UInt8])]) throws -> [Answer] {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("async-location-differential-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // Files instead of pipes, so that neither process waits until the other one reads.
    let (input, output) = (
      folder.appendingPathComponent("input"), folder.appendingPathComponent("output")
    )
    var text = Data()
    for (className, line) in lines {
      text.append(contentsOf: Array(className.utf8))
      text.append(32)
      text.append(contentsOf: line)
      text.append(10)
    }
    try text.write(to: input)
    try Data().write(to: output)
    let process = Process()
    process.executableURL = program
    process.standardInput = try FileHandle(forReadingFrom: input)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "libgps-unpack failed")
    let answers = try Data(contentsOf: output).split(separator: 10).map { line -> Answer in
      let object = try #require(
        try JSONSerialization.jsonObject(with: line) as? [String: Any])
      if object["hang"] != nil { return .hang }
      return object["crash"] != nil ? .crash : .values(object)
    }
    try #require(answers.count == lines.count)
    return answers
  }
}
