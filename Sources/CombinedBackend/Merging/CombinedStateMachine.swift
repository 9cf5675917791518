import AsyncLocation

/// Decides which sources run, which of their reports are emitted, and when the run ends. Performs no
/// I/O; instants are durations on one monotonic clock.
struct CombinedStateMachine: Sendable {
  typealias RunID = RunStateMachine.RunID

  /// An event and the source whose permission it needs; nil if it reveals no position.
  struct Emission: Sendable, Hashable {
    let source: Int?
    let event: BackendEvent
  }

  enum Action: Sendable, Hashable {
    case emit(Emission)
    case start(Int, RunID, BackendDemand)
    case cancel(Int)
    /// The demand of a running source changed.
    case changeDemand(Int)
    /// Withdraw what a source that refuses access has delivered.
    case withdraw(Int, LocationError)
    /// End the run, with the error if there is one.
    case finish(LocationError?)
  }

  private let configuration: CombinedConfiguration
  private(set) var sources: [SourceState]
  private var demand: BackendDemand
  private var selection: SourceSelection
  /// What later runs need to know.
  private(set) var memory: SwitchMemory
  /// The start of the run, or the end of the last pause.
  private var resumed: Duration
  private var emittedConnection: ConnectionState?
  /// Whether the merged connection may have changed since it was emitted.
  private var isConnectionStale = true
  private var emittedUnavailability: LocationError?
  private var isOver = false

  /// - Parameters:
  ///   - sources: The names and capabilities, the most preferred first.
  ///   - permitted: The sources that their policies permit to run.
  ///   - refusals: The sources that have refused access a short time ago; they are tried only if all
  ///     have.
  ///   - memory: That of the previous run.
  init(
    _ sources: [(name: String, capabilities: BackendCapabilities)],
    _ configuration: CombinedConfiguration, _ demand: BackendDemand,
    permitted: Set<Int>, refusals: [Int: LocationError] = [:], memory: SwitchMemory,
    at now: Duration
  ) {
    self.configuration = configuration
    self.demand = demand
    self.sources = sources.enumerated().map { index, source in
      SourceState(
        name: source.name, capabilities: source.capabilities,
        isPermitted: permitted.contains(index), fixTimeout: configuration.fixTimeout)
    }
    selection = SourceSelection(returnDelay: configuration.returnDelay)
    self.memory = memory
    resumed = now
    if permitted.contains(where: { refusals[$0] == nil }) {
      for (source, error) in refusals { self.sources[source].end = .refused(error) }
    }
  }

  /// The source in force; nil before the first fix.
  var inForce: Int? { selection.inForce }

  /// The sources that have not ended.
  var remainingSources: Set<Int> { Set(sources.indices.filter { sources[$0].end == nil }) }

  // MARK: Events

  mutating func begin(at now: Duration) -> [Action] { settle([], at: now) }

  mutating func received(
    _ events: [BackendEvent], from source: Int, _ run: RunID, at now: Duration
  ) -> [Action] {
    var actions: [Action] = []
    for event in events {
      guard sources[source].runs.isCurrent(run), sources[source].isAvailable, !isOver else { break }
      receive(event, from: source, at: now, &actions)
    }
    return settle(actions, at: now)
  }

  /// A run of a source ended, with an error or by itself.
  mutating func ended(
    _ source: Int, _ run: RunID, _ error: LocationError?, at now: Duration
  ) -> [Action] {
    let endedByItself = sources[source].runs.isCurrent(run)
    sources[source].runEnded()
    isConnectionStale = true
    var actions: [Action] = []
    if endedByItself, sources[source].end == nil {
      end(source, SourceState.End(error), &actions)
    }
    let action = sources[source].runs.handle(.ended(run))
    return settle(actions + perform(action, of: source, at: now), at: now)
  }

  mutating func demandChanged(to demand: BackendDemand, at now: Duration) -> [Action] {
    if self.demand.isPaused, !demand.isPaused { resumed = now }
    self.demand = demand
    return settle([], at: now)
  }

