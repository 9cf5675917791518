import AsyncLocation
import Dispatch
import FileAccess
import Glibc
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

@Suite(.inTurn) struct PathWatchTests {
  /// In a folder such as `/tmp`, others can create files faster than the events are read. Events
  /// of the path are reported between them, and the thread is free for other work.
  @Test func aBusyFolderDelaysNoEventOfThePath() async throws {
    let folder = try PolicyFolder("{}")
    let thread = FileThread(label: "busy folder")
    let isChanged = DispatchSemaphore(value: 0)
    let (watch, createdCount) = (Locked<PathWatch?>(nil), Locked<Int32>(0))
    let unread = await withCheckedContinuation { caller in
      let waiting = Locked<CheckedContinuation<Int32, Never>?>(caller)
      let pathWatch = PathWatch(on: thread) {
        let count = watch.withLock { $0 }.map { Self.unreadByteCount($0.descriptor) }
        waiting.withLock { $0.take() }?.resume(returning: count ?? -1)
      }
      watch.withLock { $0 = pathWatch }
      // Blocks the thread before any event arrives, including those of other tests in `/tmp`.
      thread.queue.async { isChanged.wait() }
      #expect(pathWatch?.watch(PathWalk.steps(to: folder.policy), folder.policy) == true)
      #expect(throws: Never.self) { try folder.write("{}") }
      for number in 0..<1_000 {
        let file = open("\(folder.path)/other-\(number)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        // Fails when other tests use all descriptors.
        if file >= 0, close(file) == 0 { createdCount.withLock { $0 += 1 } }
      }
      isChanged.signal()
    }
    // Each file causes two events of 32 bytes; more than half of the bytes are unread.
    #expect(createdCount.withLock(\.self) > 500)
    #expect(unread > 32 * createdCount.withLock(\.self))
    await watch.withLock { $0 }?.close()
  }

  /// The number of unread bytes; -1 if the call fails.
  private static func unreadByteCount(_ descriptor: Int32) -> Int32 {
    var count: Int32 = -1
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? count : -1
  }
}
