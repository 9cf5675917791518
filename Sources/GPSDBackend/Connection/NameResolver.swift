import AsyncLocation
import Glibc

/// Looks names up on threads of its own: `getaddrinfo` blocks, sometimes for long.
///
/// There are a few, so that one name server that does not answer does not hold up all names, and
/// they end when there is nothing to look up.
final class NameResolver: Sendable {
  private struct Job: Sendable {
    var host: String
    var port: Int
    var answer: @Sendable (Result<[SocketAddress], TransportFailure>) -> Void
  }

  private struct State {
    var jobs: [Job] = []
    var threads = 0
  }

  private static let mostThreads = 4
  static let shared = NameResolver()

  private let state = Locked(State())

  /// Calls `answer` on an unspecified thread.
  func lookUp(
    host: String, port: Int,
    _ answer: @escaping @Sendable (Result<[SocketAddress], TransportFailure>) -> Void
  ) {
    let job = Job(host: host, port: port, answer: answer)
    let needsThread = state.withLock { state in
      state.jobs.append(job)
      guard state.threads < Self.mostThreads else { return false }
      state.threads += 1
      return true
    }
    guard needsThread else { return }
    if let failure = NamedThread.start("gpsd-names", { self.work() }) {
      // No thread for it; what others do not take is answered here.
      let orphans = state.withLock { state in
        state.threads -= 1
        guard state.threads == 0 else { return [Job]() }
        defer { state.jobs = [] }
        return state.jobs
      }
      for orphan in orphans { orphan.answer(.failure(.system(errno: failure))) }
    }
  }

  private func work() {
    while let job = next() {
      job.answer(SocketAddress.lookUp(host: job.host, port: job.port, numericOnly: false))
    }
  }

  private func next() -> Job? {
    state.withLock { state -> Job? in
      if state.jobs.isEmpty {
        state.threads -= 1
        return nil
      }
      return state.jobs.removeFirst()
    }
  }
}
