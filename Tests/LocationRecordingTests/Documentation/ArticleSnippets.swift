import AsyncLocation
import LocationRecording
import MockBackend
import TestSupport
import Testing

/// The code of the articles and doc comments. It is compiled; what needs no file runs too.
@Suite struct ArticleSnippets {
  func reads() throws {
    let recording = try Recording(contentsOf: "drive.gpx")
    print(recording.format, recording.locations.count, recording.skipped.count)
  }

  func replays() async throws {
    let recording = try Recording(contentsOf: "drive.gpx")
    let backend = try MockBackend.replay(recording.events, rate: 10, clock: .continuous)
    let manager = LocationManager(backend: backend)
    for try await location in manager.updates { print(location) }
  }

  func controls(_ backend: ReplayBackend) throws {
    backend.pause()
    backend.seek(to: .seconds(90))
    try backend.setRate(2)
    backend.resume()
  }

  @Test func countsPieces() throws {
    let pieces = ["lat,l", "on\n1,2\n3", ",4"].map { Array($0.utf8) }
    var reader = RecordingReader()
    var count = 0
    for bytes in pieces { count += try reader.read(bytes).count }
    count += try reader.finish().count
    #expect(count == 2)
  }

  func showsEvents(
    nextBytes: () -> [UInt8]?, show: (TimedEvent) -> Void
  ) throws {
    var reader = RecordingReader()
    while let bytes = nextBytes() {
      for event in try reader.read(bytes) { show(event) }
    }
    for event in try reader.finish() { show(event) }
  }

  /// A recording drives a manager, whatever its times are.
  @Test(.hangLimit) func drivesAManager() async throws {
    let text = "lat,lon,time\n1,2,2001-02-03T04:05:06Z\n3,4,2001-02-03T04:05:07Z\n"
    let recording = try Recording(Array(text.utf8))
    let clock = ManualClock()
    let manager = LocationManager(
      backend: try MockBackend.replay(recording.events, clock: clock), clock: clock)
    let latitudes = Task {
      try await manager.updates.reduce(into: [Double]()) { $0.append($1.latitude) }
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(try await latitudes.value == [1, 3])
  }
}
