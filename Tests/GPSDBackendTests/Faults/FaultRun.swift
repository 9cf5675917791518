import AsyncLocation
import Foundation
import Glibc
import Testing

@testable import GPSDBackend

/// The extent of a run of the fault tests. `scripts/faults` runs them one at a time and in full. In
/// `scripts/test`, which runs tests concurrently, repetitions are fewer and times are not checked.
enum FaultRun {
  private static let environment = ProcessInfo.processInfo.environment

  static let isFull = environment["ASYNC_LOCATION_FAULTS"] == "1"
  /// The seed of the round.
  static let seed = environment["ASYNC_LOCATION_FAULT_SEED"].flatMap { UInt64($0) } ?? 1

  // System clock: `scripts/faults` checks times, and `scripts/test` does not.
  static let clock = ContinuousClock()

  /// Records a measurement for `scripts/faults`.
  static func measured(_ text: String) {
    guard let path = environment["ASYNC_LOCATION_FAULT_MEASURES"] else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let bytes = Array((text + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  /// The number of repetitions: `full`, or a tenth of it in a run that is not full.
  static func times(_ full: Int) -> Int { isFull ? full : max(1, full / 10) }

  /// Records a duration and checks that it is within its limit, in a full run only.
  static func expect(
    _ span: Duration, atMost limit: Duration, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard isFull else { return }
    measured("\(what) \(span), at most \(limit)")
    #expect(span <= limit, "\(what)", sourceLocation: sourceLocation)
  }

  /// Checks that the process used at most a hundredth of a duration as CPU time, in a full run
  /// only.
  static func expectIdle(
    _ span: Duration, computing: Duration, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard isFull else { return }
    measured("\(what): \(computing) of CPU time in \(span)")
    #expect(computing * 100 <= span, "\(what)", sourceLocation: sourceLocation)
  }

  /// The CPU time of the process so far.
  static func computed() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// The peak resident memory in bytes since the last call of ``forgetPeak()``.
  static func peakMemory() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
  }

  static func forgetPeak() {
    let descriptor = open("/proc/self/clear_refs", O_WRONLY)
    _ = write(descriptor, "5", 1)
    close(descriptor)
  }

  /// The number of threads with this name.
  static func threads(named name: String) -> Int {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.count { thread in
      (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) == name + "\n"
    }
  }

  /// The number of open descriptors.
  static func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }
}

extension FakeGPSD {
  static let greeting = banner + watching

  /// A line with a position of one of several receivers. The latitude is the receiver's number.
  static func fix(_ second: Int, of device: Int) -> String {
    fix(second, latitude: Double(device)).replacingOccurrences(
      of: "ttyUSB0", with: "ttyUSB\(device)")
  }
}
