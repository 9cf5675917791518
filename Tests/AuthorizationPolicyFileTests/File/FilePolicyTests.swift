import AsyncLocation
import Dispatch
import FileAccess
import FoundationEssentials
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

/// Policy files on a real disk, watched by the real kernel.
@Suite(.serialized, .inTurn)
struct FilePolicyTests {
  /// A policy file with a rule for the client "me": its status, and the text of further members.
  static func text(_ status: String, _ members: String = "") -> String {
    #"{"version": 1, "default": {"status": "denied"}, "clients": {"me": {"status": "\#(status)"\#(members)}}}"#
  }

  /// Observes a policy and returns its reports one by one.
  struct Follower {
    let task: Task<Void, Never>
    var changes: AsyncStream<AuthorizationChange>.Iterator

    init(_ policy: FileAuthorizationPolicy) {
      let (changes, continuation) = AsyncStream.makeStream(of: AuthorizationChange.self)
      task = Task.immediate {
        await policy.observe { continuation.yield($0) }
        continuation.finish()
      }
      self.changes = changes.makeAsyncIterator()
    }

    /// The next decision; nil if the reports end before.
    mutating func decision() async -> AuthorizationDecision? {
      while let change = await changes.next(isolation: #isolation) {
        if case .decision(let decision) = change { return decision }
      }
      return nil
    }

    /// Skips decisions until one has a permission. Returns false if the reports end before.
    mutating func reaches(_ permission: AuthorizationDecision.Permission) async -> Bool {
      while let decision = await decision() {
        if decision.permission == permission { return true }
      }
      return false
    }

    func end() async {
      task.cancel()
      await task.value
    }
  }

  private static func policy(_ folder: PolicyFolder) -> FileAuthorizationPolicy {
    FileAuthorizationPolicy(path: folder.policy, client: "me")
  }

  @Test func theFilesDecisionIsReportedFirst() async throws {
    let folder = try PolicyFolder()
    try folder.write(Self.text("authorizedAlways"))
    var follower = Follower(Self.policy(folder))
    #expect(await follower.changes.next() == .locationServices(enabled: true))
    let decision = await follower.decision()
    #expect(decision?.permission == .always)
    #expect(decision?.reason == "\(folder.policy): the rule for \"me\" on line 1")
    await follower.end()
  }

  @Test func theFilesDecisionAppliesFromTheStart() async throws {
    for (status, expected) in [
      ("authorizedAlways", AuthorizationStatus.authorizedAlways), ("denied", .denied),
      ("authorizedWhenInUse", .authorizedWhenInUse),
    ] {
      let folder = try PolicyFolder(Self.text(status))
      let manager = LocationManager(backend: Source(policy: Self.policy(folder)))
      #expect(await manager.authorization().status == expected)
      for await authorization in manager.authorizationUpdates {
        #expect(authorization.status == expected)
        break
      }
      await manager.shutdown()
    }
  }

  @Test func everyWayOfSavingIsDetected() async throws {
    let folder = try PolicyFolder()
    var follower = Follower(Self.policy(folder))
    #expect(await follower.reaches(.denied))  // There is no file.
    try folder.write(Self.text("authorizedAlways"))
    #expect(await follower.reaches(.always))
    try folder.replace(Self.text("denied"))
    #expect(await follower.reaches(.denied))
    try folder.write(Self.text("authorizedWhenInUse"))
    #expect(await follower.reaches(.whenInUse))
    #expect(chmod(folder.policy, 0o666) == 0)
    #expect(await follower.decision()?.reason?.contains("chmod go-w") == true)
    #expect(chmod(folder.policy, 0o600) == 0)
    #expect(await follower.reaches(.whenInUse))
    unlink(folder.policy)
    #expect(await follower.decision()?.reason?.contains("No such file") == true)
    try folder.replace(Self.text("authorizedOnce"))
    #expect(await follower.reaches(.whenInUseOnce))
    // The file is replaced atomically: one that is empty for a moment would report another problem.
    try folder.replace("{\n\"version\": 1,\n oops")
    #expect(await follower.decision()?.reason?.contains("line 3") == true)
    await follower.end()
  }

