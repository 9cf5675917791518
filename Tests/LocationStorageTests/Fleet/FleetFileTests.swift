import AsyncLocation
import FleetChecks
import Foundation
import LocationFleet
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// The file of a fleet compared with the storage in memory, which searches its history from the
/// beginning.
@Suite(.inTurn)
struct FleetFileTests {
  @Test("a file has the same content and the same answers as the memory", .longWork)
  func answers() async throws {
    let bench = try FleetBench()
    var (session, stored) = try await bench.storage.open()
    var random = SplitMix64(seed: 33)
    for number in 1...UInt64(400) {
      try await session.commit(FleetCommits.changes(number))
      // A repeated commit changes nothing.
      if number % 17 == 0 { try await session.commit(FleetCommits.changes(number)) }
      guard Int.random(in: 0..<25, using: &random) == 0 else { continue }
      await session.close()
      (session, stored) = try await bench.storage.open()
      try await FleetComparison.compare(session, stored, number, "commit \(number)")
    }
    await session.close()
    try await bench.check(400, "at the end")
  }

  @Test("a location takes at most 16 bytes of a growing file", .longWork)
  func size() async throws {
    let bench = try FleetBench()
    var random = SplitMix64(seed: 1)
    var (latitude, longitude) = (48.137154, 11.576124)
    var sizes: [Int] = []
    let count = 20 * PackedChunk.length
    for half in 0..<2 {
      let (session, _) = try await bench.storage.open()
      for start in stride(from: half * count, to: (half + 1) * count, by: 1_000) {
        let changes = (start..<min((half + 1) * count, start + 1_000)).map { index in
          latitude = ((latitude + .random(in: -2e-4...2e-4, using: &random)) * 1e6).rounded() / 1e6
          longitude =
            ((longitude + .random(in: -2e-4...2e-4, using: &random)) * 1e6).rounded() / 1e6
          let location = try! Location(
            latitude: latitude, longitude: longitude,
            timestamp: Date(timeIntervalSinceReferenceDate: Double(800_000_000 + index)),
            altitude: Double(Int.random(in: 500...520, using: &random)),
            horizontalAccuracy: Double(Int.random(in: 3...12, using: &random)),
            speed: Double(Int.random(in: 0...120, using: &random)) / 3.6,
            course: Double(Int.random(in: 0..<360, using: &random)))
          return FleetStorageChange.location(FleetCommits.devices[0], location, isLast: true)
        }
        try await session.commit(changes)
      }
      await session.close()
      sizes.append(try bench.folder.bytes("fleet.sqlite").count)
    }
    let bytes = Double(sizes[1] - sizes[0]) / Double(count)
    #expect(bytes <= 16)
    print("a location takes \(bytes) bytes")
  }

