import AsyncLocation
import FoundationEssentials
import LocationTransport

/// A run of the backend, or a question about permission, over connections to the bus. Confined to
/// the event loop's thread.
final class GeoClueSession: Session {
  private let loop: EventLoop
  private let address: String
  private let statistics: Locked<GeoClueStatistics>
  let outlet: GeoClueOutlet
  var state: SessionState<GeoClueStateMachine>
  private var bus: BusConnection?
  /// The latest demand. A change is also needed by later connections, and the state machine handles
  /// no events between connections.
  private var demand: GeoClueDemand
  /// Whether the bus has accepted the connection.
  private var isOpen = false
  /// The calls without an answer, by their cookies.
  private var calls: [UInt64: GeoClueStateMachine.Call] = [:]
  /// Counts the connections. A failure that was noticed during an event is reported after it, unless
  /// its connection was closed meanwhile.
  private var attempt = 0

  var transport: any Transport { loop }

  init(
    _ configuration: GeoClueConfiguration, purpose: GeoClueStateMachine.Configuration.Purpose,
    demand: GeoClueDemand, loop: EventLoop, statistics: Locked<GeoClueStatistics>,
    emit: @escaping GeoClueOutlet.Emit
  ) {
    (self.loop, self.demand) = (loop, demand)
    self.statistics = statistics
    address = configuration.busAddress
    outlet = GeoClueOutlet(statistics: statistics, isWatching: purpose == .watch, emit: emit)
    state = SessionState(
      GeoClueStateMachine(configuration.service(for: purpose), demand: demand),
      generator: SystemRandomNumberGenerator())
  }

  func changeDemand(to demand: GeoClueDemand) {
    self.demand = demand
    happened(.link(.demanded(demand)))
  }

  func perform(_ action: GeoClueStateMachine.Action) {
    switch action {
    case .open: open()
    case .call(let call): send(call)
    case .deliver(let location):
      guard let location = location.location(at: Date()) else { return count(.malformed) }
      statistics.withLock { $0.locations += 1 }
      outlet.append(.location(location))
    case .count(let kind): count(kind)
    }
  }

  private func count(_ kind: GeoClueStateMachine.Count) {
    statistics.withLock { statistics in
      switch kind {
      case .malformed: statistics.malformedMessages += 1
      case .superseded: statistics.supersededLocations += 1
      case .vanished: statistics.vanishedLocations += 1
      case .foreignSignal: statistics.foreignSignals += 1
      }
    }
  }

  private func open() {
    statistics.withLock { $0.attempts += 1 }
    do throws(BusFailure) {
      bus = try BusConnection(address, on: loop, handler: self)
    } catch {
      fail(error.errno)
    }
  }

  private func send(_ call: GeoClueStateMachine.Call) {
    guard let bus else { return }
    do throws(BusFailure) {
      calls[try bus.call(call.message)] = call
    } catch {
      fail(error.errno)
    }
  }

  /// Reports a failure after the current event, since the caller may be performing an action.
  private func fail(_ code: Int32) {
    let attempt = attempt
    _ = loop.arm(at: loop.now()) { [self] in
      if attempt == self.attempt { busFailed(code) }
    }
  }

  func close() {
    attempt += 1
    bus?.close()
    // The caller may be a callback of the connection, which is then destroyed after it.
    bus = nil
    isOpen = false
    calls = [:]
  }
}

extension GeoClueSession: BusConnectionHandler {
  func busOpened() {
    isOpen = true
    decide(.link(.demanded(demand)))
    decide(.link(.opened))
  }

  func busReceived(_ message: BusMessage) {
    switch message.kind {
    case .signal:
      decide(
        .link(
          .signalled(
            BusSignal(
              sender: message.sender, path: message.path, interface: message.interface,
              member: message.member, arguments: message.readArguments()))))
    case .answer:
      guard let call = answeredCall(message) else { return }
      decide(
        .link(
          .answered(call, sender: message.sender, arguments: message.readArguments())))
    case .error:
      guard let call = answeredCall(message) else { return }
      decide(.link(.refused(call, message.error ?? BusError(name: "", message: ""))))
    case .call, .other: break
    }
  }

  private func answeredCall(_ message: BusMessage) -> GeoClueStateMachine.Call? {
    message.answeredCookie.flatMap { calls.removeValue(forKey: $0) }
  }

  func busHandledMessages() { outlet.flush() }

  func busFailed(_ code: Int32) {
    happened(.link(.broke(.busFailed(state.endpoint, errno: code, isOpen: isOpen))))
  }
}
