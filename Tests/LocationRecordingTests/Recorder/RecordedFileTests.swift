import AsyncLocation
import Foundation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// Recordings in the file system.
@Suite(.serialized, .inTurn) struct RecordedFileTests {
  /// The item that has the name of the recording. `shared` can be read by other users, and `second`
  /// has a second name.
  enum Existing: String, CaseIterable, Sendable {
    case nothing, recording, foreign, empty, link, danglingLink, folder, pipe, shared, second
    case locked, anotherUser
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let existing: Existing
    let policy: ExistingRecording
    var testDescription: String { "\(existing), \(policy)" }

    /// The number of points in the file afterwards; nil if the file is refused.
    var points: Int? {
      switch (existing, policy) {
      case (.nothing, _): 2
      case (_, .refuse): nil
      case (.recording, .append): 5
      case (.empty, .append), (.empty, .replace), (.recording, .replace), (.foreign, .replace): 2
      default: nil
      }
    }
  }

  static let cases = Existing.allCases.flatMap { existing in
    ExistingRecording.allCases.map { Case(existing: existing, policy: $0) }
  }

  @Test(
    "F54 F44 a file that exists is refused, or continued or replaced as asked", arguments: cases)
  func existing(_ test: Case) async throws {
    // Only root can change the owner of a file.
    if test.existing == .anotherUser, geteuid() != 0 { return }
    let folder = try RecordingFolder()
    let old = String(
      decoding: try Track(TrackRecorderTests.locations(0..<3)).encoded(as: .gpx), as: UTF8.self)
    let path = folder("a.gpx")
    var lock: Int32 = -1
    switch test.existing {
    case .nothing: break
    case .recording: try folder.write(old, to: "a.gpx")
    case .foreign: try folder.write("some text\n", to: "a.gpx")
    case .empty: try folder.write("", to: "a.gpx")
    case .link:
      try folder.write(old, to: "target")
      #expect(symlink("target", path) == 0)
    case .danglingLink: #expect(symlink("target", path) == 0)
    case .folder: #expect(mkdir(path, 0o700) == 0)
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .shared:
      try folder.write(old, to: "a.gpx")
      #expect(chmod(path, 0o644) == 0)
    case .second:
      try folder.write(old, to: "a.gpx")
      #expect(link(path, folder("second")) == 0)
    case .locked:
      try folder.write(old, to: "a.gpx")
      lock = open(path, O_RDWR | O_CLOEXEC)
      #expect(flock(lock, LOCK_EX) == 0)
    case .anotherUser:
      try folder.write(old, to: "a.gpx")
      #expect(chown(path, 12_345, 12_345) == 0)
    }
    defer { if lock >= 0 { close(lock) } }
    let modes = try folder.names().map { folder.mode($0) }
    let contents = try folder.names().map {
      folder.mode($0)! & S_IFMT == S_IFREG ? try folder.text($0) : ""
    }
    let names = try folder.names()
    let recorder = try TrackRecorder(
      to: path, format: .gpx, configuration: .init(existing: test.policy))
    let new = TrackRecorderTests.stream(try TrackRecorderTests.locations(100..<102))
    if let points = test.points {
      try await recorder.record(new)
      #expect(try Recording(contentsOf: path).locations.count == points)
      #expect(folder.mode("a.gpx") == S_IFREG | 0o600)
      #expect(try folder.names() == ["a.gpx"])
    } else {
      let error = await #expect(throws: LocationError.self) { try await recorder.record(new) }
      #expect(error?.code == .storageUnavailable)
      #expect(error?.message.contains("a.gpx") == true)
      #expect(try folder.names() == names)
      #expect(names.map { folder.mode($0) } == modes)
      #expect(
        try names.map { folder.mode($0)! & S_IFMT == S_IFREG ? try folder.text($0) : "" }
          == contents)
    }
  }

  @Test(
    "F54 another program's line is never cut off",
    arguments: [.locationJSON, .gpsd, .geoJSONLines] as [RecordingWriter.Format])
  func theLineOfAnotherProgram(_ format: RecordingWriter.Format) async throws {
    for existing in [ExistingRecording.refuse, .append] {
      let folder = try RecordingFolder()
      let line = "{\"type\":\"Feature\",\"class\":\"token\"}"
      let text = format == .gpsd ? "{\"class\":\"token\"}" : line
      try folder.write(text, to: "token.json")
      let recorder = try TrackRecorder(
        to: folder("token.json"), format: format, configuration: .init(existing: existing))
      let new = TrackRecorderTests.stream(try TrackRecorderTests.locations(0..<2))
      if existing == .refuse {
        await #expect(throws: LocationError.self) { try await recorder.record(new) }
        #expect(try folder.text("token.json") == text)
      } else {
        try await recorder.record(new)
        #expect(try folder.text("token.json").hasPrefix(text + "\n{"))
      }
    }
  }

  @Test("F54 two recorders do not write to one file", arguments: ExistingRecording.allCases)
  func twice(_ policy: ExistingRecording) async throws {
    let folder = try RecordingFolder()
    let first = try TrackRecorder(to: folder("a.csv"), format: .csv)
    let (updates, source) = TrackRecorderTests.Updates.makeStream()
    let task = Task { try await first.record(updates) }
    while await first.statistics.fileName == nil { await Task.yield() }
    let second = try TrackRecorder(
      to: folder("a.csv"), format: .csv, configuration: .init(existing: policy))
    let error = await #expect(throws: LocationError.self) {
      try await second.record(TrackRecorderTests.stream([]))
    }
    #expect(error?.code == .storageUnavailable)
    source.yield(try TrackRecorderTests.locations(0..<1)[0])
    source.finish()
    try await task.value
    #expect(try Recording(contentsOf: folder("a.csv")).locations.count == 1)
    // The lock ends with the recording.
    try await TrackRecorder(
      to: folder("a.csv"), format: .csv, configuration: .init(existing: .append)
    ).record(TrackRecorderTests.stream(try TrackRecorderTests.locations(1..<2)))
    #expect(try Recording(contentsOf: folder("a.csv")).locations.count == 2)
  }

  @Test(
    "F44 rotated files have names and modes of their own",
    arguments: [100, 5_000] + stride(from: 1_000, through: 1_200, by: 25))
  func rotation(size: Int) async throws {
    let folder = try RecordingFolder()
    // Existing files are left alone.
    try folder.write("mine", to: "a-20260509T061320Z.gpx")
    let locations = try TrackRecorderTests.locations(0..<20)
    let recorder = try TrackRecorder(
      to: folder("a.gpx"), format: .gpx, configuration: .init(rotation: .bytes(size)))
    try await recorder.record(TrackRecorderTests.stream(locations))
    #expect(try folder.text("a-20260509T061320Z.gpx") == "mine")
    #expect(try folder.names().contains("a-20260509T061320Z-2.gpx"))
    var found: [Coordinate] = []
    var length = 0.0
    for name in try folder.names() where name != "a-20260509T061320Z.gpx" {
      #expect(folder.mode(name) == S_IFREG | 0o600)
      let track = Track(try Recording(contentsOf: folder(name)))
      length += track.length
      let points = track.segments.flatMap(\.locations).map(\.coordinate)
      // A file has the last location of the previous file and one other, even if it is then longer.
      if points.count > 2 { #expect(try folder.text(name).utf8.count <= size, "\(name)") }
      found += found.last == points.first ? Array(points.dropFirst()) : points
    }
    #expect(found == locations.map(\.coordinate))
    #expect(abs(length - Track(locations).length) < 1e-6)
  }

  @Test(
    "F52 recording continues when a full disk has room again",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"),
    arguments: RecordingWriter.Format.recordable)
  func fullDisk(_ format: RecordingWriter.Format) async throws {
    let disk = try SmallDisk(kibibytes: 64)
    let clock = ManualClock()
    let recorder = try TrackRecorder(
      to: disk("a"), format: format, configuration: .init(syncInterval: .zero), clock: clock)
    let (updates, source) = TrackRecorderTests.Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    while await recorder.statistics.fileName == nil { await Task.yield() }
    try await disk.fill()
    let locations = try TrackRecorderTests.locations(0..<200)
    for location in locations { source.yield(location) }
    await clock.waitForSleepers()
    // A page may have had room for a few locations.
    let text = try Array(String(contentsOfFile: disk("a"), encoding: .utf8).utf8)
    let before = (try? Recording(text).locations.count) ?? 0
    #expect(before < 200)
    #expect(await recorder.statistics.problem?.message.contains("No space left") == true)
    try disk.empty()
    clock.advance(by: .seconds(1))
    while await recorder.statistics.waiting > 0 { await Task.yield() }
    source.finish()
    try await task.value
    #expect(
      try Recording(contentsOf: disk("a")).locations.map(\.coordinate)
        == locations.map(\.coordinate))
    #expect(await recorder.statistics.lost == 0)
  }

  @Test("F52 a file that is removed or cut is followed by another one", arguments: [true, false])
  func lostFile(isRemoved: Bool) async throws {
    let (folder, clock) = (try RecordingFolder(), ManualClock())
    let recorder = try TrackRecorder(to: folder("a.gpx"), format: .gpx, clock: clock)
    let (updates, source) = TrackRecorderTests.Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    let locations = try TrackRecorderTests.locations(0..<2)
    source.yield(locations[0])
    while await recorder.statistics.recorded < 1 { await Task.yield() }
    if isRemoved {
      #expect(unlink(folder("a.gpx")) == 0)
    } else {
      #expect(truncate(folder("a.gpx"), 40) == 0)
    }
    source.yield(locations[1])
    while await recorder.statistics.problem == nil { await Task.yield() }
    clock.advance(by: .seconds(1))
    while await recorder.statistics.waiting > 0 { await Task.yield() }
    source.finish()
    try await task.value
    let name = try #require(await recorder.statistics.fileName)
    #expect(name.hasPrefix("a-2"))
    let found = try Recording(contentsOf: folder(name)).locations.map(\.coordinate)
    #expect(found == locations.map(\.coordinate))
  }

  @Test func missingFolderIsAnError() throws {
    let folder = try RecordingFolder()
    let error = #expect(throws: LocationError.self) {
      try TrackRecorder(to: folder("none/a.csv"), format: .csv)
    }
    #expect(error?.code == .storageUnavailable)
  }
}
