import Glibc

/// A server that a test starts and ends: a child process with default signals, on which no mask of
/// the test's tasks is passed. Deallocation ends it with SIGTERM.
package final class ServerProcess: @unchecked Sendable {
  package struct SpawnFailure: Error {
    package let errno: Int32
  }

  // SAFETY: all accesses are between `lock` and `unlock` of `mutex`, which never moves.
  private var pid: pid_t = 0
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - standardOutput: The child's; closed by the caller. Nil for none.
  ///   - standardError: The same.
  package init(
    _ arguments: [String], environment: [String] = ["PATH=/usr/bin:/bin"],
    standardOutput: Int32? = nil, standardError: Int32? = nil
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
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
    for (number, descriptor) in [(Int32(1), standardOutput), (2, standardError)] {
      if let descriptor {
        posix_spawn_file_actions_adddup2(&files, descriptor, number)
      } else {
        posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_WRONLY, 0)
      }
    }
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = environment.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    let status = posix_spawn(&pid, arguments[0], &files, &attributes, argv, envp)
    guard status == 0 else { throw SpawnFailure(errno: status) }
  }

  deinit {
    stop(SIGTERM)
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// The child's process identifier; 0 once it was stopped.
  package var identifier: Int32 {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return pid
  }

  /// Sends a signal, without waiting.
  package func send(_ signal: Int32) {
    pthread_mutex_lock(mutex)
    if pid > 0 { kill(pid, signal) }
    pthread_mutex_unlock(mutex)
  }

  /// Ends the process, waits for it and returns its exit status. Does nothing the second time.
  @discardableResult
  package func stop(_ signal: Int32) -> Int32 {
    pthread_mutex_lock(mutex)
    let child = pid
    pid = 0
    pthread_mutex_unlock(mutex)
    guard child > 0 else { return 0 }
    kill(child, signal)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }
}

/// A free TCP port of 127.0.0.1, for a server that cannot choose one itself. It is outside of the
/// range from which the system takes ports, so that no connection of a test takes it meanwhile.
package func freePort() -> Int {
  while true {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    let port = UInt16.random(in: 20_000..<32_000)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status == 0 { return Int(port) }
  }
}
