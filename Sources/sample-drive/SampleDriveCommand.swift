import AsyncLocation
import Glibc
import SampleDrive

/// Prints or serves the drive. Exit codes: 0 done, 1 failed, 2 usage error.
@main
struct SampleDriveCommand {
  static func main() {
    // Restores the default handling of these signals, which the parent process may have blocked or
    // ignored.
    signal(SIGTERM, SIG_DFL)
    signal(SIGINT, SIG_DFL)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    sigprocmask(SIG_UNBLOCK, &signals, nil)

    let arguments: Arguments
    do {
      arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    } catch {
      write("sample-drive: \(error.message)\n\(Arguments.usage)", to: STDERR_FILENO)
      exit(2)
    }
    do {
      try run(arguments)
    } catch {
      write("sample-drive: \(error.message)\n", to: STDERR_FILENO)
      exit(1)
    }
  }

  private static func run(_ arguments: Arguments) throws(LocationError) {
    switch arguments {
    case .help:
      try print(Arguments.usage)
    case .nmea(let seed):
      for epoch in Drive(seed: seed).epochs { try print(epoch.nmea) }
    case .serve(let service):
      let parent = getppid()
      let server = try FeedServer(host: service.host, port: service.port)
      try print("listening on \(server.host):\(server.port)\n")
      server.serve(
        FeedSchedule(seed: service.seed, loops: service.loops), rate: service.rate,
        connected: { write("sample-drive: a client connected\n", to: STDERR_FILENO) },
        until: { getppid() != parent })
    }
  }

  private static func print(_ text: String) throws(LocationError) {
    guard write(text, to: STDOUT_FILENO) else {
      throw LocationError(
        .connectionLost, "Could not write the output: \(String(cString: strerror(errno))).")
    }
  }

  /// Writes text without buffering, so that a reader of a pipe receives each line immediately.
  /// Returns false on an error; `errno` has the reason.
  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno != EINTR { return false }
      bytes = bytes.dropFirst(max(0, count))
    }
    return true
  }
}
