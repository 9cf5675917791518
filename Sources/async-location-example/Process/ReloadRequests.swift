import Glibc
import Synchronization

/// SIGHUP as a request to read a file again, for a command that accepts such requests.
///
/// SIGHUP ends the tool like other signals until a command accepts it, and when the terminal in
/// which the tool was started is gone.
final class ReloadRequests: Sendable {
  private let isAccepted = Atomic(false)
  private let requests: AsyncStream<Void>
  private let request: AsyncStream<Void>.Continuation
  private let hasTerminal: @Sendable () -> Bool
  private let hadTerminal: Bool

  /// - Parameter hasTerminal: Whether the process has a controlling terminal.
  init(hasTerminal: @escaping @Sendable () -> Bool = ReloadRequests.hasControllingTerminal) {
    self.hasTerminal = hasTerminal
    hadTerminal = hasTerminal()
    // One request is enough for all signals that arrive before the file is read.
    (requests, request) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The requests from now on, for one reader.
  func accept() -> AsyncStream<Void> {
    isAccepted.store(true, ordering: .sequentiallyConsistent)
    return requests
  }

  /// Called for a SIGHUP. Returns false if the signal ends the tool.
  func post() -> Bool {
    guard isAccepted.load(ordering: .sequentiallyConsistent), !hadTerminal || hasTerminal() else {
      return false
    }
    request.yield()
    return true
  }

  private static func hasControllingTerminal() -> Bool {
    let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }
}
