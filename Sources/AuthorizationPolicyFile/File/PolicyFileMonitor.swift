import AsyncLocation
import FileAccess
import FoundationEssentials

/// Reads and watches a policy file for all users of one policy, on its own thread.
///
/// The file is read and watched while there is an observer or a waiting request. All of them
/// receive the decisions of one ``PolicyFileStateMachine``, in the same order.
actor PolicyFileMonitor {
  typealias Report = @Sendable (AuthorizationChange) -> Void

  /// The interval in seconds at which the file is read when changes may go unnoticed.
  static let retryInterval = 1.0

  private struct Observer {
    let report: Report
    var lastReported: AuthorizationExplanation?
  }

  private let gracePeriod: Duration
  private let thread = FileThread(label: "AsyncLocation.policy")
  private let explainer: PolicyFileExplainer
  private let clock: WallClock
  private var machine = PolicyFileStateMachine()
  private var watch: PathWatch?
  /// The number of observers and waiting requests.
  private var users = 0
  private var observers: [UInt64: Observer] = [:]
  /// The channels of the waiting requests, signalled at each report.
  private var waiting: [UInt64: BoundedChannel<Void>] = [:]
  private var lastID: UInt64 = 0
  /// The number identifies the period: the end of a period that was stopped is ignored.
  private var gracePeriodTimer: (number: UInt64, task: Task<Void, Never>?) = (0, nil)
  /// Reads the file again without a change notification: when a rule expires, or to retry.
  private var timer: Task<Void, Never>?
  /// True after the key was unavailable: the next readings try to create it.
  private var makesKey = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  /// - Parameter gracePeriod: How long an error in the file must last before it denies everything.
  init(_ explainer: PolicyFileExplainer, gracePeriod: Duration, clock: WallClock) {
    (self.explainer, self.gracePeriod, self.clock) = (explainer, gracePeriod, clock)
  }

  // MARK: Users

  /// Reports the decision in force, and each later change, until cancelled.
  func observe(_ report: @escaping Report) async {
    let id = addUser()
    observers[id] = Observer(report: report)
    read()
    // While the file is in doubt, the decision reported to the others stays in force.
    if let last = machine.lastReported { self.report(last, to: id) }
    _ = try? await BoundedChannel<Void>(limit: 1).next()  // Until cancelled.
    observers[id] = nil
    await removeUser()
  }

  /// Returns the explanation in force. Waits if the file is in doubt and nothing was reported
  /// before. Returns nil if cancelled while it waits.
  func inForce() async -> AuthorizationExplanation? {
    let id = addUser()
    let channel = BoundedChannel<Void>(limit: 1)
    waiting[id] = channel
    read()
    while machine.lastReported == nil, (try? await channel.next()) != nil {}
    waiting[id] = nil
    let explanation = machine.lastReported
    await removeUser()
    return explanation
  }

  /// Explains the current file, even while it is in doubt. Writes nothing.
  func explanation() -> AuthorizationExplanation {
    explainer.reading(at: clock.now(), makesKey: false).explanation
  }

  /// Handles a failure to load the key. The managers then deny everything, so the decision in force
  /// is reported to them again once there is a key.
  func keyFailed() {
    guard users > 0 else { return }
    makesKey = true
    for id in observers.keys { observers[id]?.lastReported = nil }
    setTimer(.retry)
  }

  private func addUser() -> UInt64 {
    users += 1
    lastID += 1
    return lastID
  }

  /// Removes an observer or a waiting request. Stops watching after the last one.
  private func removeUser() async {
    users -= 1
    guard users == 0 else { return }
    // Later changes go unnoticed, so the last report is no longer valid.
    machine = PolicyFileStateMachine()
    makesKey = false
    stopGracePeriod()
    setTimer(.never)
    let closing = watch
    watch = nil
    await closing?.close()
  }

  // MARK: Reading

  private func read() {
    guard users > 0 else { return }
    if watch == nil {
      watch = PathWatch(on: thread) { [weak self] in self?.assumeIsolated { $0.read() } }
    }
    // Watch before reading, so that a change during the read is noticed.
    let isWatched =
      watch?.watch(PathWalk.steps(to: explainer.path), explainer.path) ?? false
    var reading = explainer.reading(at: clock.now(), makesKey: makesKey)
    reading.isWatched = isWatched
    if reading.problem == nil { makesKey = false }
    perform(machine.handle(.read(reading)))
  }

  private func perform(_ actions: [PolicyFileStateMachine.Action]) {
    for action in actions {
      switch action {
      case .report(let explanation): report(explanation)
      case .startGracePeriod: startGracePeriod()
      case .stopGracePeriod: stopGracePeriod()
      case .setTimer(let timer): setTimer(timer)
      case .read: read()
      }
    }
  }

  private func report(_ new: AuthorizationExplanation) {
    for id in observers.keys.sorted() { report(new, to: id) }
    var wakes = Wakes()
    for channel in waiting.values { _ = channel.push([()], waking: &wakes) }
    wakes.perform()
  }

  private func report(_ new: AuthorizationExplanation, to id: UInt64) {
    guard let observer = observers[id] else { return }
    observers[id]?.lastReported = new
    let old = observer.lastReported
    var changes: [AuthorizationChange] = []
    if old?.locationServicesEnabled != new.locationServicesEnabled {
      changes.append(.locationServices(enabled: new.locationServicesEnabled))
    }
    if old.map({ !$0.decidesAs(new) }) ?? true { changes.append(.decision(new.decision)) }
    // The old decision must not be in force while services are on again.
    if old?.locationServicesEnabled == false { changes.reverse() }
    for change in changes { observer.report(change) }
  }

  // MARK: Timers

  private func startGracePeriod() {
    gracePeriodTimer.number += 1
    gracePeriodTimer.task = Task {
      [clock, gracePeriod, number = gracePeriodTimer.number, weak self] in
      await clock.pause(gracePeriod)
      await self?.gracePeriodEnded(number)
    }
  }

  private func stopGracePeriod() {
    gracePeriodTimer.task?.cancel()
    gracePeriodTimer = (gracePeriodTimer.number + 1, nil)
  }

  private func gracePeriodEnded(_ number: UInt64) {
    guard number == gracePeriodTimer.number else { return }  // It was stopped.
    perform(machine.handle(.gracePeriodEnded))
  }

  private func setTimer(_ new: PolicyFileStateMachine.Timer) {
    timer?.cancel()
    timer = nil
    let date: Date
    switch new {
    case .never: return
    case .at(let expiry): date = expiry
    case .retry: date = clock.now().addingTimeInterval(Self.retryInterval)
    }
    timer = Task { [clock, weak self] in
      await clock.wait(date)
      if !Task.isCancelled { await self?.read() }
    }
  }
}