  @Test("locations beyond the retention are deleted, and no others")
  func retention() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let now = Locked(Date(timeIntervalSinceReferenceDate: 1_000))
    let storage = SQLiteFleetStorage(
      file: folder("fleet.sqlite"), retention: .seconds(500), now: { now.withLock(\.self) })
    let (session, _) = try await storage.open()
    let devices = FleetCommits.devices
    func times(_ device: FleetDevice.ID) async throws -> [Double] {
      try await session.locations(
        of: device, from: .distantPast, to: .distantFuture, count: .max
      ).map(\.timestampSeconds)
    }
    // One device has chunks, one has points alone, and one has an old last location.
    try await session.commit(
      try (0..<1_000).map { .location(devices[0], try Self.location($0), isLast: true) })
    try await session.commit(
      try (400..<600).map { .location(devices[1], try Self.location($0), isLast: true) }
        + [.location(devices[2], try Self.location(10), isLast: true)])
    now.withLock { $0 += 51 }
    try await session.commit([.location(devices[1], try Self.location(1_050), isLast: true)])
    #expect(try await times(devices[0]) == (551..<1_000).map(Double.init))
    #expect(try await times(devices[1]) == (551..<600).map(Double.init) + [1_050])
    #expect(try await times(devices[2]) == [])
    await session.close()
    let (reopened, stored) = try await storage.open()
    #expect(stored.devices.count == 3)
    await reopened.close()
  }

  @Test("a retention below a second is refused")
  func invalidRetention() async throws {
    let folder = try StorageFolder(isInMemory: true)
    let error = await #expect(throws: LocationError.self) {
      _ = try await SQLiteFleetStorage(file: folder("f.sqlite"), retention: .zero).open()
    }
    #expect(error?.code == .invalidValue)
  }

  @Test("a history cannot be asked for a beacon")
  func beacon() async throws {
    let bench = try FleetBench()
    let (session, _) = try await bench.storage.open()
    let beacon = Condition.beacon(BeaconIdentityConstraint(uuid: UUID()))
    let error = await #expect(throws: LocationError.self) {
      _ = try await session.visits(
        to: beacon, from: .distantPast, to: .distantFuture, after: nil, count: 1)
    }
    #expect(error?.code == .unsupported)
    await session.close()
  }

  // MARK: Kills

  @Test("F49 F76 after kill -9 at any moment, a fleet's file has all commits that returned")
  func killedFromOutside() async throws {
    let bench = try FleetBench(isInMemory: false)
    var random = SplitMix64(seed: 76)
    var last: UInt64 = 0
    for round in 1...CrashTests.rounds {
      let writer = try WriterProcess("monitor-writer", ["--fleet", bench.path, "none"])
      var lines: [String] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        if let line = await writer.line() { lines.append(line) }
      }
      writer.kill()
      last = Self.last(await lines + writer.finish()) ?? last
      let (session, stored) = try await bench.storage.open()
      try #require([last, last + 1].contains(stored.lastNumber), "round \(round)")
      try await FleetComparison.compare(session, stored, stored.lastNumber, "round \(round)")
      await session.close()
      last = stored.lastNumber
    }
    print("F76: \(CrashTests.rounds) times killed, \(last) commits, none lost or torn")
  }

  @Test(
    "F49 F76 a fleet's file, killed at each call that changes the disk", arguments: [false, true])
  func killedAtEachCall(tearsWrites: Bool) async throws {
    var (call, isEnded) = (0, false)
    while !isEnded {
      call += 1
      let bench = try FleetBench()
      let lines = try await WriterProcess(
        "monitor-writer", ["--fleet", bench.path, "4", "\(call)"] + (tearsWrites ? ["torn"] : [])
      ).finish()
      isEnded = lines.last == "closed"
      let last = Self.last(lines) ?? 0
      let (session, stored) = try await bench.storage.open()
      try #require([last, last + 1].contains(stored.lastNumber), "call \(call)")
      try await FleetComparison.compare(session, stored, stored.lastNumber, "call \(call)")
      await session.close()
    }
    #expect(call > 20, "the calls are not counted")
  }

  /// The number of the last commit in the output of a process.
  private static func last(_ lines: [String]) -> UInt64? {
    lines.compactMap { $0.split(separator: " ").last.flatMap { UInt64($0) } }.last
  }

  // MARK: Damage

  @Test("F37 a damaged file is set aside, refused, or has what was committed", .longWork)
  func damage() async throws {
    let bench = try FleetBench()
    let (session, _) = try await bench.storage.open()
    for number in 1...UInt64(30) { try await session.commit(FleetCommits.changes(number)) }
    await session.close()
    let bytes = try bench.folder.bytes("fleet.sqlite")
    let (model, expected) = try await FleetComparison.model(30)
    var random = SplitMix64(seed: DamageTests.seed)
    var outcomes: [String: Int] = [:]
    for _ in 0..<(DamageTests.changesEveryByte ? 4_000 : 400) {
      var damaged = bytes
      let bit = UInt8(1) << Int.random(in: 0..<8, using: &random)
      damaged[Int.random(in: 0..<bytes.count, using: &random)] ^= bit
      try bench.folder.removeAll()
      try bench.folder.write(damaged, to: "fleet.sqlite")
      do {
        let (session, stored) = try await bench.storage.open()
        if stored.problem == nil {
          try #require(FleetContent(stored) == FleetContent(expected))
          outcomes["opened", default: 0] += 1
        } else {
          outcomes["set aside", default: 0] += 1
        }
        for device in FleetCommits.devices where stored.problem == nil {
          // A read of a damaged history throws, or returns committed locations only.
          let whole = try? await session.locations(
            of: device, from: .distantPast, to: .distantFuture, count: .max)
          let expectedTrack = try await model.locations(
            of: device, from: .distantPast, to: .distantFuture, count: .max)
          if let whole { try #require(whole.allSatisfy(expectedTrack.contains)) }
        }
        try await Self.commit(FleetCommits.changes(31), to: session)
        await session.close()
      } catch let error as LocationError {
        #expect([.unsupported, .storageUnavailable].contains(error.code))
        outcomes["refused", default: 0] += 1
      }
    }
    await model.close()
    #expect(outcomes["opened", default: 0] > 0)
  }

  /// Requires that a commit succeeds after at most three recoveries.
  private static func commit(
    _ changes: [FleetStorageChange], to session: any FleetSession
  ) async throws {
    for _ in 0..<3 {
      if (try? await session.commit(changes)) != nil { return }
      _ = try await session.recover()
    }
    try await session.commit(changes)
  }

  private static func location(_ time: Int) throws -> Location {
    try Location(
      latitude: 47, longitude: 8,
      timestamp: Date(timeIntervalSinceReferenceDate: Double(time)))
  }

  private static func times(_ device: FleetDevice.ID, _ session: any FleetSession) async throws
    -> [Int]
  {
    try await session.locations(
      of: device, from: .distantPast, to: .distantFuture, count: .max
    ).map { Int($0.timestampSeconds) }
  }

  @Test("F37 a device whose row is damaged continues with its history")
  func damagedDevice() async throws {
    let bench = try FleetBench()
    let device = FleetCommits.devices[0]
    let (first, _) = try await bench.storage.open()
    try await first.commit(
      try (0..<500).map { .location(device, try Self.location($0), isLast: true) })
    await first.close()
    try Connection(path: bench.path, lock: nil).execute("UPDATE device SET location_checksum = 1")
    let (session, stored) = try await bench.storage.open()
    #expect(stored.problem != nil)
    #expect(stored.devices.isEmpty)
    try await session.commit(
      try (490..<1_000).map { .location(device, try Self.location($0), isLast: true) })
    #expect(try await Self.times(device, session) == Array(0..<1_000))
    await session.close()
    let (reopened, restored) = try await bench.storage.open()
    #expect(restored.problem == nil)
    #expect(restored.devices.map(\.location.timestampSeconds) == [999])
    await reopened.close()
  }

  @Test("F37 a damaged location is left out when the others are packed")
  func damagedPoint() async throws {
    let bench = try FleetBench()
    let device = FleetCommits.devices[0]
    let (first, _) = try await bench.storage.open()
    try await first.commit(
      try (0..<100).map { .location(device, try Self.location($0), isLast: true) })
    await first.close()
    try Connection(path: bench.path, lock: nil).execute(
      "UPDATE point SET checksum = checksum + 1 WHERE time = 50")
    let (session, _) = try await bench.storage.open()
    try await session.commit(
      try (100..<900).map { .location(device, try Self.location($0), isLast: true) })
    #expect(try await Self.times(device, session) == (0..<900).filter { $0 != 50 })
    await session.close()
  }

  // MARK: Erasure and many points

  @Test("F82 a commit may erase a device and fill a page of another one")
  func erasureBesidePacking() async throws {
    let bench = try FleetBench()
    let (session, _) = try await bench.storage.open()
    let (erased, packed) = (FleetCommits.devices[0], FleetCommits.devices[1])
    try await session.commit(
      try (0..<1_000).map { .location(erased, try Self.location($0), isLast: true) })
    try await session.commit(
      [.erase(erased)]
        + (try (0..<1_000).map { .location(packed, try Self.location($0), isLast: true) }))
    #expect(try await Self.times(erased, session) == [])
    #expect(try await Self.times(packed, session) == Array(0..<1_000))
    let area = try Condition.circle(center: Coordinate(latitude: 47, longitude: 8), radius: 10)
    let visits = try await session.visits(
      to: area, from: .distantPast, to: .distantFuture, after: nil, count: 9)
    #expect(visits.map(\.count) == [1_000])
    await session.close()
  }

  @Test("F82 no place of a device that was erased stays in the file")
  func erasedPlaces() async throws {
    let bench = try FleetBench()
    let (session, _) = try await bench.storage.open()
    func location(_ time: Int, _ latitude: Double) -> Location {
      try! Location(
        latitude: latitude, longitude: 8,
        timestamp: Date(timeIntervalSinceReferenceDate: Double(time)))
    }
    // The boxes have two equal latitudes, which SQLite's index represents exactly.
    for (device, latitude) in [(0, 47.5), (1, -33.25)] {
      try await session.commit(
        (0..<2_000).map {
          .location(FleetCommits.devices[device], location($0, latitude), isLast: true)
        })
    }
    try await session.commit([.erase(FleetCommits.devices[0])])
    for name in bench.folder.names() {
      let bytes = try bench.folder.bytes(name)
      #expect(!bytes.contains(Self.bigEndian(Float(47.5))), "\(name)")
      #expect(!bytes.contains(Self.bigEndian(47.5)), "\(name)")
      #expect(bytes.contains(Self.bigEndian(Float(-33.25))) || !name.hasSuffix(".sqlite"))
    }
    let area = try Condition.circle(
      center: Coordinate(latitude: -33.25, longitude: 8), radius: 10)
    let visits = try await session.visits(
      to: area, from: .distantPast, to: .distantFuture, after: nil, count: 9)
    #expect(visits.map(\.count) == [2_000])
    await session.close()
  }

  /// The bytes of a number in SQLite's files, in big-endian order.
  private static func bigEndian(_ number: Float) -> [UInt8] { bytes(number.bitPattern) }
  private static func bigEndian(_ number: Double) -> [UInt8] { bytes(number.bitPattern) }

  private static func bytes(_ pattern: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: pattern.bigEndian) { Array($0) }
  }

  @Test("more late locations than can be packed together are packed in parts", .longWork)
  func manyLatePoints() async throws {
    let bench = try FleetBench()
    let (session, _) = try await bench.storage.open()
    let device = FleetCommits.devices[0]
    let count = PackedLocations.limit + 1_000
    // A chunk that covers more than the whole time, and then the locations between its locations.
    try await session.commit(
      try (0..<PackedChunk.length).map {
        .location(device, try Self.location($0 * count / 300), isLast: true)
      })
    try await session.commit(
      try (0..<count).map { .location(device, try Self.location($0), isLast: false) })
    let whole = try await session.locations(
      of: device, from: .distantPast, to: .distantFuture, count: .max)
    #expect(Set(whole.map(\.timestampSeconds)).count == whole.count)
    #expect(whole.count { $0.timestampSeconds < Double(count) } == count)
    await session.close()
  }
}
