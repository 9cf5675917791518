import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// All managers and processes with one key report the same reduced locations.
@Suite(.inTurn) struct ReducedTracksTests {
  private static let reduced = AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced)

  static func fix(
    _ seconds: Double, _ latitude: Double, device: String? = "a"
  ) throws -> Location {
    try LocationReducerTests.fix(
      seconds, at: Coordinate(latitude: latitude, longitude: 13), device: device)
  }

  /// Returns the tracks of a process that has just started.
  private static func process(
    _ seed: UInt64, _ storage: (any ReducedTrackStorage)?
  ) -> ReducedTracks {
    let tracks = ReducedTracks(key: Globe.key(seed))
    if let storage { tracks.store(in: storage) }
    return tracks
  }

  // MARK: Managers

  @Test func newManagersRepeatTheAnswerOfATimeStep() async throws {
    let key = Globe.key(.random(in: .min ... .max))
    var answers: Set<Coordinate> = []
    // Fixes in two cells, within one time step.
    for index in 0..<20 {
      let backend = try MockBackend(
        authorization: .answering(Self.reduced),
        script: [.locations(try Self.fix(Double(index), index.isMultiple(of: 2) ? 50 : 51))])
      let manager = LocationManager(backend: KeyedBackend(backend, key), clock: ManualClock())
      answers.insert(try await manager.currentLocation().coordinate)
      await manager.shutdown()
    }
    #expect(answers.count == 1)
  }

  @Test func managersOverMocksDoNotShareTracks() async throws {
    for latitude in [50.0, 51] {
      let backend = try MockBackend(
        authorization: .answering(Self.reduced),
        script: [.locations(try Self.fix(1, latitude))])
      let manager = LocationManager(backend: backend, clock: ManualClock())
      let place = try Coordinate(latitude: latitude, longitude: 13)
      #expect(try await manager.currentLocation().coordinate.distance(to: place) < 9_000)
      await manager.shutdown()
    }
  }

  @Test func equalKeysShareTracks() throws {
    let bytes = [UInt8]((0..<32).map { _ in .random(in: 0...255) })
    let tracks = try ReducedAccuracyKey(bytes: bytes).tracks
    #expect(try ReducedAccuracyKey(bytes: bytes).with(notice: "A notice.").tracks === tracks)
    #expect(try ReducedAccuracyKey(bytes: bytes).withOwnTracks().tracks !== tracks)
    #expect(Globe.key(.random(in: .min ... .max)).tracks !== tracks)
  }

  // MARK: Processes

  @Test func aProcessContinuesAStoredTrack() async throws {
    let storage = MemoryTracks()
    let first = Self.process(7, storage)
    #expect(first.reduce(try Self.fix(0, 50)) == nil)
    await first.choose(try Self.fix(0, 50)) { true }
    let answer = try #require(first.reduce(try Self.fix(1, 51)))
    // In the same time step, the answer is the same for any position.
    let second = Self.process(7, storage)
    await second.choose(try Self.fix(2, 51)) { true }
    #expect(second.reduce(try Self.fix(2, 51)) == second.reduce(try Self.fix(1, 50)))
    #expect(second.reduce(try Self.fix(1, 51)) == answer)
    #expect(storage.updates == 2)
    // In the next time step, within the margin of the cell.
    let edge = answer.coordinate.latitude + 0.03
    await second.choose(try Self.fix(300, edge)) { true }
    #expect(second.reduce(try Self.fix(300, edge))?.coordinate == answer.coordinate)
    // The first process, which is still running, reports the choice of the second one.
    await first.choose(try Self.fix(301, 51)) { true }
    #expect(first.reduce(try Self.fix(301, 51))?.coordinate == answer.coordinate)
  }

  @Test func receiversAreStoredApart() async throws {
    let storage = MemoryTracks()
    let first = Self.process(7, storage)
    for (device, latitude) in [("a", 50.0), ("b", 51), (nil, 52)] {
      await first.choose(try Self.fix(0, latitude, device: device)) { true }
    }
    let second = Self.process(7, storage)
    for device in ["a", "b", nil] {
      let fix = try Self.fix(1, 51.5, device: device)
      await second.choose(fix) { true }
      let answer = try #require(second.reduce(fix))
      #expect(answer.coordinate == first.reduce(fix)?.coordinate)
      #expect(answer.distance(to: fix) > 50_000)
    }
  }

  /// One process at home, one at work, and one at home again, 5 m away across the border.
  @Test func aPlaceHasOneAnswerInAllProcesses() async throws {
    var random = SplitMix64(seed: 76)
    for index in 0..<20 {
      let storage = MemoryTracks()
      let seed = UInt64(index)
      var home = Globe.anywhere(using: &random)
      let (east, north) = Globe.ground(home)
      let inside = Globe.border(from: home, along: east, in: ReducedGrid(key: Globe.key(seed)))
        .inside
      home = Globe.moved(home, inside - 2, along: east)
      let places = [
        home, Globe.moved(home, 30_000, along: north), Globe.moved(home, 5, along: east),
      ]
      var answers: [Coordinate] = []
      for (number, place) in places.enumerated() {
        let fix = try LocationReducerTests.fix(
          Double(number) * 600, at: Globe.coordinate(place), device: "\(number)")
        let tracks = Self.process(seed, storage)
        await tracks.choose(fix) { true }
        answers.append(try #require(tracks.reduce(fix)).coordinate)
      }
      #expect(answers[2] == answers[0])
      #expect(answers[1] != answers[0])
    }
  }

  /// A file of an earlier version has no cells.
  @Test func aFileWithoutCellsHasTheCellsOfItsTracks() async throws {
    let storage = MemoryTracks()
    let fix = try Self.fix(0, 50)
    await Self.process(7, storage).choose(fix) { true }
    let contents = try #require(storage.contents)
    let object = try JSONSerialization.jsonObject(with: Data(contents))
    var file = try #require(object as? [String: Any])
    #expect(file.removeValue(forKey: "cells") != nil)
    let data = try JSONSerialization.data(withJSONObject: file)
    let earlier = try #require(StoredTracks(Array(data)))
    let grid = ReducedGrid(key: Globe.key(7))
    #expect(earlier.reportedCells(in: grid).contents.count == 1)
  }

  /// The file was stored with another key.
  @Test func aFileWithoutCellsOfAnotherKeyHasNone() async throws {
    let storage = MemoryTracks()
    await Self.process(8, storage).choose(try Self.fix(0, 50)) { true }
    let object = try JSONSerialization.jsonObject(with: Data(try #require(storage.contents)))
    var file = try #require(object as? [String: Any])
    file["cells"] = nil
    let data = try JSONSerialization.data(withJSONObject: file)
    let earlier = try #require(StoredTracks(Array(data)))
    #expect(earlier.reportedCells(in: ReducedGrid(key: Globe.key(7))).contents.isEmpty)
  }

  /// The altitudes of a cell survive the process.
  @Test func aStoredCellKeepsItsAltitude() async throws {
    let storage = MemoryTracks()
    func altitude(_ time: Double, height: Double, of device: String) async throws -> Double? {
      let fix = try LocationReducerTests.fix(
        time, at: Coordinate(latitude: 50, longitude: 13), device: device, altitude: height)
      let tracks = Self.process(7, storage)
      await tracks.choose(fix) { true }
      return tracks.reduce(fix)?.altitude
    }
    #expect(try await altitude(0, height: 240, of: "a") == 0)
    #expect(try await altitude(600, height: 260, of: "b") == 0)
    #expect(try await altitude(1_200, height: 400, of: "c") == 500)
    #expect(try await altitude(1_800, height: 290, of: "d") == 0)
  }

  @Test func canonicallyEquivalentNamesAreTwoReceivers() async throws {
    let tracks = Self.process(7, MemoryTracks())
    await tracks.choose(try Self.fix(0, 50, device: "caf\u{E9}")) { true }
    let fix = try Self.fix(1, 51, device: "cafe\u{301}")
    await tracks.choose(fix) { true }
    #expect(try #require(tracks.reduce(fix)).distance(to: fix) < 9_000)
  }

  /// A choice that never ends delays the others no longer than `waitForTimeout()`.
  @Test func aHangingStorageIsCalledOnce() async throws {
    let storage = HangingTracks()
    let tracks = Self.process(7, storage)
    for step in 0..<100 {
      let fix = try Self.fix(Double(step) * 300, 50, device: "\(step)")
      #expect(await tracks.choose(fix) { true } == false)
      #expect(tracks.reduce(fix) != nil)
    }
    #expect(storage.callCount.withLock(\.self) == 1)
    storage.gate.open()
    // The storage is called again once the first call has returned.
    for step in 100... {
      if await tracks.choose(try Self.fix(Double(step) * 300, 50), if: { true }) { break }
      await Task.yield()
    }
    #expect(storage.callCount.withLock(\.self) > 1)
  }

  /// Permission is withdrawn and granted again while the storage answers.
  @Test func aRepeatedChoiceUsesTheStoredTrack() async throws {
    let storage = MemoryTracks()
    await Self.process(7, storage).choose(try Self.fix(0, 50)) { true }
    let second = Self.process(7, storage)
    let permissionChecks = Locked(0)
    let fix = try Self.fix(1, 51)
    await second.choose(fix) {
      permissionChecks.withLock { count in
        count += 1
        return count > 1
      }
    }
    // The location must be chosen again.
    #expect(second.reduce(fix) == nil)
    await second.choose(fix) { true }
    #expect(try #require(second.reduce(fix)).coordinate.latitude < 50.5)
  }

  @Test func cellCountIsLimited() throws {
    let grid = ReducedGrid(key: Globe.key(7))
    var cells = ReportedCells()
    let home = SurfaceNormal(try Coordinate(latitude: 50, longitude: 13))
    let first = cells.cell(for: home, in: grid)
    for number in 0..<ReportedCells.limit * 2 {
      let place = try Coordinate(latitude: 10 + Double(number) * 0.05, longitude: 100)
      _ = cells.cell(for: SurfaceNormal(place), in: grid)
      // The cell of the home stays in use, so it is not forgotten.
      #expect(cells.cell(for: home, in: grid) == first)
    }
    #expect(cells.contents.count == ReportedCells.limit)
  }

  /// Device names are external input.
  @Test func storedReceiversAreLimited() async throws {
    let storage = MemoryTracks()
    // Each process reads everything that is stored.
    try await withTaskExecutorPreference(LongWork.shared) {
      for index in 0..<300 {
        await Self.process(7, storage).choose(try Self.fix(0, 50, device: "\(index)")) { true }
      }
    }
    let stored = try #require(StoredTracks(storage.contents))
    let limit = LocationReducer.rememberedReceivers
    #expect((0..<300).filter { stored["\($0)"] != nil } == Array(300 - limit..<300))
  }

  @Test func onlyReducedLocationsAreStored() async throws {
    let storage = MemoryTracks()
    let tracks = Self.process(7, storage)
    let fix = try Self.fix(12.345, 50.123456)
    await tracks.choose(fix) { true }
    let text = String(decoding: try #require(storage.contents), as: UTF8.self)
    for secret in ["50.12345", "13.57", "301.25", "12.345"] { #expect(!text.contains(secret)) }
    let stored = try #require(StoredTracks(storage.contents)?["a"])
    let answer = try #require(tracks.reduce(fix))
    #expect(stored.location.coordinate == answer.coordinate)
    #expect(stored.location.timestamp == answer.timestamp)
  }

  @Test func unusableContentsAreIgnored() async throws {
    let storage = MemoryTracks()
    await Self.process(8, storage).choose(try Self.fix(0, 50)) { true }
    let contentsOfAnotherKey = storage.contents
    for contents in [contentsOfAnotherKey, [], [0xff], Array("{}".utf8), nil] {
      let storage = MemoryTracks(contents)
      let tracks = Self.process(7, storage)
      let fix = try Self.fix(1, 51)
      await tracks.choose(fix) { true }
      let answer = try #require(tracks.reduce(fix))
      #expect(answer.distance(to: fix) < 9_000)
      #expect(StoredTracks(storage.contents)?["a"]?.location.coordinate == answer.coordinate)
    }
  }

  @Test func theTracksOfALaterVersionAreLeftAlone() async throws {
    let later = Array(#"{"version":2,"tracks":[]}"#.utf8)
    let storage = MemoryTracks(later)
    let tracks = Self.process(7, storage)
    #expect(await !tracks.choose(try Self.fix(1, 51)) { true })
    #expect(tracks.reduce(try Self.fix(1, 51)) != nil)
    #expect(storage.contents == later)
  }

  /// Without a check, an unrounded number would be reported unchanged or make the location invalid.
  @Test(arguments: [
    (#""course":90"#, #""course":810"#), (#""course":90"#, #""course":91"#),
    (#""altitude":500"#, #""altitude":1e300"#), (#""speed":10"#, #""speed":13.57"#),
    (#""latitude":"#, #""latitude":1"#), (#""receiverTime":"#, #""receiverTime":1e300,"x":"#),
  ])
  func aTamperedFileIsIgnored(_ text: String, _ other: String) async throws {
    let storage = MemoryTracks()
    await Self.process(7, storage).choose(try Self.fix(0, 50)) { true }
    let stored = String(decoding: try #require(storage.contents), as: UTF8.self)
    let changed = MemoryTracks(Array(stored.replacing(text, with: other).utf8))
    #expect(changed.contents != storage.contents)
    let tracks = Self.process(7, changed)
    let fix = try Self.fix(300, 50)
    await tracks.choose(fix) { true }
    let answer = try #require(tracks.reduce(fix))
    #expect(answer.distance(to: fix) < 9_000)
    #expect(answer.course == 90)
    #expect(answer.altitude == 500)
    #expect(answer.speed == 10)
  }

  @Test func aFullDiskKeepsTheAnswersOfTheProcess() async throws {
    let storage = MemoryTracks()
    await Self.process(7, storage).choose(try Self.fix(0, 50)) { true }
    storage.state.withLock { $0.isFull = true }
    let tracks = Self.process(7, storage)
    await tracks.choose(try Self.fix(300, 60)) { true }
    let away = try #require(tracks.reduce(try Self.fix(301, 61)))
    #expect(away.latitude > 55)
    // The stored track is older than the track in memory, so it is not used.
    await tracks.choose(try Self.fix(600, away.latitude + 0.03)) { true }
    #expect(tracks.reduce(try Self.fix(600, 61))?.coordinate == away.coordinate)
    // A second manager uses the answer in memory and stores nothing.
    await tracks.choose(try Self.fix(601, 61)) { true }
    await tracks.choose(try Self.fix(850, away.latitude - 0.03)) { true }
    #expect(tracks.reduce(try Self.fix(850, 61))?.coordinate == away.coordinate)
    // Once there is room again, the track is stored.
    storage.state.withLock { $0.isFull = false }
    await tracks.choose(try Self.fix(900, away.latitude)) { true }
    #expect(StoredTracks(storage.contents)?["a"]?.location.coordinate == away.coordinate)
  }

  // MARK: Waiting for the storage

  private struct Bench {
    let backend = MockBackend(authorization: .answering(ReducedTracksTests.reduced))
    let manager: LocationManager
    let storage: MemoryTracks

    init(hangs: MemoryTracks.Hang = .atOnce) {
      storage = MemoryTracks(hangs: hangs)
      let key = Globe.key(.random(in: .min ... .max))
      manager = LocationManager(
        backend: KeyedBackend(backend, key.storingTracks(in: storage)), clock: ManualClock())
    }

    /// Emits a fix. Returns when the storage is called to store its reduced location.
    func storeFirst() async throws {
      await backend.waitUntilRunning()
      try backend.emit(.location(try ReducedTracksTests.fix(0, 50)))
      await storage.updateBegan.wait()
    }
  }

  @Test func nothingIsReportedBeforeItIsStored() async throws {
    let bench = Bench()
    let updates = bench.manager.updates
    try await bench.storeFirst()
    try bench.backend.emit(.location(try Self.fix(1, 51)))
    try bench.backend.end()
    await bench.backend.waitForCall(.runEnded)
    // A location that does not wait for the storage would be reported during these yields.
    for _ in 0..<1_000 { await Task.yield() }
    #expect(await bench.manager.location == nil)
    #expect(bench.storage.contents == nil)
    bench.storage.gate.open()
    // The end of the source waits for its last location.
    let (elements, error) = await updates.all()
    #expect(error == nil)
    #expect(elements.map { $0.latitude < 50.5 } == [true])
    #expect(await bench.manager.statistics.reportsWithheld == 1)
    #expect(bench.storage.contents != nil)
  }

  @Test(arguments: [AuthorizationDecision.denied, .notDetermined, .authorizedAlways])
  func aWithdrawalDiscardsLocationsBeingStored(_ other: AuthorizationDecision) async throws {
    let bench = Bench()
    let live = bench.manager.liveUpdates
    try await bench.storeFirst()
    bench.backend.setAuthorization(other)
    bench.backend.setAuthorization(Self.reduced)
    bench.storage.gate.open()
    await bench.backend.waitUntilRunning()
    try bench.backend.emit(.location(try Self.fix(400, 60)))
    try bench.backend.end()
    let locations = await live.all().elements.compactMap(\.location)
    #expect(locations.map { $0.latitude > 55 } == [true])
  }

  /// New time steps begin while the first is being stored; the run ends after its last location.
  @Test func theLastOfSeveralTimeStepsIsDelivered() async throws {
    let bench = Bench()
    let updates = bench.manager.updates
    await bench.backend.waitUntilRunning()
    for step in 0..<4 { try bench.backend.emit(.location(try Self.fix(Double(step * 300), 50))) }
    try bench.backend.end()
    await bench.storage.updateBegan.wait()
    bench.storage.gate.open()
    #expect(await updates.all().elements.last?.timestamp == Sample.date(900))
  }

  @Test func locationBeingStoredIsNotReported() async throws {
    let bench = Bench(hangs: .afterTheChoice)
    let updates = bench.manager.updates
    try await bench.storeFirst()
    for second in 1..<1_000 {
      try bench.backend.emit(.location(try Self.fix(Double(second) / 10, 50)))
      await Task.yield()
    }
    #expect(await bench.manager.location == nil)
    #expect(bench.storage.contents == nil)
    bench.storage.laterGate.open()
    try bench.backend.end()
    #expect(await !updates.all().elements.isEmpty)
  }

  @Test func unstoredLocationsAreCounted() async throws {
    let bench = Bench(hangs: .never)
    let updates = bench.manager.updates
    await bench.backend.waitUntilRunning()
    for (step, isFull) in [false, true, true, false].enumerated() {
      bench.storage.state.withLock { $0.isFull = isFull }
      try bench.backend.emit(.location(try Self.fix(Double(step) * 300, 50)))
      try bench.backend.emit(.location(try Self.fix(Double(step) * 300 + 1, 50)))
      for try await location in updates
      where location.timestamp == Sample.date(Double(step) * 300) { break }
    }
    #expect(await bench.manager.statistics.locationsUnstored == 2)
  }

  @Test(arguments: [MemoryTracks.Hang.atOnce, .afterTheChoice])
  func waitForAHangingDiskIsLimited(_ hang: MemoryTracks.Hang) async throws {
    let bench = Bench(hangs: hang)
    let updates = bench.manager.updates
    try await bench.storeFirst()
    try bench.backend.end()
    bench.storage.isOverdue.open()
    #expect(await updates.all().elements.count == 1)
    // This process does not read tracks that are stored later, and nothing waits for them.
    bench.storage.gate.open()
    bench.storage.laterGate.open()
  }

  @Test func withdrawnLocationsAreNotStored() async throws {
    let bench = Bench()
    let updates = bench.manager.updates
    try await bench.storeFirst()
    bench.backend.setAuthorization(.denied)
    #expect(await updates.all().error != nil)
    bench.storage.gate.open()
    while bench.storage.updates == 0 { await Task.yield() }
    #expect(bench.storage.contents == nil)
  }

  @Test func shutdownDoesNotWaitForAHangingDisk() async throws {
    let bench = Bench()
    let updates = bench.manager.updates
    try await bench.storeFirst()
    try bench.backend.end()
    await bench.manager.shutdown()
    #expect(await updates.all().elements == [])
    bench.storage.gate.open()
  }

  @Test func eachTimeStepIsStoredOnce() async throws {
    let bench = Bench(hangs: .never)
    let updates = bench.manager.updates(UpdateOptions(buffering: .newest(1_000)))
    await bench.backend.waitUntilRunning()
    var iterator = updates.makeAsyncIterator()
    for second in 0..<900 where second % 10 == 0 {
      try bench.backend.emit(.location(try Self.fix(Double(second), 50 + Double(second) / 9_000)))
      let location = try await iterator.next()
      #expect(location?.timestamp == Sample.date(Double(second / 300 * 300)))
    }
    #expect(bench.storage.updates == 3)
  }

  static let losses: [BackendEvent] = [
    .unavailable(LocationError(.locationUnknown, "A tunnel.")),
    .connection(ConnectionState(.waiting)),
  ]

  @Test(arguments: losses)
  func theSourceStaysUnavailableAfterALateLocation(_ loss: BackendEvent) async throws {
    let bench = Bench()
    let live = bench.manager.liveUpdates
    try await bench.storeFirst()
    try bench.backend.emit(loss)
    bench.storage.gate.open()
    var last: LocationUpdate?
    var hasLocation = false
    for await update in live {
      hasLocation = hasLocation || update.location != nil
      last = update
      if hasLocation, update.location == nil { break }
    }
    #expect(last?.diagnostics.contains(.locationUnavailable) == true)
    #expect(await bench.manager.location != nil)
  }
}

/// A storage that hangs until a gate opens.
private final class HangingTracks: ReducedTrackStorage {
  let callCount = Locked(0)
  let gate = MockGate()

  func update(_ change: @escaping @Sendable ([UInt8]?) -> [UInt8]?) async -> Bool {
    callCount.withLock { $0 += 1 }
    await gate.wait()
    return change(nil) != nil
  }

  func waitForTimeout() async {
    // Returns when the storage has been called.
    while callCount.withLock(\.self) == 0 { await Task.yield() }
  }
}
