import FoundationEssentials
import Glibc
import MockBackend
import Testing

@testable import AsyncLocation

/// Policy files on a real disk, watched by the real kernel.
@Suite(.timeLimit(.minutes(1)), .serialized)
struct FilePolicyTests {
  /// A folder that is removed with its last reference.
  final class Folder: Sendable {
    let path: String
    var policy: String { path + "/policy.json" }

    init() throws {
      var template = Array("/tmp/policy-test-XXXXXX".utf8CString)
      let isMade = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
      try #require(isMade)
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes it as `cat` does: in place.
    func write(_ text: String, to path: String? = nil) throws {
      let path = path ?? policy
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      try #require(descriptor >= 0)
      fchmod(descriptor, 0o644)
      var bytes = Array(text.utf8)
      #expect(Glibc.write(descriptor, &bytes, bytes.count) == bytes.count)
      close(descriptor)
    }

    /// Writes it as editors do: another file in its place.
    func replace(_ text: String) throws {
      try write(text, to: path + "/.policy.swp")
      #expect(rename(path + "/.policy.swp", policy) == 0)
    }
  }

  static func text(_ status: String, _ more: String = "") -> String {
    #"{"version": 1, "default": {"status": "denied"}, "clients": {"me": {"status": "\#(status)"\#(more)}}}"#
  }

  /// Follows a policy and hands out what it reports, one by one.
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

    mutating func decision() async -> AuthorizationDecision? {
      while let change = await changes.next(isolation: #isolation) {
        if case .decision(let decision) = change { return decision }
      }
      return nil
    }

    func end() async {
      task.cancel()
      await task.value
    }
  }

  private static func policy(_ folder: Folder) -> FileAuthorizationPolicy {
    FileAuthorizationPolicy(path: folder.policy, client: "me")
  }

