import Foundation

/// A program under a test's control: ended and reaped on deallocation.
final class ChildProcess {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let identifier: pid_t
  private var status: Int32?
  private let output: FileDescriptorLines

  /// Starts a program; its standard output and error are read together.
  ///
  /// Not through Foundation, which lets children inherit blocked signals.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
    defer { close(ends[1]) }
    output = FileDescriptorLines(ends[0])
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
    posix_spawn_file_actions_addclose(&actions, ends[1])

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let argv = ([path] + arguments).map { strdup($0) } + [nil]
    let envp = variables.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var identifier: pid_t = 0
    let error = posix_spawn(&identifier, path, &actions, &attributes, argv, envp)
    guard error == 0 else {
      throw Failure(
        description: "\(path) could not be started: \(String(cString: strerror(error)))")
    }
    self.identifier = identifier
  }

  /// The next line of the program's output; nil at its end.
  func line() throws -> String? { try output.next() }

  /// Waits for the program to end by itself.
  ///
  /// - Returns: Its exit code, or the signal that ended it as a negative number.
  func wait() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(identifier, &raw, 0) < 0 && errno == EINTR {}
    let status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : -(raw & 0x7f)
    self.status = status
    return status
  }

  func terminate() -> Int32 {
    if status == nil { kill(identifier, SIGTERM) }
    return wait()
  }

  deinit { _ = terminate() }
}
