import AsyncLocation
import FoundationEssentials
import Glibc
import LocationRecording

/// Records locations without end, for tests that kill this process.
///
/// - `track-writer FORMAT FILE START` continues a file that has START locations, and prints the
///   number of locations in the file whenever it changes. It synchronizes the file with the disk
///   after an hour at the earliest.
/// - `track-writer --measure FORMAT FILE SECONDS` records at 50 Hz with the default synchronization
///   interval, and prints the processor time for each location.
@main
struct TrackWriter {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--measure" {
      try await measure(arguments[1], to: arguments[2], seconds: Int(arguments[3]) ?? 60)
    } else {
      try await write(arguments[0], to: arguments[1], from: Int(arguments[2]) ?? 0)
    }
  }

  private static func write(_ format: String, to path: String, from start: Int) async throws {
    let recorder = try makeRecorder(format, to: path, syncInterval: .seconds(3_600))
    let (progress, parent) = (Counter(start), getppid())
    let updates = AsyncStream<Location>(unfolding: {
      // Writing is slower than this loop. The wait keeps the recorder from dropping locations.
      while await recorder.statistics.waiting >= 20 {
        // The parent changes when the test is killed.
        if getppid() != parent { exit(1) }
        await Task.yield()
      }
      let recorded = await recorder.statistics.recorded
      if await progress.report(start + recorded) {
        print(start + recorded)
        fflush(nil)
      }
      return location(await progress.next())
    })
    try await recorder.record(updates)
  }

  private static func measure(_ format: String, to path: String, seconds: Int) async throws {
    let recorder = try makeRecorder(format, to: path, syncInterval: .seconds(10))
    let (updates, source) = AsyncStream<Location>.makeStream()
    let recording = Task { try await recorder.record(updates) }
    let clock = ContinuousClock()
    let (start, startTime) = (clock.now, processorTime())
    for number in 0..<seconds * 50 {
      try await clock.sleep(until: start + .milliseconds(20) * number, tolerance: .zero)
      if let location = location(number) { source.yield(location) }
    }
    source.finish()
    try await recording.value
    let count = await recorder.statistics.recorded
    let used = processorTime() - startTime
    print("\(format): \(used / Double(count) * 1e6) µs for each of \(count)")
  }

  private static func makeRecorder(
    _ format: String, to path: String, syncInterval: Duration
  ) throws -> TrackRecorder {
    guard let format = RecordingWriter.Format(name: format) else { exit(2) }
    return try TrackRecorder(
      to: path, format: format,
      configuration: .init(existing: .append, syncInterval: syncInterval))
  }

  /// A location whose longitude is its number, in thousandths of a degree.
  private static func location(_ number: Int) -> Location? {
    try? Location(
      latitude: 0, longitude: Double(number) / 1000,
      timestamp: Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(number)),
      altitude: 400.5, horizontalAccuracy: 3.25, speed: 1.5, course: 90,
      sourceInformation: SourceInformation(device: "/dev/ttyACM0"))
  }

  /// Returns the seconds of processor time that this process has used.
  private static func processorTime() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let times: [timeval] = [usage.ru_utime, usage.ru_stime]
    return times.reduce(0.0) { sum, time in
      sum + Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
  }
}

/// The number of the next location, and the last reported number of recorded locations.
private actor Counter {
  private var number: Int
  private var reported = -1

  init(_ start: Int) { number = start }

  func next() -> Int {
    defer { number += 1 }
    return number
  }

  /// Stores a number of recorded locations as reported. Returns whether it differs from the last
  /// one.
  func report(_ recorded: Int) -> Bool {
    defer { reported = recorded }
    return recorded != reported
  }
}
