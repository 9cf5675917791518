import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// The effect of evicted cells on later answers.
@Suite(.inTurn) struct ReportedCellsTests {
  /// A home 2 m inside a border, and a place beyond the border whose cell also accepts the home.
  private struct Neighbours {
    let key: ReducedAccuracyKey
    let home: SurfaceNormal
    let beyond: SurfaceNormal

    init() throws {
      let start = SurfaceNormal(try Coordinate(latitude: 50, longitude: 13))
      let (direction, _) = Globe.ground(start)
      for seed in UInt64(0)..<1_000 {
        let key = Globe.key(seed)
        let grid = ReducedGrid(key: key)
        let border = Globe.border(from: start, along: direction, in: grid).inside
        let home = Globe.moved(start, border - 2, along: direction)
        let beyond = Globe.moved(start, border + 3_500, along: direction)
        guard grid.cell(of: beyond).containsForEntry(home),
          !grid.cell(of: home).containsForStay(beyond)
        else {
          continue
        }
        (self.key, self.home, self.beyond) = (key, home, beyond)
        return
      }
      throw CancellationError()
    }
  }

  private static func far(_ number: Int) throws -> SurfaceNormal {
    SurfaceNormal(try Coordinate(latitude: -60 + Double(number) * 0.2, longitude: 100))
  }

  /// Two running processes, each of which has cells that the other one has evicted.
  @Test(.longWork) func processesDoNotRestoreForgottenCells() throws {
    let places = try Neighbours()
    var processes = [LocationReducer(key: places.key), LocationReducer(key: places.key)]
    var file = ReportedCells()
    var time = 0.0
    func choose(_ process: Int, _ place: SurfaceNormal) throws -> Coordinate {
      time += 600
      let fix = try LocationReducerTests.fix(
        time, at: Globe.coordinate(place), device: "\(process)")
      let choice = processes[process].choice(for: fix, after: nil, cells: file)
      file = ReportedCells(choice.cells.contents, in: processes[process].grid)
      processes[process].adopt(choice, of: fix.sourceInformation.deviceID, isStored: true)
      return try #require(choice.track.repeated(fix)).coordinate
    }
    let first = try choose(0, places.home)
    _ = try choose(0, places.beyond)
    for number in 0..<255 { _ = try choose(0, Self.far(number)) }
    _ = try choose(0, places.beyond)
    for number in 255..<510 { _ = try choose(0, Self.far(number)) }
    #expect(try choose(0, places.home) == first)
    for number in 510..<574 { _ = try choose(1, Self.far(number)) }
    for turn in 0..<24 {
      _ = try choose(turn % 2, Self.far(573))
      // The first cell was reported recently: 64 other cells were reported after it.
      #expect(file.contents.contains { $0.latitude == first.latitude })
    }
  }

  @Test(.longWork) func parkedReceiverKeepsAForgottenCell() throws {
    let places = try Neighbours()
    var reducer = LocationReducer(key: places.key)
    func answer(_ time: Double, of device: String, at place: SurfaceNormal) throws -> Coordinate {
      reducer.reduce(
        try LocationReducerTests.fix(time, at: Globe.coordinate(place), device: device)
      ).coordinate
    }
    let first = try answer(0, of: "parked", at: places.home)
    _ = try answer(0, of: "van", at: places.beyond)
    for number in 1..<ReportedCells.limit {
      _ = try answer(Double(number) * 600, of: "van", at: Self.far(number))
    }
    for time in [400_000.0, 400_600] {
      #expect(try answer(time, of: "parked", at: places.home) == first)
    }
  }