  @Test func whatTheFileSaysHoldsBeforeTheManagerIsThere() async throws {
    let folder = try Folder()
    try folder.write(Self.text("authorizedAlways"))
    let reports = Locked<[AuthorizationChange]>([])
    let policy = Self.policy(folder)
    let task = Task.immediate {
      await policy.observe { change in reports.withLock { $0.append(change) } }
    }
    let first = reports.withLock { $0 }
    #expect(first.first == .locationServices(enabled: true))
    guard case .decision(let decision)? = first.last else { return #expect(Bool(false)) }
    #expect(decision.permission == .always)
    #expect(decision.reason == "\(folder.policy): the rule for \"me\" on line 1")
    task.cancel()
    await task.value
  }

  @Test func everyWayOfSavingIsNoticed() async throws {
    let folder = try Folder()
    var follower = Follower(Self.policy(folder))
    #expect(await follower.decision()?.permission == .denied)  // There is none.
    try folder.write(Self.text("authorizedAlways"))
    #expect(await follower.decision()?.permission == .always)
    try folder.replace(Self.text("denied"))
    #expect(await follower.decision()?.permission == .denied)
    try folder.write(Self.text("authorizedWhenInUse"))
    #expect(await follower.decision()?.permission == .whenInUse)
    #expect(chmod(folder.policy, 0o666) == 0)
    #expect(await follower.decision()?.reason?.contains("chmod go-w") == true)
    #expect(chmod(folder.policy, 0o600) == 0)
    #expect(await follower.decision()?.permission == .whenInUse)
    unlink(folder.policy)
    #expect(await follower.decision()?.reason?.contains("No such file") == true)
    try folder.replace(Self.text("authorizedOnce"))
    #expect(await follower.decision()?.permission == .whenInUseOnce)
    try folder.write("{\n\"version\": 1,\n oops")
    #expect(await follower.decision()?.reason?.contains("line 3") == true)
    await follower.end()
  }

  @Test func foldersAndLinksAreFollowed() async throws {
    let folder = try Folder()
    for (name, status) in [("one", "authorizedAlways"), ("two", "authorizedWhenInUse")] {
      #expect(mkdir("\(folder.path)/\(name)", 0o755) == 0)
      try folder.write(Self.text(status), to: "\(folder.path)/\(name)/policy.json")
    }
    // As configuration is mounted: the file is a link through a link that is swapped.
    #expect(symlink("one", "\(folder.path)/current") == 0)
    #expect(symlink("current/policy.json", folder.policy) == 0)
    var follower = Follower(Self.policy(folder))
    #expect(await follower.decision()?.permission == .always)
    #expect(symlink("two", "\(folder.path)/next") == 0)
    #expect(rename("\(folder.path)/next", "\(folder.path)/current") == 0)
    #expect(await follower.decision()?.permission == .whenInUse)
    try folder.write(Self.text("restricted"), to: "\(folder.path)/two/policy.json")
    #expect(await follower.decision()?.permission == .restricted)
    try FileManager.default.removeItem(atPath: "\(folder.path)/two")
    #expect(await follower.decision()?.permission == .denied)
    #expect(mkdir("\(folder.path)/two", 0o755) == 0)
    try folder.write(Self.text("authorizedAlways"), to: "\(folder.path)/two/policy.json")
    #expect(await follower.decision()?.permission == .always)
    await follower.end()
  }

  @Test func whatOthersCouldHaveWrittenIsRefused() async throws {
    let folder = try Folder()
    try folder.write(Self.text("authorizedAlways"))
    let policy = Self.policy(folder)
    #expect(policy.explanation().error == nil)
    for mode: mode_t in [0o664, 0o646, 0o622] {
      #expect(chmod(folder.policy, mode) == 0)
      #expect(policy.explanation().error?.message.contains("chmod go-w") == true)
    }
    #expect(chmod(folder.policy, 0o644) == 0)
    #expect(chmod(folder.path, 0o777) == 0)
    #expect(policy.explanation().error?.message.contains("the folder") == true)
    #expect(chmod(folder.path, 0o1777) == 0)
    #expect(policy.explanation().error == nil)
    #expect(chmod(folder.path, 0o700) == 0)
    if geteuid() == 0 {
      #expect(chown(folder.policy, 12_345, 0) == 0)
      #expect(policy.explanation().error?.message.contains("belongs to user 12345") == true)
    }
    unlink(folder.policy)
    #expect(mkfifo(folder.policy, 0o600) == 0)
    #expect(policy.explanation().error?.message.contains("not a plain file") == true)
    unlink(folder.policy)
    #expect(mkdir(folder.policy, 0o700) == 0)
    #expect(policy.explanation().error?.message.contains("not a plain file") == true)
    rmdir(folder.policy)
    try folder.write(String(repeating: " ", count: PolicyFileReader.maximumLength + 1))
    #expect(policy.explanation().error?.message.contains("longer than") == true)
  }

  @Test func aRuleExpiresAtItsTime() async throws {
    let folder = try Folder()
    try folder.write(Self.text("authorizedAlways", #", "expires": "2026-12-24T00:00:00Z""#))
    let end = try #require(Timestamp.parse("2026-12-24T00:00:00Z"))
    let time = Locked(end.addingTimeInterval(-5))
    let (asked, ask) = AsyncStream.makeStream(of: Date.self)
    let (gates, gate) = AsyncStream.makeStream(of: Void.self)
    let policy = FileAuthorizationPolicy(
      path: folder.policy, client: "me", keyPath: nil,
      clock: WallClock(
        now: { time.withLock { $0 } },
        wait: { date in
          ask.yield(date)
          for await _ in gates { break }
        }))
    var follower = Follower(policy)
    #expect(await follower.decision()?.permission == .always)
    var waits = asked.makeAsyncIterator()
    #expect(await waits.next() == end)
    time.withLock { $0 = end }
    gate.yield()
    #expect(await follower.decision()?.reason?.contains("expired") == true)
    await follower.end()
  }

  @Test func purposesAndServicesAreRead() async throws {
    let folder = try Folder()
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
    #expect(await follower.decision()?.permission == .denied)
    await follower.end()
    let nameless = FileAuthorizationPolicy(path: folder.policy, client: "../me")
    #expect(nameless.explanation().error?.message.contains("holds a '/'") == true)
  }

  @Test func aManagerObeysTheFile() async throws {
    let folder = try Folder()
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
      #expect(error.code == .denied && error.message.contains("on line 1"))
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

  @Test func nothingIsLeftOpen() async throws {
    let folder = try Folder()
    try folder.write(Self.text("authorizedAlways"))
    func descriptors() -> Int {
      ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []).filter {
        PathWalk.target(of: "/proc/self/fd/\($0)")?.contains("inotify") == true
      }.count
    }
    let before = descriptors()
    for _ in 0..<50 {
      var follower = Follower(Self.policy(folder))
      #expect(await follower.decision()?.permission == .always)
      await follower.end()
    }
    #expect(descriptors() == before)
  }

  /// Drives north for as long as it is let.
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
        emit([.location(fix(count, accuracy: 5))])
        await Task.yield()
      }
    }
  }
}