  /// Saves as vim does: renames the old file, then writes a new one in parts.
  private static func saveSlowly(_ text: String, in folder: PolicyFolder) throws {
    #expect(rename(folder.policy, folder.policy + "~") == 0)
    try folder.write("")
    try folder.write(String(text.prefix(20)))
    try folder.write(text)
  }

  /// Every wait lasts one second of a clock that the test advances.
  private static func wallClock(_ clock: ManualClock) -> WallClock {
    WallClock(
      now: { Date() }, wait: { _ in try? await clock.sleep(for: .seconds(1)) },
      pause: { _ in try? await clock.sleep(for: .seconds(1)) })
  }

  /// Advances the clock while `body` runs.
  private static func whileAdvancing<Value>(
    _ clock: ManualClock, _ body: () async -> Value
  ) async -> Value {
    let time = Task {
      while !Task.isCancelled {
        clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    defer { time.cancel() }
    return await body()
  }

  @Test func aSlowSaveReportsNoDenial() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways"))
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil,
      clock: Self.wallClock(ManualClock()))
    var follower = Follower(policy)
    #expect(await follower.reaches(.always))
    for permission in ["authorizedWhenInUse", "authorizedOnce", "authorizedAlways"] {
      try Self.saveSlowly(Self.text(permission), in: folder)
      let decision = try #require(await follower.decision())
      #expect(decision.permission.status.isAuthorized, "\(decision)")
    }
    // A file that others can write is refused at once, without a grace period.
    #expect(chmod(folder.policy, 0o666) == 0)
    #expect(await follower.reaches(.denied))
    await follower.end()
  }

