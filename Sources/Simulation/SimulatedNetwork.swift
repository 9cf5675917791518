import AsyncLocation
import GPSDBackend
import LocationTransport

/// A gpsd and its network, controlled by the world: it refuses connections, greets, reports, splits
/// and repeats reports, sends garbage, falls silent and hangs up. The backend receives all events
/// in order, as on its event loop thread.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedNetwork: Transport, @unchecked Sendable {
  final class SimulatedConnection: Connection {
    enum Phase { case opening, open, closed }

    let handler: any ConnectionHandler
    fileprivate(set) var phase = Phase.opening
    fileprivate(set) var sent = 0

    fileprivate init(_ handler: any ConnectionHandler) { self.handler = handler }

    func send(_ bytes: [UInt8]) { sent += bytes.count }
    func close() { phase = .closed }
  }

  private struct Timer {
    let id: TimerID
    var instant: Duration
    let action: () -> Void
  }

  let workspace = Workspace()
  private let clock: SimulatedClock
  private var jobs: [() -> Void] = []
  private var timers: [Timer] = []
  private var lookups: Set<LookupID> = []
  private var lastID: UInt64 = 0
  private(set) var connections: [SimulatedConnection] = []
  private(set) var isBusy = false
  /// Called when the backend submits work.
  var onUse: (() -> Void)?

  init(_ clock: SimulatedClock) { self.clock = clock }

  /// Whether the event loop has work and is not busy.
  var isReady: Bool { !jobs.isEmpty && !isBusy }
  var nextDeadline: Duration? { timers.map(\.instant).min() }
  /// Whether no timer, lookup or connection is left, as required after a run.
  var isQuiet: Bool {
    timers.isEmpty && lookups.isEmpty && connections.allSatisfy { $0.phase == .closed }
  }
  /// The connection that is opening or open.
  var connection: SimulatedConnection? { connections.last { $0.phase != .closed } }

  /// Runs the first job.
  func run() {
    guard isReady else { return }
    isBusy = true
    defer { isBusy = false }
    jobs.removeFirst()()
  }

  /// Enqueues the actions of the timers that are due.
  func timePassed() {
    let due = timers.filter { $0.instant <= clock.now.offset }
    for timer in due.sorted(by: { $0.instant < $1.instant }) {
      jobs.append { [self] in
        // The timer may have been cancelled, or its action may have been enqueued twice.
        guard let index = timers.firstIndex(where: { $0.id == timer.id }) else { return }
        timers.remove(at: index)
        timer.action()
      }
    }
  }

  // MARK: Operations of gpsd

  func accept() {
    guard let connection, connection.phase == .opening else { return }
    connection.phase = .open
    connection.handler.connectionOpened()
  }

  func refuse() {
    guard let connection, connection.phase == .opening else { return }
    connection.handler.connectionFailed(.system(errno: 111))  // ECONNREFUSED
  }

  func hangUp() {
    guard let connection, connection.phase == .open else { return }
    connection.handler.connectionClosed(nil)
  }

  func receive(_ text: String) {
    guard let connection, connection.phase == .open else { return }
    connection.handler.connectionReceived(text.utf8.span)
  }

  // MARK: Transport of the backend

  var isCurrent: Bool { isBusy }

  func submit(_ work: @escaping @Sendable () -> Void) {
    onUse?()
    jobs.append(work)
  }

  /// Enqueues an operation of the world on the event loop.
  func schedule(_ work: @escaping () -> Void) { jobs.append(work) }

  func now() -> Duration { clock.now.offset }

  func arm(at instant: Duration, _ action: @escaping () -> Void) -> TimerID {
    lastID += 1
    let id = TimerID(rawValue: lastID)
    timers.append(Timer(id: id, instant: instant, action: action))
    if instant <= clock.now.offset { timePassed() }
    return id
  }

  func postpone(_ timer: TimerID, to instant: Duration) {
    guard let index = timers.firstIndex(where: { $0.id == timer }) else { return }
    timers[index].instant = max(timers[index].instant, instant)
  }

  func cancel(_ timer: TimerID) { timers.removeAll { $0.id == timer } }

  func resolve(
    host: String, port: Int,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) -> LookupID {
    lastID += 1
    let id = LookupID(rawValue: lastID)
    lookups.insert(id)
    jobs.append { [self] in
      guard lookups.remove(id) != nil else { return }
      answer(.success([SocketAddress(family: 2, bytes: [])]))
    }
    return id
  }

  func cancel(_ lookup: LookupID) { lookups.remove(lookup) }

  func open(_ address: SocketAddress, handler: any ConnectionHandler) -> any Connection {
    let connection = SimulatedConnection(handler)
    connections.append(connection)
    return connection
  }
}