  /// The policies permit other sources to run.
  mutating func permissionChanged(to permitted: Set<Int>, at now: Duration) -> [Action] {
    for index in sources.indices { sources[index].isPermitted = permitted.contains(index) }
    isConnectionStale = true
    return settle([], at: now)
  }

  mutating func timePassed(at now: Duration) -> [Action] { settle([], at: now) }

  /// The next instant at which time alone changes something; nil if there is none.
  func deadline(after now: Duration) -> Duration? {
    guard !isOver, !demand.isPaused, demand.kinds.contains(.locations) else { return nil }
    return sources.indices.flatMap { index -> [Duration] in
      guard sources[index].runs.isRunning else { return [] }
      let patience = sources[index].history.patience(from: start(of: index))
      return [sources[index].history.nextFall(after: now), patience].compactMap(\.self)
    }.filter { $0 > now }.min()
  }

  // MARK: Reports

  private mutating func receive(
    _ event: BackendEvent, from source: Int, at now: Duration, _ actions: inout [Action]
  ) {
    switch event {
    case .location(let location): receive(location, from: source, at: now, &actions)
    case .heading(let heading):
      reported(source, &actions, at: now)
      let origin = origin(of: heading.sourceInformation, source, .headings)
      guard let renamed = try? heading.with({ $0.sourceInformation = origin }) else { return }
      actions.append(.emit(Emission(source: source, event: .heading(renamed))))
    case .satellites(let view):
      reported(source, &actions, at: now)
      let origin = origin(of: view.sourceInformation, source, .satellites)
      guard
        let renamed = try? SatelliteView(
          timestamp: view.timestamp, satellites: view.satellites,
          dilutionOfPrecision: view.dilutionOfPrecision, sourceInformation: origin)
      else { return }
      actions.append(.emit(Emission(source: source, event: .satellites(renamed))))
    case .beacons(let report):
      reported(source, &actions, at: now)
      let renamed = BeaconReport(
        beacons: report.beacons,
        sourceInformation: origin(of: report.sourceInformation, source, .beacons))
      actions.append(.emit(Emission(source: source, event: .beacons(renamed))))
    case .unavailable(let reason):
      sources[source].unavailability = reason
      sources[source].history.interrupted()
      publishUnavailability(at: now, &actions)
    case .connection(let state):
      let wasConnected = sources[source].phase == .connected
      sources[source].connection = state
      sources[source].hasReported = false
      isConnectionStale = true
      if state.phase == .connected, !wasConnected { sources[source].gate.beginSession() }
      publishConnection(&actions)
    case .authorization(let status):
      guard status.refuses else { return }
      let code: LocationError.Code = status == .restricted ? .restricted : .denied
      // The problem of the connection is the reason, without its cause.
      let problem = sources[source].connection?.problem
      let reason = problem?.code == code ? problem?.message : nil
      end(
        source, .refused(LocationError(code, reason ?? "The source refuses access.")), &actions)
    @unknown default: return
    }
  }

  private mutating func receive(
    _ location: Location, from source: Int, at now: Duration, _ actions: inout [Action]
  ) {
    reported(source, &actions, at: now)
    guard sources[source].gate.admits(location, at: now) else { return }
    let isOwnPreference = location.sourceInformation?.isPreferred ?? true
    var isPreferred = false
    var accuracy = 0.0
    if isOwnPreference {
      located(location, by: source, at: now)
      publishConnection(&actions)
      let follows = memory.order.follows(location.timestampSeconds, from: source, at: now)
      let fix = SourceAgreement.Fix(location, at: now)
      isPreferred = selection.inForce == source && follows
      if isPreferred {
        accuracy = memory.agreement.located(fix, by: source)
        memory.order.delivered(location.timestampSeconds, from: source)
        emittedUnavailability = nil
      } else {
        memory.agreement.observed(fix, of: source)
      }
    }
    let origin = sources[source].names.renamed(
      location.sourceInformation, isPreferred: isPreferred)
    let renamed = try? location.with {
      $0.sourceInformation = origin
      if accuracy > $0.horizontalAccuracy ?? 0 { $0.horizontalAccuracy = accuracy }
    }
    guard let renamed else { return }
    actions.append(.emit(Emission(source: source, event: .location(renamed))))
  }

