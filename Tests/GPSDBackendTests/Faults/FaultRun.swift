import Foundation
import Glibc
import Testing

/// The settings of the fault tests, and measurements of the process. `scripts/faults` runs the
/// tests one at a time, with all repetitions and with time limits. `scripts/test` runs them
/// concurrently, with fewer repetitions and without time limits.
enum FaultRun {
  private static let environment = ProcessInfo.processInfo.environment

  static let isFull = environment["ASYNC_LOCATION_FAULTS"] == "1"
  /// The seed that `scripts/faults` sets for each round; otherwise 1.
  static let seed = environment["ASYNC_LOCATION_FAULT_SEED"].flatMap { UInt64($0) } ?? 1

  // System clock: measures how long real work takes. Only full runs check the result.
  static let clock = ContinuousClock()

  /// Records a measurement for `scripts/faults`.
  static func record(_ measurement: String) {
    guard let path = environment["ASYNC_LOCATION_FAULT_MEASURES"] else { return }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    let bytes = Array((measurement + "\n").utf8)
    _ = write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  /// The number of repetitions: `full`, or a tenth of it in a run that is not full.
  static func repetitions(full: Int) -> Int { isFull ? full : max(1, full / 10) }

  /// Records a duration and checks that it is within its limit, in a full run only.
  static func expect(
    _ span: Duration, atMost limit: Duration, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard isFull else { return }
    record("\(what) \(span), at most \(limit)")
    #expect(span <= limit, "\(what)", sourceLocation: sourceLocation)
  }

  /// Records the CPU time used in `span`, and checks that it is at most 1 % of `span`, in a full
  /// run only.
  static func expectIdle(
    _ span: Duration, cpuTime: Duration, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard isFull else { return }
    record("\(what): \(cpuTime) of CPU time in \(span)")
    #expect(cpuTime * 100 <= span, "\(what)", sourceLocation: sourceLocation)
  }

  /// The CPU time of the process so far.
  static func cpuTime() -> Duration {
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

  /// Resets the value of ``peakMemory()`` to the current one.
  static func forgetPeak() {
    let descriptor = open("/proc/self/clear_refs", O_WRONLY)
    _ = write(descriptor, "5", 1)  // "5" resets VmHWM; see proc(5).
    close(descriptor)
  }

  /// The number of threads with this name.
  static func threadCount(named name: String) -> Int {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.count { thread in
      (try? String(contentsOfFile: "\(folder)/\(thread)/comm", encoding: .utf8)) == name + "\n"
    }
  }

  /// The number of open descriptors.
  static func openDescriptorCount() -> Int {
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
