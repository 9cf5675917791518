import AsyncLocation
import FileAccess
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// A recorder that records again.
@Suite(.inTurn) struct RepeatedRecordingTests {
  typealias Updates = AsyncThrowingStream<Location, any Error>

  private let folder = MemoryFolder()

  private func recorder(
    _ format: RecordingWriter.Format = .gpx, _ configuration: TrackRecorder.Configuration = .init()
  ) throws -> TrackRecorder {
    try TrackRecorder(
      "a", in: Folder("memory", calls: folder), format: format, configuration: configuration,
      clock: ManualClock())
  }

  private func track(_ name: String = "a") throws -> Track {
    try Track(Recording(folder[name] ?? []))
  }

  private func record(_ range: Range<Int>, with recorder: TrackRecorder) async throws {
    try await recorder.record(TrackRecorderTests.stream(TrackRecorderTests.locations(range)))
  }

  @Test(
    "the next recording continues the file with a segment",
    arguments: RecordingWriter.Format.recordable, ExistingRecording.allCases)
  func continuesTheFile(_ format: RecordingWriter.Format, _ existing: ExistingRecording)
    async throws
  {
    let recorder = try recorder(format, .init(existing: existing))
    for round in 0..<3 { try await record(round * 3..<round * 3 + 3, with: recorder) }
    #expect(folder.names == ["a"])
    let recording = try Recording(folder["a"] ?? [])
    #expect(
      recording.locations.map(\.coordinate)
        == (try TrackRecorderTests.locations(0..<9).map(\.coordinate)))
    if [.gpx, .geoJSON, .geoJSONLines, .geoJSONSequence, .csv].contains(format) {
      #expect(try track().segments.map(\.locations.count) == [3, 3, 3])
    }
    let statistics = await recorder.statistics
    #expect(statistics.recorded == 9)
    #expect(statistics.fileCount == 3)
    #expect(statistics.fileLength == folder["a"]?.count)
    #expect(statistics.problem == nil)
  }

  @Test(
    "F58 a recorder records again after a new grant",
    arguments: RecordingWriter.Format.recordable)
  func revokedAndGranted(_ format: RecordingWriter.Format) async throws {
    let clock = ManualClock()
    let backend = MockBackend(clock: clock)
    let manager = LocationManager(backend: backend, clock: clock)
    let recorder = try recorder(format)
    let locations = try TrackRecorderTests.locations(0..<3)
    for (round, location) in locations.enumerated() {
      let updates = manager.updates(UpdateOptions())
      let task = Task { try await recorder.record(updates) }
      await backend.waitUntilRunning()
      try backend.emit(.location(location))
      while await recorder.statistics.recorded == round { await Task.yield() }
      backend.setAuthorization(.denied)
      let error = await #expect(throws: LocationError.self) { try await task.value }
      #expect(error?.code == .denied)
      await backend.waitUntilIdle()
      backend.setAuthorization(AuthorizationDecision(.always))
      // Waits for the new grant.
      for await authorization in manager.authorizationUpdates where authorization.isAuthorized {
        break
      }
    }
    let recording = try Recording(folder["a"] ?? [])
    #expect(recording.locations.map(\.coordinate) == locations.map(\.coordinate))
    await manager.shutdown()
  }

  @Test func aSecondConcurrentRecordingIsRefused() async throws {
    let recorder = try recorder()
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    await folder.wait(syncs: 1)
    for _ in 0..<2 {
      let error = await #expect(throws: LocationError.self) {
        try await record(5..<6, with: recorder)
      }
      #expect(error?.code == .invalidValue)
      #expect(error?.message.contains("records already") == true)
    }
    // The refused calls do not disturb the recording.
    for location in try TrackRecorderTests.locations(0..<2) { source.yield(location) }
    source.finish()
    try await task.value
    #expect(try track().segments.map(\.locations.count) == [2])
  }

  @Test func aCancelledRecorderRecordsAgain() async throws {
    let recorder = try recorder()
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    source.yield(try TrackRecorderTests.locations(0..<1)[0])
    while await recorder.statistics.recorded == 0 { await Task.yield() }
    task.cancel()
    try await task.value
    try await record(1..<2, with: recorder)
    #expect(try track().segments.map(\.locations.count) == [1, 1])
  }

  /// The locations that a recording could not write are lost. The next recording succeeds.
  @Test("F52 a recorder records again after a failed disk") func afterAFailure() async throws {
    let recorder = try recorder()
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    await folder.wait(syncs: 1)
    folder.fail(.write, 5)  // EIO.
    source.yield(try TrackRecorderTests.locations(0..<1)[0])
    source.finish()
    await #expect(throws: LocationError.self) { try await task.value }
    #expect(await recorder.statistics.problem?.code == .storageUnavailable)
    let error = await #expect(throws: LocationError.self) {
      try await record(1..<2, with: recorder)
    }
    #expect(error?.code == .storageUnavailable)
    folder.fail(.write, nil)
    try await record(2..<3, with: recorder)
    #expect(try track().segments.map(\.locations.count) == [1])
    #expect(await recorder.statistics.problem == nil)
    #expect(await recorder.statistics.lost == 1)
  }

  @Test func aSecondRecordingRotatesTheFile() async throws {
    let recorder = try recorder(.csv, .init(rotation: .duration(.seconds(3600))))
    for round in 0..<2 { try await record(round..<round + 1, with: recorder) }
    #expect(folder.names.count == 2)
    for name in folder.names { #expect(try track(name).segments.map(\.locations.count) == [1]) }
    #expect(await recorder.statistics.fileCount == 2)
  }

  // MARK: Changes of the file between two recordings

  @Test func aRemovedFileIsCreatedAgain() async throws {
    let recorder = try recorder()
    try await record(0..<2, with: recorder)
    try folder.remove("a")
    try await record(2..<3, with: recorder)
    #expect(try track().segments.map(\.locations.count) == [1])
  }

  @Test(arguments: ExistingRecording.allCases)
  func aReplacedFileIsHandledAsConfigured(_ existing: ExistingRecording) async throws {
    let recorder = try recorder(.gpx, .init(existing: existing))
    try await record(0..<1, with: recorder)
    let content = folder["a"] ?? []
    try folder.remove("a")
    folder.put(content, as: "a")
    guard existing != .refuse else {
      let error = await #expect(throws: LocationError.self) {
        try await record(1..<2, with: recorder)
      }
      #expect(error?.code == .storageUnavailable)
      #expect(folder["a"] == content)
      // After the other file is removed, the recorder creates its own again.
      try folder.remove("a")
      return try await record(1..<2, with: recorder)
    }
    try await record(1..<2, with: recorder)
    #expect(try track().segments.map(\.locations.count) == (existing == .append ? [1, 1] : [1]))
  }

  @Test func aFileThatPreventedARecordingStaysForeign() async throws {
    try await record(0..<1, with: recorder())
    let content = folder["a"]
    let recorder = try recorder()
    for _ in 0..<2 {
      await #expect(throws: LocationError.self) { try await record(1..<2, with: recorder) }
    }
    #expect(folder["a"] == content)
  }

  /// The recorder continues the file that followed the lost one, not another file with the first
  /// name.
  @Test("F52 a recorder continues the file that it wrote last") func afterALoss() async throws {
    let recorder = try recorder(.csv, .init(syncInterval: .zero))
    let (updates, source) = Updates.makeStream()
    let task = Task { try await recorder.record(updates) }
    // A file that is removed while it is being created is an error.
    while await recorder.statistics.fileName == nil { await Task.yield() }
    try folder.remove("a")
    source.yield(try TrackRecorderTests.locations(0..<1)[0])
    source.finish()
    try await task.value
    let name = try #require(await recorder.statistics.fileName)
    #expect(name != "a")
    try await record(1..<2, with: recorder)
    #expect(folder.names == [name])
    #expect(try track(name).segments.map(\.locations.count) == [1, 1])
  }
}