  private mutating func end(
    _ source: Int, _ end: SourceState.End, _ actions: inout [Action]
  ) {
    sources[source].end = end
    isConnectionStale = true
    // When all refuse, that is emitted instead.
    if case .refused(let error) = end, !isRefusedByAll { actions.append(.withdraw(source, error)) }
  }

  private mutating func located(_ location: Location, by source: Int, at now: Duration) {
    let isAcceptable =
      location.horizontalAccuracy.map { $0 <= configuration.acceptableAccuracy } ?? true
    sources[source].history.located(isAcceptable: isAcceptable, at: now)
    sources[source].unavailability = nil
    select(at: now)
  }

  /// The source reports, so it is connected.
  private mutating func reported(
    _ source: Int, _ actions: inout [Action], at now: Duration
  ) {
    guard sources[source].phase != .connected else { return }
    sources[source].hasReported = true
    isConnectionStale = true
    sources[source].gate.beginSession()
    publishConnection(&actions)
  }

  /// The origin of a report of another kind than locations, which is for all subscribers if its
  /// source is the one that provides the kind.
  private mutating func origin(
    of origin: SourceInformation?, _ source: Int, _ kind: BackendCapabilities
  ) -> SourceInformation {
    let provider =
      selection.inForce.flatMap { sources[$0].provides(kind) ? $0 : nil }
      ?? sources.firstIndex { $0.provides(kind) }
    return sources[source].names.renamed(origin, isPreferred: provider == source)
  }

  private mutating func select(at now: Duration) {
    let before = selection.inForce
    selection.update(sources.map { $0.standing(at: now) }, at: now)
    if selection.inForce != before { isConnectionStale = true }
  }

  // MARK: Consequences

  /// Selects, starts and stops sources, and publishes what has changed.
  private mutating func settle(_ before: [Action], at now: Duration) -> [Action] {
    guard !isOver else { return [] }
    var actions = before
    if !demand.isPaused { select(at: now) }
    let wanted = wanted(at: now)
    for index in sources.indices {
      let own = wanted.contains(index) ? sources[index].demand(demand) : nil
      let action = sources[index].runs.handle(.wanted(own != nil))
      actions += perform(action, of: index, at: now)
      if let own, sources[index].runs.isRunning, sources[index].demand != own {
        sources[index].demand = own
        actions.append(.changeDemand(index))
      }
    }
    publishConnection(&actions)
    publishUnavailability(at: now, &actions)
    end(&actions)
    return actions
  }

  private mutating func perform(
    _ action: RunStateMachine.Action, of source: Int, at now: Duration
  ) -> [Action] {
    switch action {
    case .none: return []
    case .cancel:
      sources[source].runEnded()
      isConnectionStale = true
      return [.cancel(source)]
    case .start(let run):
      // A run that was requested again while the previous one stopped may no longer be wanted.
      let own = sources[source].demand(demand) ?? demand
      sources[source].demand = own
      sources[source].started = now
      isConnectionStale = true
      sources[source].gate.beginSession()
      return [.start(source, run, own)]
    }
  }

  /// The instant from which a source is given time for its first fix.
  private func start(of source: Int) -> Duration { max(sources[source].started, resumed) }

