import AsyncLocation

@testable import LocationTransport
@testable import NMEABackend

/// A clock and a port under the test's control. Except for `submit`, it must be used only by its test,
/// sequentially.
final class ManualTransport: Transport, PortOpening {
  private final class Port: SourcePort {
    func setSpeed(_ speed: SerialSpeed, _ answer: @escaping Answer) { answer(nil) }
    func close() {}
  }

  private final class NoConnection: Connection {
    func send(_ bytes: [UInt8]) {}
    func close() {}
  }

  private let jobs = Locked<[@Sendable () -> Void]>([])
  let workspace = Workspace()
  // SAFETY: used only by the test that owns it, sequentially.
  nonisolated(unsafe) private var time = Duration.seconds(1_000)
  nonisolated(unsafe) private var timers = TimerHeap()
  nonisolated(unsafe) private var handler: (any ConnectionHandler)?

  // MARK: The test

  /// Runs the submitted jobs until the port is open.
  func waitForPort() async {
    while handler == nil, !Task.isCancelled {
      settle()
      await Task.yield()
    }
  }

  private func settle() {
    let pending = jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
    for job in pending { job() }
  }

  /// Cancels a run, and runs the submitted jobs until it has ended.
  func finish(_ run: NMEARun) async {
    let hasEnded = Locked(false)
    async let end: Void = {
      await run.finish()
      hasEnded.withLock { $0 = true }
    }()
    while !hasEnded.withLock({ $0 }) {
      settle()
      await Task.yield()
    }
    await end
  }

  func receive(_ text: String) { handler?.connectionReceived(Array(text.utf8).span) }

  /// Advances the clock and fires due timers, each at its time.
  func advance(by span: Duration) {
    let end = time + span
    while let next = timers.next(), next <= end {
      time = max(time, next)
      timers.popDue(at: time)?()
    }
    time = end
  }

  // MARK: Transport

  var isCurrent: Bool { true }
  func submit(_ work: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(work) } }
  func now() -> Duration { time }
  func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
    timers.insert(at: instant, action)
  }
  func postpone(_ timer: TimerID, to instant: Duration) { timers.postpone(timer, to: instant) }
  func cancel(_ timer: TimerID) { timers.cancel(timer) }
  func resolve(
    host: String, port: Int,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) -> LookupID { LookupID(rawValue: 0) }
  func cancel(_ lookup: LookupID) {}
  func open(_ address: SocketAddress, handler: any ConnectionHandler) -> any Connection {
    NoConnection()
  }

  func open(
    _ source: NMEASource, speed: SerialSpeed?, handler: any ConnectionHandler,
    _ answer: @escaping SourcePort.Answer
  ) -> any SourcePort {
    self.handler = handler
    // Answers after the call, as a port does.
    _ = timers.insert(at: time) { answer(nil) }
    return Port()
  }
}
