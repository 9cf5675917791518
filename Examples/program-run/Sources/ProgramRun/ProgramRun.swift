import Dispatch
import Foundation

/// A built program that a test runs as an init system does: with no signal blocked or ignored.
///
/// Foundation's `Process` inherits the blocked signals of a thread, and its file handles may miss the
/// end of a pipe that they watch. Deallocation ends a program that runs still.
public final class ProgramRun {
  private let identifier: pid_t
  private var hasEnded = false
  private var pieces: AsyncStream<Data>.Iterator
  private var rest = Data()

  /// Starts a program.
  ///
  /// - Parameter folder: The program's working directory.
  public init(_ name: String, _ arguments: [String], in folder: URL? = nil) throws {
    let path = "/usr/bin/env"
    let program = Self.products.appendingPathComponent(name).path
    let pipe = Pipe()
    let reading = pipe.fileHandleForReading
    let writing = pipe.fileHandleForWriting.fileDescriptor

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for output in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_adddup2(&actions, writing, output)
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let folder = folder.map { ["--chdir", $0.path] } ?? []
    var words = ([path] + folder + [program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, path, &actions, &attributes, &words, environ)
    try pipe.fileHandleForWriting.close()
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    identifier = process
    let (stream, output) = AsyncStream<Data>.makeStream()
    pieces = stream.makeAsyncIterator()
    Thread.detachNewThread {
      while true {
        let piece = reading.availableData
        if piece.isEmpty { break }
        output.yield(piece)
      }
      output.finish()
    }
  }

  deinit {
    guard !hasEnded else { return }
    kill(identifier, SIGKILL)
    waitpid(identifier, nil, 0)
  }

  public func send(_ signal: Int32) { kill(identifier, signal) }

  /// The next line of its output that begins with a text.
  public func line(beginning start: String = "") async throws -> String {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest = Data(rest[(end + 1)...])
        if line.hasPrefix(start) { return line }
      } else {
        guard let piece = await pieces.next() else { throw EndOfOutput(start: start) }
        rest += piece
      }
    }
  }

  /// Returns when the program has ended: its status, 128 and more after a signal, and the lines that
  /// were not read.
  public func end() async -> (status: Int32, lines: [Substring]) {
    while let piece = await pieces.next() { rest += piece }
    let status = await withCheckedContinuation { [identifier] ended in
      DispatchQueue.global().async {
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        let signal = status & 0x7F
        ended.resume(returning: signal == 0 ? status >> 8 & 0xFF : 128 + signal)
      }
    }
    hasEnded = true
    return (status, String(decoding: rest, as: UTF8.self).split(separator: "\n"))
  }

  /// The output has ended without an expected line.
  public struct EndOfOutput: Error {
    /// The beginning of the line.
    public let start: String
  }

  /// The folder of the built tests and the program.
  private static var products: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  }
}
