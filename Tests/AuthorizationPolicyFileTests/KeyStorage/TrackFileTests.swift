import AsyncLocation
import FileAccess
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

/// F63: reduced tracks outlive their process, whichever call fails.
@Suite(.blocking, .inTurn) struct TrackFileTests {
  /// The tracks before an update, and whether the new ones are stored.
  private struct Outcome: Hashable {
    let before: String?
    let isStored: Bool

    init(_ before: String?, _ isStored: Bool) { (self.before, self.isStored) = (before, isStored) }
  }

  private static let title = "async-location reduced-accuracy tracks\n"

  /// Replaces the tracks. With nil, they stay as they are.
  private static func store(
    _ contents: String?, in folder: TestFolder, _ calls: any FileCalls = SystemFileCalls(),
    pause: () -> Void = {}
  ) async throws -> Outcome {
    let file = try TrackFile(
      besideKey: folder.path("key"), calls: calls)
    var before: [String?] = []
    let isStored = await file.update(
      {
        before.append($0.map { String(decoding: $0, as: UTF8.self) })
        return contents.map { Array($0.utf8) }
      }, pause: { _ in pause() })
    #expect(before.count == 1, "asked once")
    return Outcome(try #require(before.first), isStored)
  }

  @Test func storedTracksAreReadAgain() async throws {
    try await TestFolder.whileAwaiting { folder in
      let first = try await Self.store("one", in: folder)
      #expect(first == Outcome(nil, true))
      #expect(folder.mode("key.tracks") == 0o600)
      #expect(try await Self.store("two", in: folder) == Outcome("one", true))
      #expect(try await Self.store(nil, in: folder) == Outcome("two", true))
      #expect(try folder.contents("key.tracks") == Array("\(Self.title)two".utf8))
      #expect(folder.names() == ["key.tracks"])
    }
  }

  private static func notice(
    _ folder: TestFolder, _ calls: any FileCalls = SystemFileCalls()
  ) throws -> String? {
    try TrackFile(besideKey: folder.path("key"), calls: calls).notice()
  }

  /// A file of another program, one that others can write, and a symbolic link.
  @Test func foreignFilesAreLeftAlone() async throws {
    try await TestFolder.whileAwaiting { folder in
      let path = folder.path("key.tracks")
      for (text, mode, problem) in [
        ("password=1\n", 0o600, "it has other contents"),
        (Self.title + "one", 0o622, "other users"),
      ] {
        try folder.write(Array(text.utf8), "key.tracks")
        #expect(chmod(path, mode_t(mode)) == 0)
        #expect(try await Self.store("two", in: folder) == Outcome(nil, false))
        #expect(try folder.contents("key.tracks") == Array(text.utf8))
        #expect(try Self.notice(folder)?.contains("\(path): \(problem)") == true)
        try FileManager.default.removeItem(atPath: path)
      }
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: folder.path("secret"))
      #expect(try await Self.store("two", in: folder) == Outcome(nil, false))
      #expect(try Self.notice(folder)?.contains("symbolic link") == true)
      try FileManager.default.removeItem(atPath: path)
      #expect(folder.names() == [])
    }
  }