  /// Cells that could not be stored are not lost when another process stores.
  @Test(.longWork) func unstoredCellsAreAppendedToStoredCells() throws {
    let places = try Neighbours()
    var reducer = LocationReducer(key: places.key)
    let fix = try LocationReducerTests.fix(0, at: Globe.coordinate(places.home))
    let choice = reducer.choice(for: fix, after: nil, cells: ReportedCells())
    reducer.adopt(choice, of: fix.sourceInformation.deviceID, isStored: false)
    var others = ReportedCells()
    _ = others.cell(for: try Self.far(1), in: reducer.grid)
    let next = reducer.choice(
      for: try LocationReducerTests.fix(600, at: Globe.coordinate(places.home)), after: nil,
      cells: others
    )
    #expect(next.cells.contents.count == 2)
    #expect(next.cells.contents.last?.latitude == choice.cells.contents.first?.latitude)
  }

  @Test(.longWork) func aHangingStorageKeepsTheCellsInMemory() async throws {
    let places = try Neighbours()
    let storage = LateTracks()
    let tracks = ReducedTracks(key: places.key)
    tracks.store(in: storage)
    func answer(
      _ time: Double, of device: String, at place: SurfaceNormal
    ) async throws -> Coordinate {
      let fix = try LocationReducerTests.fix(time, at: Globe.coordinate(place), device: device)
      await tracks.choose(fix) { true }
      return try #require(tracks.reduce(fix)).coordinate
    }
    let first = try await answer(0, of: "van", at: places.beyond)
    storage.hangs.withLock { $0 = true }
    #expect(try await answer(600, of: "parked", at: places.home) == first)
    storage.gate.open()
  }

  /// With a storage that always fails, the least recently used cell is evicted, not the oldest.
  @Test(.longWork) func unstoredCellsKeepTheOrderOfTheirUse() throws {
    let places = try Neighbours()
    let grid = ReducedGrid(key: places.key)
    var cells = ReportedCells()
    let first = cells.cell(for: places.home, in: grid)
    for number in 0...ReportedCells.limit {
      _ = cells.cell(for: try Self.far(number), in: grid)
      _ = cells.cell(for: places.home, in: grid)
      var merged = ReportedCells()
      merged.add(cells)
      cells = merged
    }
    #expect(cells.contents.first?.latitude == first.coordinate.latitude)
  }

  @Test(.longWork) func aParkedReceiverKeepsAForgottenCellOnAFullDisk() throws {
    let places = try Neighbours()
    var reducer = LocationReducer(key: places.key)
    var file = ReportedCells()
    func choose(_ time: Double) throws -> Coordinate {
      let fix = try LocationReducerTests.fix(time, at: Globe.coordinate(places.home))
      var choice = reducer.choice(for: fix, after: nil, cells: file)
      // The first choice counts as stored, and the file then loses it.
      if time == 0 { choice.cells.markStored() }
      reducer.adopt(choice, of: fix.sourceInformation.deviceID, isStored: false)
      return try #require(choice.track.repeated(fix)).coordinate
    }
    let first = try choose(0)
    var others = ReportedCells()
    _ = others.cell(for: places.beyond, in: reducer.grid)
    file = ReportedCells(others.contents, in: reducer.grid)
    for time in [600.0, 1_200, 1_800] { #expect(try choose(time) == first) }
  }

  @Test func jitterDoesNotAlternateReportedAltitudes() {
    var step = HysteresisRounding(500)
    var reported = [0.0, 500]
    var answers = [step.round(400, reported: &reported)]
    for index in 0..<100 {
      answers.append(step.round(index.isMultiple(of: 2) ? 345 : 380, reported: &reported))
    }
    #expect(zip(answers, answers.dropFirst()).count { $0 != $1 } <= 1)
  }
}

/// Stores tracks until it hangs.
private final class LateTracks: ReducedTrackStorage {
  let memory = MemoryTracks()
  let hangs = Locked(false)
  let gate = MockGate()

  func update(_ change: @escaping @Sendable ([UInt8]?) -> [UInt8]?) async -> Bool {
    guard hangs.withLock(\.self) else { return await memory.update(change) }
    await gate.wait()
    return change(nil) == nil
  }

  func waitForTimeout() async {
    while !hangs.withLock(\.self), !Task.isCancelled { await Task.yield() }
  }
}
