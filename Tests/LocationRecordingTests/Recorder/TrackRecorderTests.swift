import AsyncLocation
import FileAccess
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TrackRecorderTests {
  typealias Updates = AsyncThrowingStream<Location, any Error>

  /// Locations along the equator, a second and 111 m apart.
  static func locations(_ range: Range<Int>) throws -> [Location] {
    try range.map { try location(0, Double($0) / 1000, at: Double($0)) }
  }

  static func stream(_ locations: [Location]) -> AsyncStream<Location> {
    AsyncStream { stream in
      for location in locations { stream.yield(location) }
      stream.finish()
    }
  }

  private static func recorder(
    _ folder: MemoryFolder, _ format: RecordingWriter.Format = .gpx,
    _ configuration: TrackRecorder.Configuration = .init(),
    clock: any Clock<Duration> = ManualClock()
  ) throws -> TrackRecorder {
    try TrackRecorder(
      "a", in: Folder("memory", calls: folder), format: format, configuration: configuration,
      clock: clock)
  }

  private static func read(_ bytes: [UInt8]?) throws -> [Coordinate] {
    try Recording(bytes ?? []).locations.map(\.coordinate)
  }

  // MARK: The content of the file

  @Test("F52 every state of the file is a recording", arguments: RecordingWriter.Format.recordable)
  func everyState(_ format: RecordingWriter.Format) async throws {
    let folder = MemoryFolder()
    let recorder = try Self.recorder(folder, format, .init(syncInterval: .zero))
    let locations = try Self.locations(0..<40)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    for (index, location) in locations.enumerated() {
      let syncs = folder.syncs
      source.yield(location)
      if index.isMultiple(of: 3) { await folder.wait(syncs: syncs + 1) }
    }
    source.finish()
    try await task.value
    var lastCount = 0
    for state in folder.states where !state.isEmpty {
      // An ending without a header and a point is not a recording.
      if state == RecordingText(format).end() { continue }
      let found = try Self.read(state)
      #expect(found == locations.prefix(found.count).map(\.coordinate))
      #expect(found.count >= lastCount)
      lastCount = found.count
    }
    #expect(lastCount == 40)
    let statistics = await recorder.statistics
    #expect(statistics.recorded == 40)
    #expect(statistics.waiting == 0)
    #expect(statistics.lost == 0)
    #expect(statistics.fileLength == folder["a"]?.count)
    #expect(statistics.sinceLastSync == .zero)
    #expect(statistics.fileName == "a")
  }

  /// After a loss of power, any blocks of the last write may be on the disk.
  @Test(
    "F52 synchronized content survives a loss of power",
    arguments: RecordingWriter.Format.recordable)
  func powerCut(_ format: RecordingWriter.Format) async throws {
    let folder = MemoryFolder()
    let recorder = try Self.recorder(folder, format, .init(syncInterval: .zero, maximumWaiting: 8))
    try await recorder.record(Self.stream(try Self.locations(0..<30)))
    var random = SplitMix64(seed: 52)
    // Before the first write is on the disk, there is no content to retain.
    for write in folder.writes where !write.before.isEmpty {
      let before = try Self.read(write.before).count
      for _ in 0..<20 {
        let end = write.offset + write.bytes.count
        var bytes = write.before
        if Bool.random(using: &random) {
          bytes += [UInt8](repeating: 0, count: max(0, end - bytes.count))
        }
        for start in stride(from: write.offset, to: min(end, bytes.count), by: 64)
        where Bool.random(using: &random) {
          for index in start..<min(start + 64, end, bytes.count) {
            bytes[index] = write.bytes[index - write.offset]
          }
        }
        let after = MemoryFolder()
        after.put(bytes, as: "a")
        try await Self.recorder(after, format, .init(existing: .append))
          .record(Self.stream(try Self.locations(100..<101)))
        let found = try Self.read(after["a"])
        #expect(found.count > before, "\(format): \(found.count) of \(before)")
        #expect(found.last == (try Self.locations(100..<101)[0].coordinate))
      }
    }
  }

  @Test func anEmptyRecordingIsComplete() async throws {
    for format in [RecordingWriter.Format.gpx, .geoJSON, .csv] {
      let folder = MemoryFolder()
      try await Self.recorder(folder, format).record(Self.stream([]))
      #expect(try Self.read(folder["a"]).isEmpty)
    }
  }

  @Test func interruptionsBeginSegments() async throws {
    let folder = MemoryFolder()
    let recorder = try Self.recorder(folder, .csv, .init(syncInterval: .zero))
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    let locations = try Self.locations(0..<2)
    await folder.wait(syncs: 1)
    source.yield(locations[0])
    await folder.wait(syncs: 2)
    await recorder.interrupt()
    source.yield(locations[1])
    source.finish()
    try await task.value
    #expect(try Track(Recording(folder["a"] ?? [])).segments.count == 2)
  }

  // MARK: Time

  @Test("F86 each location is in the file at once, and on the disk after the interval")
  func writesAtOnce() async throws {
    let (folder, clock) = (MemoryFolder(), ManualClock())
    let recorder = try Self.recorder(folder, clock: clock)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    await folder.wait(syncs: 1)
    let locations = try Self.locations(0..<3)
    for count in 1...3 {
      source.yield(locations[count - 1])
      while await recorder.statistics.recorded < count { await Task.yield() }
      #expect(try Self.read(folder["a"]).count == count)
    }
    #expect(folder.syncs == 1)
    await clock.waitForSleepers()
    #expect(clock.nextDeadline == ManualClock.Instant(offset: .seconds(10)))
    clock.advance(by: .seconds(10))
    await folder.wait(syncs: 2)
    source.finish()
    try await task.value
    #expect(folder.syncs <= 3, "everything was on the disk, and the file is looked for once")
    #expect(try Self.read(folder["a"]).count == 3)
  }

  @Test("F52 50 Hz for ten minutes loses nothing") func fastReceiver() async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      let (folder, clock) = (MemoryFolder(keepsStates: false), ManualClock())
      let recorder = try Self.recorder(folder, .gpsd, clock: clock)
      let sent = Locked(0)
      let updates = AsyncStream<Location>(unfolding: {
        let index = sent.withLock { count in
          defer { count += 1 }
          return count
        }
        // The recorder catches up every second.
        if index.isMultiple(of: 50) {
          while await recorder.statistics.waiting > 0 { await Task.yield() }
        }
        clock.advance(by: .milliseconds(20))
        return index < 30_000 ? try? location(0, 0, at: Double(index) / 50) : nil
      })
      try await recorder.record(updates)
      let statistics = await recorder.statistics
      #expect(statistics.recorded == 30_000)
      #expect(statistics.lost == 0)
      #expect(folder["a"]?.count { $0 == 10 } == 30_000)
    }
  }

  // MARK: Failures

  /// A write is short if some of its bytes fit, and fails otherwise.
  @Test("F52 a full disk loses nothing that fits into the queue", arguments: [true, false])
  func fullDisk(isShort: Bool) async throws {
    for format in RecordingWriter.Format.recordable {
      let (folder, clock) = (MemoryFolder(), ManualClock())
      let recorder = try Self.recorder(folder, format, .init(syncInterval: .zero), clock: clock)
      let (updates, source) = Updates.makeStream()
      let task = Task { try await recorder.record(updates) }
      let locations = try Self.locations(0..<9)
      await folder.wait(syncs: 1)
      source.yield(locations[0])
      await folder.wait(syncs: 2)
      let before = folder["a"] ?? []
      folder.setCapacity(before.count + (isShort ? 10 : 0))
      for location in locations[1...] { source.yield(location) }
      await clock.waitForSleepers()
      #expect(folder["a"] == before, "\(format)")
      #expect(await recorder.statistics.problem?.code == .storageUnavailable)
      folder.setCapacity(.max)
      clock.advance(by: .seconds(1))
      await folder.wait(syncs: 3)
      source.finish()
      try await task.value
      #expect(try Self.read(folder["a"]) == locations.map(\.coordinate), "\(format)")
      #expect(await recorder.statistics.problem == nil)
    }
  }

  @Test("F52 a disk that fails to synchronize is written again")
  func failedSynchronization() async throws {
    let (folder, clock) = (MemoryFolder(), ManualClock())
    let recorder = try Self.recorder(folder, .gpx, .init(syncInterval: .zero), clock: clock)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    let locations = try Self.locations(0..<2)
    await folder.wait(syncs: 1)
    folder.fail(.synchronize, EIO)
    for location in locations { source.yield(location) }
    await clock.waitForSleepers()
    while await recorder.statistics.waiting < 2 { await Task.yield() }
    #expect(await recorder.statistics.recorded == 0)
    #expect(try Self.read(folder["a"]).count > 0, "other programs can read it")
    folder.fail(.synchronize, nil)
    let writeCount = folder.writes.count
    clock.advance(by: .seconds(1))
    await folder.wait(syncs: 2)
    source.finish()
    try await task.value
    #expect(try Self.read(folder["a"]) == locations.map(\.coordinate))
    // Text that the system may have dropped is written again.
    let laterTexts = folder.writes[writeCount...].map { String(decoding: $0.bytes, as: UTF8.self) }
    #expect(laterTexts.contains { $0.split(separator: "<trkpt").count == 3 }, "\(laterTexts)")
  }

  /// The next file begins with the last location that was synchronized.
  @Test("F52 a file that is removed is followed by another one", arguments: [true, false])
  func removedFile(isAtTheEnd: Bool) async throws {
    let (folder, clock) = (MemoryFolder(), ManualClock())
    let recorder = try Self.recorder(folder, .gpx, .init(syncInterval: .seconds(5)), clock: clock)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    let locations = try Self.locations(0..<4)
    source.yield(locations[0])
    while await recorder.statistics.recorded < 1 { await Task.yield() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    await folder.wait(syncs: 2)
    source.yield(locations[1])
    while await recorder.statistics.recorded < 2 { await Task.yield() }
    try folder.remove("a")
    if isAtTheEnd {
      source.finish()
    } else {
      source.yield(locations[2])
      while await recorder.statistics.problem == nil { await Task.yield() }
      #expect(await recorder.statistics.problem?.message.contains("was removed or cut") == true)
      #expect(await recorder.statistics.recorded == 1)
      source.yield(locations[3])
      clock.advance(by: .seconds(1))
      while await recorder.statistics.waiting > 0 { await Task.yield() }
      source.finish()
    }
    try await task.value
    let statistics = await recorder.statistics
    #expect(statistics.problem == nil)
    #expect(statistics.fileCount == 2)
    #expect(statistics.lostFiles == 1)
    #expect(statistics.lost == 0)
    #expect(folder.names == [statistics.fileName])
    let found = try Self.read(folder[statistics.fileName ?? ""])
    #expect(found == locations.prefix(isAtTheEnd ? 2 : 4).map(\.coordinate))
  }

  /// No location is waiting to be written.
  @Test("F52 a file that is removed after its last synchronization is counted as lost")
  func fileRemovedDuringARestIsCounted() async throws {
    let (folder, clock) = (MemoryFolder(), ManualClock())
    let recorder = try Self.recorder(folder, .gpx, .init(syncInterval: .seconds(5)), clock: clock)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    source.yield(try Self.locations(0..<1)[0])
    while await recorder.statistics.recorded < 1 { await Task.yield() }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(5))
    while await recorder.statistics.sinceLastSync != .zero { await Task.yield() }
    try folder.remove("a")
    source.finish()
    try await task.value
    #expect(await recorder.statistics.lostFiles == 1)
  }

  @Test("a file system without locks is written to", arguments: [ENOLCK, EOPNOTSUPP, ENOSYS])
  func withoutLocks(_ errorNumber: Int32) async throws {
    let folder = MemoryFolder()
    folder.fail(.lock, errorNumber)
    for count in [3, 6] {
      let recorder = try Self.recorder(folder, .gpx, .init(existing: .append))
      try await recorder.record(Self.stream(try Self.locations(0..<3)))
      #expect(try Self.read(folder["a"]).count == count)
    }
  }

  @Test func aFailedLockIsAnError() async throws {
    let folder = MemoryFolder()
    folder.fail(.lock, EIO)
    let recorder = try Self.recorder(folder)
    await #expect(throws: LocationError.self) {
      try await recorder.record(Self.stream(try Self.locations(0..<3)))
    }
    #expect(folder.names == [])
  }

  @Test("F52 a failure to write at the end is an error") func fullAtTheEnd() async throws {
    let folder = MemoryFolder()
    let recorder = try Self.recorder(folder)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    await folder.wait(syncs: 1)
    folder.setCapacity(0)
    for location in try Self.locations(0..<3) { source.yield(location) }
    source.finish()
    let error = await #expect(throws: LocationError.self) { try await task.value }
    #expect(error?.code == .storageUnavailable)
    #expect(await recorder.statistics.lost == 3)
    #expect(try Self.read(folder["a"]).isEmpty)
  }

  @Test("F52 at the end, fitting points are written", arguments: RecordingWriter.Format.recordable)
  func fullDiskKeepsFittingLocations(_ format: RecordingWriter.Format) async throws {
    let folder = MemoryFolder()
    let recorder = try Self.recorder(folder, format)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    await folder.wait(syncs: 1)
    folder.setCapacity((folder["a"]?.count ?? 0) + 5_000)
    let locations = try Self.locations(0..<100)
    for location in locations { source.yield(location) }
    source.finish()
    let error = await #expect(throws: LocationError.self) { try await task.value }
    #expect(error?.code == .storageUnavailable)
    let statistics = await recorder.statistics
    #expect(statistics.recorded > 5)
    #expect(statistics.recorded + statistics.lost == 100)
    #expect(
      try Self.read(folder["a"])
        == locations.prefix(statistics.recorded).map(\.coordinate))
  }

  @Test("F54 a recording without locations is no obstacle to the next")
  func anEmptyRecordingCanBeContinued() async throws {
    for format in [RecordingWriter.Format.gpx, .geoJSON, .csv] {
      let folder = MemoryFolder()
      for count in [0, 3] {
        let recorder = try Self.recorder(folder, format)
        let (updates, source) = Updates.makeStream()
        for location in try Self.locations(0..<count) { source.yield(location) }
        source.finish()
        try await recorder.record(updates)
      }
      #expect(try Self.read(folder["a"]).count == 3, "\(format)")
      let (none, end) = Updates.makeStream()
      end.finish()
      let error = await #expect(throws: LocationError.self) {
        try await Self.recorder(folder, format).record(none)
      }
      #expect(error?.message.contains("exists already") == true, "\(format)")
    }
  }

  // MARK: The end

  @Test func cancellationWritesWaitingLocations() async throws {
    let (folder, clock) = (MemoryFolder(), ManualClock())
    let recorder = try Self.recorder(folder, clock: clock)
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    for location in try Self.locations(0..<1) { source.yield(location) }
    await clock.waitForSleepers()
    task.cancel()
    try await task.value
    #expect(try Self.read(folder["a"]).count == 1)
  }

  @Test("the error of the source is thrown after waiting locations are written")
  func sourceFails() async throws {
    let folder = MemoryFolder()
    let recorder = try Self.recorder(folder)
    let (updates, source) = Updates.makeStream()
    source.yield(try Self.locations(0..<1)[0])
    source.finish(throwing: LocationError(.notGPSD, "no"))
    let error = await #expect(throws: LocationError.self) { try await recorder.record(updates) }
    #expect(error?.code == .notGPSD)
    #expect(try Self.read(folder["a"]).count == 1)
  }

  @Test(
    "F58 on a withdrawal, locations made with permission are written, and the file notes it",
    arguments: RecordingWriter.Format.recordable)
  func revocation(_ format: RecordingWriter.Format) async throws {
    let (folder, clock) = (MemoryFolder(), ManualClock())
    let backend = MockBackend(clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let recorder = try Self.recorder(folder, format, clock: clock)
    let locations = try Self.locations(0..<2)
    let updates = manager.updates(UpdateOptions())
    let task = Task { try await recorder.record(updates) }
    await backend.waitUntilRunning()
    try backend.emit(.location(locations[0]))
    while await recorder.statistics.recorded == 0 { await Task.yield() }
    folder.fail(.write, EIO)
    try backend.emit(.location(locations[1]))
    while await recorder.statistics.problem == nil { await Task.yield() }
    folder.fail(.write, nil)
    #expect(await recorder.statistics.waiting == 1)
    backend.setAuthorization(.denied)
    let error = await #expect(throws: LocationError.self) { try await task.value }
    #expect(error?.code == .denied)
    let statistics = await recorder.statistics
    #expect(statistics.recorded == 2)
    #expect(statistics.lost == 0)
    #expect(try Self.read(folder["a"]) == locations.map(\.coordinate))
    let text = String(decoding: folder["a"] ?? [], as: UTF8.self)
    #expect(text.contains("permission was withdrawn") == [.gpx, .geoJSON, .gpsd].contains(format))
    await manager.shutdown()
  }

  // MARK: Refusals

  @Test func nonAppendableFormatsAreRejected() {
    for format in [RecordingWriter.Format.kml, .geoJSONTrack] {
      let error = #expect(throws: LocationError.self) {
        try TrackRecorder(to: "/tmp/a", format: format)
      }
      #expect(error?.code == .unsupported)
    }
  }

  @Test(
    "F54 paths that name no file",
    arguments: ["", "/", "a/", ".", "..", "a/..", "a\0b", String(repeating: "a", count: 201)])
  func paths(_ path: String) {
    let error = #expect(throws: LocationError.self) { try TrackRecorder(to: path, format: .gpx) }
    #expect(error?.code == .invalidValue)
  }

  @Test func invalidLimitsAreRejected() {
    let configurations: [TrackRecorder.Configuration] = [
      .init(minimumDistance: -1), .init(minimumDistance: .nan), .init(rotation: .bytes(0)),
      .init(rotation: .duration(.zero)), .init(rotation: .distance(.nan)),
    ]
    for configuration in configurations {
      let error = #expect(throws: LocationError.self) {
        try TrackRecorder(to: "/tmp/a", format: .gpx, configuration: configuration)
      }
      #expect(error?.code == .invalidValue)
    }
  }
}