  @Test func noticeReportsUnstorableTracks() async throws {
    try await TestFolder.whileAwaiting { folder in
      #expect(try Self.notice(folder) == nil)
      _ = try await Self.store("one", in: folder)
      #expect(try Self.notice(folder) == nil)
      #expect(folder.names() == ["key.tracks"])
      // The notice reports the failure of any call.
      for call in 0... {
        let calls = FaultyCalls(.failure(call, number: EROFS))
        let notice = try Self.notice(folder, calls)
        guard calls.hasInjectedFault else { break }
        #expect(notice?.contains("Read-only") == true, "call \(call)")
      }
    }
    // A missing folder needs no notice: it is created with the key.
    #expect(
      try TrackFile(besideKey: "/nowhere/key", user: 0, calls: SystemFileCalls()).notice() == nil)
  }

  /// The key reports the notice, too.
  @Test func aNoticeIsTheReasonOfTheAuthorization() async throws {
    try await TestFolder.whileAwaiting { folder in
      try folder.write(Array("mine\n".utf8), "key.tracks")
      let path = folder.path("key")
      let key = try await ReducedAccuracyKey.stored(at: path)
      #expect(try #require(key.notice).contains("key.tracks: it has other contents"))
      let manager = LocationManager(
        backend: FixBackend(
          fix: try Location(latitude: 50, longitude: 13), policy: ScriptedPolicy(path: path)),
        clock: ManualClock())
      #expect(try await manager.currentLocation().latitude < 50.5)
      #expect(try #require(await manager.authorization().reason).contains("key.tracks"))
      #expect(await manager.statistics.locationsUnstored == 1)
      await manager.shutdown()
    }
  }

  @Test func truncatedFileIsReplaced() async throws {
    try await TestFolder.whileAwaiting { folder in
      for left in ["", String(Self.title.prefix(20))] {
        try folder.write(Array(left.utf8), "key.tracks")
        let outcome = try await Self.store("one", in: folder)
        #expect(outcome == Outcome(nil, true))
      }
      // A file that was restored from a backup may have another mode.
      chmod(folder.path("key.tracks"), 0o644)
      #expect(try await Self.store("two", in: folder) == Outcome("one", true))
      #expect(folder.mode("key.tracks") == 0o600)
    }
  }

  @Test(arguments: KeyFileFaultTests.faults.indices)
  func aFailureLeavesTheOldOrTheNewTracks(_ fault: Int) async throws {
    var (call, hasInjectedFault) = (0, true)
    while hasInjectedFault {
      try await TestFolder.whileAwaiting { folder in
        _ = try await Self.store("one", in: folder)
        let calls = FaultyCalls(KeyFileFaultTests.faults[fault](call))
        let outcome = try await Self.store("two", in: folder, calls)
        hasInjectedFault = calls.hasInjectedFault
        #expect(outcome.before == "one" || (hasInjectedFault && outcome.before == nil))
        let next = try await Self.store("three", in: folder)
        #expect(next.before == "two" || (!outcome.isStored && next.before == "one"), "call \(call)")
        #expect(next.isStored)
        #expect(folder.names() == ["key.tracks"])
      }
      call += 1
    }
    #expect(call > 8)
  }

  @Test func tracksAreReadAndWrittenOneByteAtATime() async throws {
    try await TestFolder.whileAwaiting { folder in
      _ = try await Self.store("one", in: folder, FaultyCalls(.drip))
      let next = try await Self.store("two", in: folder, FaultyCalls(.drip))
      #expect(next == Outcome("one", true))
    }
  }

  /// A stopped process that holds the lock delays an update, but does not prevent it.
  @Test func waitForAHeldLockIsLimited() async throws {
    try await TestFolder.whileAwaiting { folder in
      let holder = open(folder.path("."), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      defer { close(holder) }
      #expect(flock(holder, LOCK_EX | LOCK_NB) == 0)
      var pauses = 0
      let first = try await Self.store("one", in: folder) { pauses += 1 }
      #expect(first == Outcome(nil, true))
      #expect(pauses == KeyFile.pauses.count)
      // A lock that is released during the wait is acquired.
      pauses = 0
      let next = try await Self.store("two", in: folder) {
        pauses += 1
        if pauses == 3 { flock(holder, LOCK_UN) }
      }
      #expect(next == Outcome("one", true))
      #expect(pauses == 3)
    }
  }

  @Test func concurrentUpdatesAreAllStored() async throws {
    try await TestFolder.whileAwaiting { folder in
      let key = folder.path("key")
      await withTaskGroup { group in
        for _ in 0..<8 {
          group.addTask {
            guard let storage = try? TrackStorage(besideKey: key) else { return }
            for _ in 0..<10 {
              _ = await storage.update { contents in (contents ?? []) + [UInt8(ascii: "x")] }
            }
          }
        }
      }
      let contents = try folder.contents("key.tracks")
      #expect(contents.count == Self.title.utf8.count + 80)
    }
  }

  @Test func tracksAreStoredBesideTheirKey() async throws {
    try await TestFolder.whileAwaiting { folder in
      let policy = ScriptedPolicy(path: folder.path("key"))
      // Two positions in different cells, within one time step.
      let time = Date(timeIntervalSinceReferenceDate: 600)
      for latitude in [50.0, 51] {
        let backend = FixBackend(
          fix: try Location(latitude: latitude, longitude: 13, timestamp: time), policy: policy)
        let manager = LocationManager(backend: backend, clock: ManualClock())
        #expect(try await manager.currentLocation().latitude < 50.5)
        await manager.shutdown()
      }
      #expect(folder.names() == ["key", "key.tracks"])
    }
  }
}

/// Grants reduced accuracy, with a stored key.
private struct ScriptedPolicy: AuthorizationPolicy {
  let path: String

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    .authorizedWhenInUse.limited(to: .reduced)
  }
  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    try await .stored(at: path)
  }
}

/// Emits one fix in each run.
private struct FixBackend: LocationBackend {
  let fix: Location
  let policy: ScriptedPolicy
  var authorizationPolicy: any AuthorizationPolicy { policy }
  var capabilities: BackendCapabilities { .locations }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    emit([.location(fix)])
  }
}
