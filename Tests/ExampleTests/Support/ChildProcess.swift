import Dispatch
import Glibc

@testable import async_location_example

/// The built tool, run as a separate process with default signals.
struct ChildProcess: Sendable {
  let id: pid_t
  private let output: Int32
  private let errors: Int32

  struct Ended: Sendable {
    /// The exit status, or the negated signal number.
    let status: Int32
    let output: String
    let errors: String
  }

  /// Starts the tool.
  ///
  /// - Parameters:
  ///   - inputPath: The file that is standard input. A FIFO needs a writer.
  ///   - closing: A standard descriptor that is closed.
  init(
    _ line: String, environment: [String] = [], inputPath: String = "/dev/null",
    outputPath: String? = nil, closing: Int32? = nil
  ) throws {
    var path = [CChar](repeating: 0, count: 4096)
    let length = readlink("/proc/self/exe", &path, path.count)
    guard length > 0 else { throw OutputError.failed(errno) }
    let bundle = String(decoding: path[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    let folder = bundle[..<(bundle.lastIndex(of: "/") ?? bundle.endIndex)]
    let words = ["\(folder)/\(Help.name)"] + line.split(separator: " ").map(String.init)

    let (out, err) = (try Self.pipe(), try Self.pipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, inputPath, O_RDONLY, 0)
    if let outputPath {
      posix_spawn_file_actions_addopen(&actions, 1, outputPath, O_WRONLY, 0)
    } else {
      posix_spawn_file_actions_adddup2(&actions, out.writing, 1)
    }
    posix_spawn_file_actions_adddup2(&actions, err.writing, 2)
    if let closing { posix_spawn_file_actions_addclose(&actions, closing) }
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
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup($0) } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var id = pid_t()
    let failure = posix_spawn(&id, words[0], &actions, &attributes, &arguments, &variables)
    close(out.writing)
    close(err.writing)
    guard failure == 0 else { throw OutputError.failed(failure) }
    (self.id, output, errors) = (id, out.reading, err.reading)
  }

  /// Waits for at least the given number of bytes of output.
  func read(atLeast count: Int) async -> String {
    await Self.onThread { Self.read(output, atLeast: count) }
  }

  /// Waits until a text is written to standard error; ``end(reading:)`` returns only what follows.
  func waitForError(_ text: String) async {
    await Self.onThread {
      var talk = ""
      while !talk.contains(text) {
        let more = Self.read(errors, atLeast: 1)
        guard !more.isEmpty else { return }
        talk += more
      }
    }
  }

  func send(_ signal: Int32) { kill(id, signal) }

  /// Stops reading, as `head` does.
  func stopReading() { close(output) }

  /// Reads the remaining output and waits for the end.
  func end(reading: Bool = true) async -> Ended {
    async let text = Self.onThread { reading ? Self.drain(self.output) : "" }
    async let talk = Self.onThread { Self.drain(self.errors) }
    let (output, errors) = await (text, talk)
    let id = self.id
    let status = await Self.onThread { () -> Int32 in
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
    return Ended(status: status, output: output, errors: errors)
  }

  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw OutputError.failed(errno) }
    // Otherwise another test's child, started meanwhile, would keep them open.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private static func drain(_ descriptor: Int32) -> String {
    defer { close(descriptor) }
    return read(descriptor, atLeast: .max)
  }

  private static func read(_ descriptor: Int32, atLeast count: Int) -> String {
    var bytes = [UInt8]()
    var chunk = [UInt8](repeating: 0, count: 4096)
    while bytes.count < count {
      let read = Glibc.read(descriptor, &chunk, chunk.count)
      if read < 0, errno == EINTR { continue }
      guard read > 0 else { break }
      bytes += chunk[..<read]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { caller in
      DispatchQueue.global().async { caller.resume(returning: body()) }
    }
  }
}
