import CTestShims
import Dispatch
import Foundation
import Glibc

/// A program that a test starts and ends: a child process with default signal handlers and an empty
/// signal mask. Deallocation ends it with SIGTERM, and does not wait.
package final class ServerProcess: @unchecked Sendable {
  package struct SpawnFailure: Error {
    package let errno: Int32
  }

  // SAFETY: all accesses are between `lock` and `unlock` of `mutex`, which never moves.
  private var pid: pid_t = 0
  private var status: Int32 = 0
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - standardInput: The path of the child's input. A FIFO needs a writer.
  ///   - standardOutput: The child's output, which the caller closes; nil for none.
  ///   - standardError: The child's error output, which the caller closes; nil for none.
  ///   - closing: A standard descriptor that the child does not have.
  ///   - inheritsOthers: Whether the child has this process's descriptors without `FD_CLOEXEC`. A
  ///     library may set the flag only after it opens a descriptor; a server that inherited the
  ///     descriptor meanwhile would keep a connection of another test open.
  package init(
    _ arguments: [String], environment: [String] = ["PATH=/usr/bin:/bin"],
    standardInput: String = "/dev/null", standardOutput: Int32? = nil,
    standardError: Int32? = nil, closing: Int32? = nil, inheritsOthers: Bool = false
  ) throws {
    mutex = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    posix_spawn_file_actions_addopen(&files, 0, standardInput, O_RDONLY, 0)
    for (number, descriptor) in [(Int32(1), standardOutput), (2, standardError)] {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&files, descriptor, number)
      } else {
        posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_WRONLY, 0)
      }
    }
    if !inheritsOthers { ctest_close_from(&files, 3) }
    if let closing { posix_spawn_file_actions_addclose(&files, closing) }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    let status = posix_spawn(&pid, arguments[0], &files, &attributes, argv, envp)
    guard status == 0 else { throw SpawnFailure(errno: status) }
  }

  deinit {
    if pid > 0 {
      let child = pid
      kill(child, SIGTERM)
      Thread.detachNewThread {
        Self.waitForEnd(of: child, repeating: SIGTERM)
        waitpid(child, nil, 0)
      }
    }
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// The child's process identifier; 0 once it has ended and was waited for.
  package var identifier: Int32 { withLock { $0 } }

  /// A pipe that no child inherits.
  package static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard ctest_pipe(&ends) == 0 else { throw SpawnFailure(errno: errno) }
    return (ends[0], ends[1])
  }

  /// Sends a signal, without waiting. Does nothing after the end.
  package func send(_ signal: Int32) {
    withLock { if $0 > 0 { kill($0, signal) } }
  }

  /// Ends the process, waits for it and returns its exit status as ``wait()`` does.
  ///
  /// - Parameter isRepeated: Whether the signal is sent until the process ends: gpsd misses a
  ///   signal that arrives just before it waits for its clients.
  @discardableResult
  package func stop(_ signal: Int32, isRepeated: Bool = false) -> Int32 {
    send(signal)
    let child = withLock { $0 }
    if isRepeated, child > 0 { Self.waitForEnd(of: child, repeating: signal) }
    return wait()
  }

  /// Waits for the end of the process.
  ///
  /// - Returns: The exit status, or the signal that ended it as a negative number.
  @discardableResult
  package func wait() -> Int32 {
    // The process remains until it is reaped, so `send` never signals another process.
    let child = withLock { $0 }
    if child > 0 { Self.waitForEnd(of: child) }
    return withLock { pid in
      if pid > 0 {
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        pid = 0
      }
      return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
  }

  /// Waits until a child has ended, without reaping it.
  private static func waitForEnd(of child: pid_t) {
    var end = siginfo_t()
    while waitid(P_PID, id_t(child), &end, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  }

  /// Sends a child a signal until it has ended, without reaping it.
  private static func waitForEnd(of child: pid_t, repeating signal: Int32) {
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      waitForEnd(of: child)
      hasEnded.signal()
    }
    // System clock: it paces the signals.
    while hasEnded.wait(timeout: .now() + .milliseconds(500)) == .timedOut { kill(child, signal) }
  }

  private func withLock<Result>(_ body: (inout pid_t) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&pid)
  }
}
