import AsyncLocation
import Glibc

/// Looks up hosts on its own threads, because `getaddrinfo` may block for long. Performs the
/// actions of ``LookupScheduler``.
///
/// Each running look-up uses one thread, 32 at most. Threads end when no host waits.
final class NameResolver: Sendable {
  typealias RequestID = LookupScheduler.RequestID
  typealias Answer = @Sendable (Result<[SocketAddress], TransportFailure>) -> Void
  /// Returns a host's addresses with port 0. Blocks.
  typealias LookUp = @Sendable (_ host: String) -> Result<[SocketAddress], TransportFailure>

  private struct Caller: Sendable {
    let port: Int
    let answer: Answer
  }

  private struct State {
    var scheduler: LookupScheduler
    var callers: [RequestID: Caller] = [:]
    var lastRequest: UInt64 = 0
  }

  static let shared = NameResolver()

  private let state: Locked<State>
  private let blockingLookUp: LookUp

  init(
    _ configuration: LookupScheduler.Configuration = LookupScheduler.Configuration(),
    lookUp: @escaping LookUp = { SocketAddress.lookUp(host: $0) }
  ) {
    state = Locked(State(scheduler: LookupScheduler(configuration)))
    blockingLookUp = lookUp
  }

  /// The current numbers of threads, waiting hosts and unanswered requests.
  var load: (threads: Int, waiting: Int, requests: Int) {
    state.withLock { state in
      let (waiting, requests) = state.scheduler.load
      return (state.scheduler.threads, waiting, requests)
    }
  }

  /// Calls `answer` once, on an unspecified thread and possibly before returning, unless the
  /// request is cancelled first.
  func lookUp(host: String, port: Int, _ answer: @escaping Answer) -> RequestID {
    let host = host.lowercased()
    let (id, admission) = state.withLock { state in
      state.lastRequest += 1
      let id = RequestID(rawValue: state.lastRequest)
      let admission = state.scheduler.request(id, host: host)
      if admission != .refuse { state.callers[id] = Caller(port: port, answer: answer) }
      return (id, admission)
    }
    switch admission {
    case .wait: break
    case .startThread: startThread()
    case .refuse: answer(.failure(.tooManyLookups))
    }
    return id
  }

  /// Cancels a request. Its look-up is dropped unless it is running or other requests wait for it.
  func cancel(_ id: RequestID) {
    let caller = state.withLock { state in
      state.scheduler.cancel(id)
      return state.callers.removeValue(forKey: id)
    }
    // Released after the lock: a deinitializer of the closure's captures may call this object.
    withExtendedLifetime(caller) {}
  }

  private func startThread() {
    guard let failure = NamedThread.start("location-names", { self.runLookUps() }) else { return }
    for caller in callers({ $0.threadFailed() }) {
      caller.answer(.failure(.system(errno: failure)))
    }
  }

  /// Looks up waiting hosts until none is left.
  private func runLookUps() {
    while let host = state.withLock({ $0.scheduler.next() }) {
      let result = blockingLookUp(host)
      for caller in callers({ $0.finish(host) }) {
        caller.answer(result.map { $0.map { $0.with(port: caller.port) } })
      }
    }
  }

  /// Removes and returns the callers of the requests that `decide` returns.
  private func callers(
    _ decide: (inout LookupScheduler) -> [RequestID]
  ) -> [Caller] {
    state.withLock { state in
      decide(&state.scheduler).compactMap { state.callers.removeValue(forKey: $0) }
    }
  }
}
