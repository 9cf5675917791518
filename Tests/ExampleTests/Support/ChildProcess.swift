import Glibc
import TestSupport

@testable import async_location_example

/// The built tool, or another program, run as a separate process with default signal handlers.
struct ChildProcess: Sendable {
  private let process: ServerProcess
  private let output: Int32
  private let errors: Int32

  struct Ended: Sendable {
    /// The exit status, or the negated signal number.
    let status: Int32
    let output: String
    let errors: String
  }

  /// The path of the tool, which is in the folder of the test program.
  static var path: String {
    get throws {
      var path = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/exe", &path, path.count)
      guard length > 0 else { throw OutputError.failed(errno) }
      let bundle = String(decoding: path[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
      return "\(bundle[..<(bundle.lastIndex(of: "/") ?? bundle.endIndex)])/\(Help.name)"
    }
  }

  /// Starts the tool.
  ///
  /// - Parameters:
  ///   - inputPath: The file that is standard input. A FIFO needs a writer.
  ///   - outputPath: The file that is standard output; nil for a pipe that the test reads.
  ///   - closing: A standard descriptor that the tool does not have.
  init(
    _ line: String, environment: [String] = [], inputPath: String = "/dev/null",
    outputPath: String? = nil, closing: Int32? = nil
  ) throws {
    try self.init(
      words: [try Self.path] + line.split(separator: " ").map(String.init),
      environment: environment, inputPath: inputPath, outputPath: outputPath, closing: closing)
  }

  /// Starts a program.
  ///
  /// - Parameter words: Its path, and its arguments.
  init(
    words: [String], environment: [String] = [], inputPath: String = "/dev/null",
    outputPath: String? = nil, closing: Int32? = nil
  ) throws {
    let (out, err) = (try ServerProcess.pipe(), try ServerProcess.pipe())
    defer { for end in [out.writing, err.writing] { close(end) } }
    let file = outputPath.map { open($0, O_WRONLY | O_CLOEXEC) }
    defer { if let file { close(file) } }
    process = try ServerProcess(
      words, environment: environment, standardInput: inputPath,
      standardOutput: file ?? out.writing, standardError: err.writing, closing: closing)
    (output, errors) = (out.reading, err.reading)
  }

  /// Waits for at least a number of bytes of output, or its end, and returns what was read.
  func read(atLeast count: Int) async -> String {
    await onThread { Self.read(output, atLeast: count) }
  }

  /// Waits until standard error contains a text, or ends. ``end(reading:)`` returns only what
  /// follows.
  func waitForError(_ text: String) async {
    await onThread {
      var received = ""
      while !received.contains(text) {
        let more = Self.read(errors, atLeast: 1)
        guard !more.isEmpty else { return }
        received += more
      }
    }
  }

  func send(_ signal: Int32) { process.send(signal) }

  /// Closes the pipe of standard output, as `head` does when it ends.
  func stopReading() { close(output) }

  /// Reads the remaining output and waits for the end.
  ///
  /// - Parameter reading: Whether standard output is read. Standard error always is.
  func end(reading: Bool = true) async -> Ended {
    async let outputText = onThread { reading ? Self.drain(self.output) : "" }
    async let errorText = onThread { Self.drain(self.errors) }
    let (output, errors) = await (outputText, errorText)
    let status = await onThread { process.wait() }
    return Ended(status: status, output: output, errors: errors)
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
}