  /// The sources that should run.
  private func wanted(at now: Duration) -> Set<Int> {
    let usable = sources.indices.filter {
      sources[$0].isAvailable && sources[$0].demand(demand) != nil
    }
    guard configuration.activation == .whenNeeded, demand.devices == nil else {
      return Set(usable)
    }
    var wanted: Set<Int> = []
    for kind in [BackendCapabilities.headings, .satellites, .beacons]
    where demand.kinds.contains(kind) {
      if let first = usable.first(where: { sources[$0].capabilities.contains(kind) }) {
        wanted.insert(first)
      }
    }
    guard demand.kinds.contains(.locations) else { return wanted }
    let locating = usable.filter { sources[$0].capabilities.contains(.locations) }
    if demand.isPaused {
      return wanted.union(locating.filter { sources[$0].runs.isRunning })
        .union(locating.prefix(1))
    }
    if let inForce, locating.contains(inForce) { wanted.insert(inForce) }
    for (position, index) in locating.enumerated() {
      wanted.insert(index)
      let later = locating[(position + 1)...]
      if suffices(index, besides: later.contains { sources[$0].runs.isRunning }, at: now) { break }
    }
    return wanted
  }

  /// Whether no source after this one is needed.
  ///
  /// - Parameter hasLater: Whether one already runs. It is then stopped only when this source has
  ///   proven itself.
  private func suffices(_ source: Int, besides hasLater: Bool, at now: Duration) -> Bool {
    let standing = sources[source].standing(at: now)
    if hasLater {
      return standing.grade == .acceptable && selection.isProven(standing, at: now)
    }
    guard standing.grade != .acceptable else { return true }
    guard sources[source].runs.isRunning else { return true }  // It is being started.
    return now < sources[source].history.patience(from: start(of: source))
  }

  private mutating func publishConnection(_ actions: inout [Action]) {
    guard isConnectionStale else { return }
    isConnectionStale = false
    let state = CombinedConnection.state(sources, inForce: selection.inForce)
    guard state != emittedConnection else { return }
    emittedConnection = state
    actions.append(.emit(Emission(source: nil, event: .connection(state))))
  }

  /// Reports the reasons for having no fix, if no source has one and a source has given a reason or
  /// has lost its fix.
  private mutating func publishUnavailability(at now: Duration, _ actions: inout [Action]) {
    guard !demand.isPaused,
      sources.allSatisfy({ $0.standing(at: now).grade == .none })
    else { return }
    let running = sources.filter(\.runs.isRunning)
    var reason = CombinedConnection.error(
      running.compactMap { source in source.unavailability.map { (source.name, $0) } })
    if reason == nil, let inForce,
      now >= sources[inForce].history.patience(from: start(of: inForce))
    {
      reason = LocationError(
        .locationUnknown, "\(sources[inForce].name) has no fix, and no other source has one.")
    }
    guard let reason, reason != emittedUnavailability else { return }
    emittedUnavailability = reason
    actions.append(.emit(Emission(source: nil, event: .unavailable(reason))))
  }

  /// Whether each source, or its policy, refuses. None is available then.
  private var isRefusedByAll: Bool { sources.allSatisfy { $0.refusal != nil } }

  /// Ends the run when no source is left.
  private mutating func end(_ actions: inout [Action]) {
    guard !sources.contains(where: \.isAvailable), sources.contains(where: { $0.end != nil })
    else { return }
    isOver = true
    if isRefusedByAll {
      let isRestricted = sources.allSatisfy { $0.refusal == .restricted }
      let status: AuthorizationStatus = isRestricted ? .restricted : .denied
      actions.append(.emit(Emission(source: nil, event: .authorization(status))))
      // All that was delivered is withdrawn, and must not influence what follows.
      memory = SwitchMemory(sourceCount: sources.count)
    }
    let failures = sources.filter { source in
      if case .returned? = source.end { false } else { true }
    }
    actions.append(
      .finish(
        failures.isEmpty
          ? nil
          : CombinedConnection.error(
            (failures + sources.filter { $0.end.isReturned }).compactMap { source in
              source.problem.map { (source.name, $0) }
            })))
  }
}
