import AsyncLocation

@testable import GPSDBackend
@testable import LocationTransport

/// A network and a clock under the test's control. Except for `submit`, it must be used only by its
/// test, sequentially.
final class FakeTransport: Transport {
  final class FakeConnection: Connection {
    let handler: any ConnectionHandler
    private(set) var sent = ""
    private(set) var isClosed = false

    init(_ handler: any ConnectionHandler) { self.handler = handler }

    func send(_ bytes: [UInt8]) { sent += String(decoding: bytes, as: UTF8.self) }
    func close() { isClosed = true }

    func receive(_ text: some StringProtocol) {
      let bytes = Array(text.utf8)
      handler.connectionReceived(bytes.span)
    }
  }

  private struct Work { var jobs: [@Sendable () -> Void] = [] }

  private let work = Locked(Work())
  // SAFETY: used only by the test that owns it, sequentially.
  nonisolated(unsafe) private(set) var time = Duration.zero
  nonisolated(unsafe) private var timers = TimerHeap()
  let workspace = Workspace()
  nonisolated(unsafe) private(set) var connections: [FakeConnection] = []
  nonisolated(unsafe) var addresses: Result<[SocketAddress], TransportFailure> = .success([
    SocketAddress(family: 2, bytes: [])
  ])

  var isCurrent: Bool { true }

  func submit(_ job: @escaping @Sendable () -> Void) { work.withLock { $0.jobs.append(job) } }

  /// Runs the submitted jobs, and those that they submit.
  func settle() {
    while true {
      let jobs = work.withLock { work in
        defer { work.jobs = [] }
        return work.jobs
      }
      if jobs.isEmpty { return }
      for job in jobs { job() }
    }
  }

  /// Advances the clock and fires due timers, each at its time.
  func advance(by span: Duration) {
    let end = time + span
    while let next = timers.next(), next <= end {
      time = max(time, next)
      timers.popDue(at: time)?()
    }
    time = end
  }

  /// The deadline of the next timer; nil if none is armed.
  func nextTimer() -> Duration? { timers.next() }

  func now() -> Duration { time }
  func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
    timers.insert(at: instant, action)
  }
  func postpone(_ timer: TimerID, to instant: Duration) { timers.postpone(timer, to: instant) }
  func cancel(_ timer: TimerID) { timers.cancel(timer) }

  /// Answers through a timer that is due at once.
  func resolve(
    host: String, port: Int,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) -> LookupID {
    let id = timers.insert(at: time) { [self] in answer(addresses) }
    return LookupID(rawValue: id.rawValue)
  }
  func cancel(_ lookup: LookupID) { timers.cancel(TimerID(rawValue: lookup.rawValue)) }

  func open(_ address: SocketAddress, handler: any ConnectionHandler) -> any Connection {
    let connection = FakeConnection(handler)
    connections.append(connection)
    return connection
  }
}