  @Test func aPersistentErrorDeniesPermission() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways"))
    let clock = ManualClock()
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil, clock: Self.wallClock(clock))
    var follower = Follower(policy)
    #expect(await follower.reaches(.always))
    unlink(folder.policy)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await follower.reaches(.denied))
    await follower.end()
  }

  @Test("F47 requests during a rewrite get one decision")
  func askingWhileItIsSaved() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways"))
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil, clock: Self.wallClock(ManualClock()))
    var follower = Follower(policy)
    #expect(await follower.reaches(.always))
    try folder.write("")
    #expect(await policy.authorize(.always).permission == .always)
    #expect(await policy.authorize(.whenInUse).permission == .always)
    try folder.write(Self.text("authorizedWhenInUse"))
    #expect(await follower.decision()?.permission == .whenInUse)
    #expect(await policy.authorize(.always).permission == .whenInUse)
    await follower.end()
  }

  @Test func requestsWaitWhileTheFileIsIncomplete() async throws {
    let folder = try PolicyFolder("")
    let clock = ManualClock()
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil, clock: Self.wallClock(clock))
    let request = Task { await policy.authorize(.always) }
    let fullAccuracy = Task { await policy.temporaryFullAccuracy(for: "docking") }
    let cancelled = Task { await policy.authorize(.always) }
    await clock.waitForSleepers()
    cancelled.cancel()
    #expect(await cancelled.value == .notDetermined)
    try folder.write(Self.text("authorizedAlways", #", "temporaryFullAccuracy": {"docking": 9}"#))
    #expect(await request.value.permission == .always)
    #expect(await fullAccuracy.value == .seconds(9))
    // A persistent error is returned as the answer.
    try folder.write("")
    let refused = Task { await policy.authorize(.always) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await refused.value.reason?.contains("line 1") == true)
  }

  @Test("F47 a request without free descriptors")
  func askingWithoutDescriptors() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways"))
    let (clock, isOutOfDescriptors) = (ManualClock(), Locked(true))
    let reader = PolicyFileReader(path: folder.policy)
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil, clock: Self.wallClock(clock),
      read: { () throws(PolicyFileReader.Problem) in
        if isOutOfDescriptors.withLock({ $0 }) { throw .unreadable("it", SystemFailure(EMFILE)) }
        return try reader.read()
      })
    // Nothing was reported yet: requests wait for a successful read.
    let request = Task { await policy.authorize(.always) }
    await clock.waitForSleepers(atLeast: 2)  // The deadline and the next attempt.
    isOutOfDescriptors.withLock { $0 = false }
    clock.advance(by: .seconds(1))
    #expect(await request.value.permission == .always)
    // A decision was reported: it remains in force.
    var follower = Follower(policy)
    #expect(await follower.reaches(.always))
    isOutOfDescriptors.withLock { $0 = true }
    #expect(await policy.authorize(.always).permission == .always)
    isOutOfDescriptors.withLock { $0 = false }
    try folder.write(Self.text("authorizedWhenInUse"))
    #expect(await follower.decision()?.permission == .whenInUse)
    // A persistent shortage causes a denial, which ends with the shortage.
    isOutOfDescriptors.withLock { $0 = true }
    #expect(await policy.authorize(.always).permission == .whenInUse)
    let denied = await Self.whileAdvancing(clock) { await follower.decision() }
    #expect(denied?.reason?.contains("Too many open files") == true)
    isOutOfDescriptors.withLock { $0 = false }
    let granted = await Self.whileAdvancing(clock) { await follower.decision() }
    #expect(granted?.permission == .whenInUse)
    await follower.end()
  }

  @Test func managersShareOnePolicy() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways"))
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil, clock: Self.wallClock(ManualClock()))
    let first = LocationManager(backend: Source(policy: policy))
    #expect(await first.authorization().status == .authorizedAlways)
    // The second manager begins while the file is incomplete, and gets the same decision.
    try folder.write("")
    let second = LocationManager(backend: Source(policy: policy))
    #expect(await second.authorization().status == .authorizedAlways)
    #expect(await first.authorization().status == .authorizedAlways)
    try folder.write(Self.text("restricted"))
    for manager in [first, second] {
      for await authorization in manager.authorizationUpdates where !authorization.isAuthorized {
        #expect(authorization.status == .restricted)
        break
      }
    }
    await first.shutdown()
    await second.shutdown()
  }

  /// More managers wait for their files than there are threads; other tasks continue.
  @Test func aBlockedReadDoesNotBlockManagers() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways"))
    let (gate, reader) = (DispatchSemaphore(value: 0), PolicyFileReader(path: folder.policy))
    let managers = (0..<64).map { _ in
      LocationManager(
        backend: Source(
          policy: FileAuthorizationPolicy(
            path: folder.policy, client: "me", keyPath: nil, clock: .system,
            read: { () throws(PolicyFileReader.Problem) in
              gate.wait()
              gate.signal()
              return try reader.read()
            })))
    }
    await withTaskGroup(of: Bool.self) { group in
      for manager in managers { group.addTask { await manager.authorization().isAuthorized } }
      // Other tasks run while all managers wait.
      for _ in 0..<64 { await Task { await Task.yield() }.value }
      gate.signal()
      for await isAuthorized in group { #expect(isAuthorized) }
    }
    for manager in managers { await manager.shutdown() }
  }

  @Test func aManagerWaitsForALockedKey() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways", #", "accuracy": "reduced""#))
    try folder.write("async-location reduced", to: folder.policy + ".key")
    #expect(chmod(folder.policy + ".key", 0o600) == 0)
    let lock = open(folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(lock, LOCK_EX) == 0)
    let manager = LocationManager(backend: Source(policy: Self.policy(folder)))
    close(lock)
    let authorization = await manager.authorization()
    #expect(authorization.status == .authorizedAlways, "\(authorization)")
    #expect(authorization.reason?.contains("was damaged") == true)
    await manager.shutdown()
  }

  @Test func aFileIsWatchedThroughHardLinks() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways"))
    // As with a bind mount, the file is changed under another name.
    let elsewhere = try PolicyFolder()
    #expect(link(folder.policy, elsewhere.policy) == 0)
    var follower = Follower(Self.policy(elsewhere))
    #expect(await follower.reaches(.always))
    try folder.write(Self.text("restricted"))
    #expect(await follower.reaches(.restricted))
    await follower.end()
  }

  /// Otherwise the old decision would be in force for a moment, with location services enabled.
  @Test func aDecisionIsReportedBeforeServicesAreEnabled() async throws {
    let folder = try PolicyFolder(
      """
      {"version": 1, "locationServicesEnabled": false, "default": {"status": "authorizedAlways"}}
      """)
    var follower = Follower(Self.policy(folder))
    #expect(await follower.changes.next() == .locationServices(enabled: false))
    #expect(await follower.decision()?.permission == .always)
    try folder.replace(Self.text("restricted"))
    let first = await follower.changes.next()
    guard case .decision(let decision) = first else {
      Issue.record("\(String(describing: first))")
      return await follower.end()
    }
    #expect(decision.permission == .restricted)
    #expect(await follower.changes.next() == .locationServices(enabled: true))
    await follower.end()
  }

  @Test func otherUsersCannotRedirectThePath() async throws {
    let folder = try PolicyFolder()
    let (etc, linkFolder) = (folder.path + "/open/etc", folder.path + "/way")
    for name in ["/open", "/open/etc", "/way"] { #expect(mkdir(folder.path + name, 0o755) == 0) }
    try folder.write(Self.text("authorizedAlways"), to: etc + "/policy.json")
    #expect(symlink(etc + "/policy.json", linkFolder + "/link") == 0)
    #expect(symlink(linkFolder + "/link", folder.policy) == 0)
    func problem() async -> String? { await Self.policy(folder).explanation().error?.message }
    #expect(await problem() == nil)
    // A folder above the file's folder, and one that contains a link to the file.
    for writable in [folder.path + "/open", linkFolder] {
      #expect(chmod(writable, 0o777) == 0)
      #expect(
        await problem()?.contains("the folder \"\(writable)\" can be written by others") == true)
      #expect(chmod(writable, 0o755) == 0)
    }
    // A sticky folder is accepted, but not another user's link in it.
    #expect(chmod(linkFolder, 0o1777) == 0)
    #expect(await problem() == nil)
    if geteuid() == 0 {
      #expect(lchown(linkFolder + "/link", 12_345, 0) == 0)
      #expect(await problem()?.contains("belongs to user 12345") == true)
    }
  }

  @Test func reducedAccuracyWithoutItsKeyIsDenied() async throws {
    let folder = try PolicyFolder(Self.text("authorizedAlways", #", "accuracy": "reduced""#))
    let clock = ManualClock()
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: folder.path + "/state.key",
      clock: Self.wallClock(clock))
    #expect(await policy.explanation().status == .authorizedAlways)
    #expect(await policy.explanation().keyNotice?.contains("state.key yet") == true)
    // Explaining the policy writes nothing.
    #expect(FileManager.default.fileExists(atPath: policy.keyPath) == false)
    try folder.write("", to: policy.keyPath)
    #expect(chmod(policy.keyPath, 0o644) == 0)
    #expect(await policy.explanation().status == .denied)
    #expect(await policy.explanation().reason?.contains("state.key") == true)
    var follower = Follower(policy)
    let isDenied = await Self.whileAdvancing(clock) { await follower.reaches(.denied) }
    #expect(isDenied)
    // A repair is detected at the next read.
    #expect(chmod(policy.keyPath, 0o600) == 0)
    let isGranted = await Self.whileAdvancing(clock) { await follower.reaches(.always) }
    #expect(isGranted)
    #expect(await policy.explanation().keyNotice?.contains("is damaged") == true)
    await follower.end()
  }

  @Test func aRelativePathIsResolvedInTheWorkingDirectory() {
    let policy = FileAuthorizationPolicy(path: "policy.json")
    #expect(policy.path == FileManager.default.currentDirectoryPath + "/policy.json")
    #expect(policy.keyPath == policy.path + ".key")
  }

  @Test func removingAPurposeEndsFullAccuracy() async throws {
    func text(_ purposes: String) -> String {
      Self.text(
        "authorizedAlways", #", "accuracy": "reduced", "temporaryFullAccuracy": {\#(purposes)}"#)
    }
    let folder = try PolicyFolder(text(#""docking": 86400"#))
    let manager = LocationManager(backend: Source(policy: Self.policy(folder)))
    let raised = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    #expect(raised.accuracy == .full)
    try folder.replace(text(""))
    for await authorization in manager.authorizationUpdates where authorization.accuracy == .reduced
    {
      break
    }
    #expect(await manager.authorization().accuracy == .reduced)
    await manager.shutdown()
  }

  @Test func replacedFoldersAndLinksAreDetected() async throws {
    let folder = try PolicyFolder()
    for (name, status) in [("one", "authorizedAlways"), ("two", "authorizedWhenInUse")] {
      #expect(mkdir("\(folder.path)/\(name)", 0o755) == 0)
      try folder.write(Self.text(status), to: "\(folder.path)/\(name)/policy.json")
    }
    // As with mounted configuration, the file is a link through another link, which is replaced.
    #expect(symlink("one", "\(folder.path)/current") == 0)
    #expect(symlink("current/policy.json", folder.policy) == 0)
    var follower = Follower(Self.policy(folder))
    #expect(await follower.reaches(.always))
    #expect(symlink("two", "\(folder.path)/next") == 0)
    #expect(rename("\(folder.path)/next", "\(folder.path)/current") == 0)
    #expect(await follower.reaches(.whenInUse))
    try folder.write(Self.text("restricted"), to: "\(folder.path)/two/policy.json")
    #expect(await follower.reaches(.restricted))
    try FileManager.default.removeItem(atPath: "\(folder.path)/two")
    #expect(await follower.reaches(.denied))
    #expect(mkdir("\(folder.path)/two", 0o755) == 0)
    try folder.write(Self.text("authorizedAlways"), to: "\(folder.path)/two/policy.json")
    #expect(await follower.reaches(.always))
    await follower.end()
  }

  @Test func filesWritableByOthersAreRefused() async throws {
    let folder = try PolicyFolder()
    try folder.write(Self.text("authorizedAlways"))
    let policy = Self.policy(folder)
    #expect(await policy.explanation().error == nil)
    for mode: mode_t in [0o664, 0o646, 0o622] {
      #expect(chmod(folder.policy, mode) == 0)
      #expect(await policy.explanation().error?.message.contains("chmod go-w") == true)
    }
    #expect(chmod(folder.policy, 0o644) == 0)
    #expect(chmod(folder.path, 0o777) == 0)
    #expect(await policy.explanation().error?.message.contains("the folder") == true)
    #expect(chmod(folder.path, 0o1777) == 0)
    #expect(await policy.explanation().error == nil)
    #expect(chmod(folder.path, 0o700) == 0)
    if geteuid() == 0 {
      #expect(chown(folder.policy, 12_345, 0) == 0)
      #expect(await policy.explanation().error?.message.contains("belongs to user 12345") == true)
    }
    unlink(folder.policy)
    #expect(mkfifo(folder.policy, 0o600) == 0)
    #expect(await policy.explanation().error?.message.contains("not a plain file") == true)
    unlink(folder.policy)
    #expect(mkdir(folder.policy, 0o700) == 0)
    #expect(await policy.explanation().error?.message.contains("not a plain file") == true)
    rmdir(folder.policy)
    try folder.write(String(repeating: " ", count: PolicyFileReader.maximumLength + 1))
    #expect(await policy.explanation().error?.message.contains("longer than") == true)
  }

  @Test func aRuleExpiresAtItsTime() async throws {
    let folder = try PolicyFolder()
    try folder.write(Self.text("authorizedAlways", #", "expires": "2026-12-24T00:00:00Z""#))
    let end = try #require(Timestamp.parse("2026-12-24T00:00:00Z"))
    let time = Locked(end.addingTimeInterval(-5))
    let (dates, dateContinuation) = AsyncStream.makeStream(of: Date.self)
    let (releases, release) = AsyncStream.makeStream(of: Void.self)
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil,
      clock: WallClock(
        now: { time.withLock { $0 } },
        wait: { date in
          dateContinuation.yield(date)
          for await _ in releases { break }
        }, pause: { _ in }))
    var follower = Follower(policy)
    #expect(await follower.reaches(.always))
    var waits = dates.makeAsyncIterator()
    #expect(await waits.next() == end)
    time.withLock { $0 = end }
    release.yield()
    #expect(await follower.decision()?.reason?.contains("expired") == true)
    await follower.end()
  }

  @Test func purposesAndServicesAreRead() async throws {
    let folder = try PolicyFolder()
    try folder.write(
      Self.text(
        "authorizedAlways", #", "accuracy": "reduced", "temporaryFullAccuracy": {"docking": 60}"#))
    let policy = Self.policy(folder)
    #expect(await policy.temporaryFullAccuracy(for: "docking") == .seconds(60))
    #expect(await policy.temporaryFullAccuracy(for: "fishing") == nil)
    var follower = Follower(policy)
    #expect(await follower.decision()?.accuracy == .reduced)
    try folder.replace(
      #"{"version": 1, "locationServicesEnabled": false, "default": {"status": "denied"}}"#)
    #expect(await follower.changes.next() == .locationServices(enabled: false))
    #expect(await follower.reaches(.denied))
    await follower.end()
    let invalidClient = FileAuthorizationPolicy(path: folder.policy, client: "../me")
    #expect(await invalidClient.explanation().error?.message.contains("holds a '/'") == true)
  }

  @Test func aManagerObeysTheFile() async throws {
    let folder = try PolicyFolder()
    try folder.write(Self.text("authorizedWhenInUse"))
    let source = Source(policy: Self.policy(folder))
    let manager = LocationManager(backend: source)
    var updates = manager.updates(UpdateOptions()).makeAsyncIterator()
    #expect(try await updates.next() != nil)
    try folder.replace(Self.text("denied"))
    do throws(LocationError) {
      while try await updates.next() != nil {}
      Issue.record("the stream ended without the refusal")
    } catch {
      #expect(error.code == .denied)
      #expect(error.message.contains("on line 1"))
    }
    try folder.write(Self.text("authorizedAlways", #", "accuracy": "reduced""#))
    for await authorization in manager.authorizationUpdates where authorization.isAuthorized {
      break
    }
    #expect(await manager.authorization().accuracy == .reduced)
    let location = try await manager.currentLocation()
    #expect(location.horizontalAccuracy ?? 0 > 1_000)
    var status = stat()
    #expect(stat(folder.policy + ".key", &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    await manager.shutdown()
  }

  @Test func observationLeavesNoDescriptorOpen() async throws {
    let folder = try PolicyFolder()
    try folder.write(Self.text("authorizedAlways"))
    func watchDescriptorCount() -> Int {
      ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).filter {
        PathWalk.target(of: "/proc/self/fd/\($0)")?.contains("inotify") == true
      }.count
    }
    let before = watchDescriptorCount()
    let rounds = 50
    for _ in 0..<rounds {
      var follower = Follower(Self.policy(folder))
      #expect(await follower.reaches(.always))
      await follower.end()
    }
    // Other tests watch files at the same time; a leak would be one descriptor per round.
    #expect(watchDescriptorCount() < before + rounds / 2)
  }

  /// A receiver that moves north until its run is cancelled.
  private struct Source: LocationBackend {
    let policy: FileAuthorizationPolicy
    let capabilities = BackendCapabilities.all
    var authorizationPolicy: any AuthorizationPolicy { policy }

    func run(
      _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
    ) async throws {
      var count = 0
      while !Task.isCancelled {
        count += 1
        let location = try Location(
          latitude: Double(count) / 1000, longitude: 0,
          timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(count)),
          horizontalAccuracy: 5)
        emit([.location(location)])
        await Task.yield()
      }
    }
  }
}
