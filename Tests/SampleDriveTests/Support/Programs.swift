import Foundation

/// The paths of programs that tests start.
enum Programs {
  /// The path of `sample-drive`, which is built beside the tests.
  static let sampleDrive = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("sample-drive").path

  /// The path of gpsd; nil if it is not installed.
  static let gpsd = (ProcessInfo.processInfo.environment["PATH", default: ""] + ":/usr/sbin")
    .split(separator: ":").map { "\($0)/gpsd" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}
