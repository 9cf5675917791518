import AsyncLocation

/// What is known of one source during a run.
struct SourceState: Sendable {
  /// Why a source is not run again during this run.
  enum End: Sendable {
    case returned
    case failed(LocationError)
    /// The source itself refuses access.
    case refused(LocationError)
  }

  let name: String
  let capabilities: BackendCapabilities
  /// Whether the policy of the source permits it to run.
  var isPermitted: Bool
  var end: End?
  var runs = RunStateMachine()
  /// The start of its current run.
  var started = Duration.zero
  /// The last demand that it was given.
  var demand: BackendDemand?
  var connection: ConnectionState?
  /// Whether it has reported since its last connection state.
  var hasReported = false
  var gate = FreshnessGate()
  var names: SourceNames
  var history: FixHistory
  /// The reason that it gave for having no fix, until its next fix.
  var unavailability: LocationError?

  init(name: String, capabilities: BackendCapabilities, isPermitted: Bool, fixTimeout: Duration) {
    (self.name, self.capabilities, self.isPermitted) = (name, capabilities, isPermitted)
    names = SourceNames(name)
    history = FixHistory(timeout: fixTimeout)
  }

  /// Whether it may run.
  var isAvailable: Bool { isPermitted && end == nil }

  /// Whether it runs and may deliver reports of a kind.
  func provides(_ kind: BackendCapabilities) -> Bool {
    isAvailable && runs.isRunning && capabilities.contains(kind)
  }

  func standing(at now: Duration) -> SourceSelection.Standing {
    guard isAvailable else { return .init(grade: .none, goodSince: nil) }
    return .init(grade: history.grade(at: now), goodSince: history.goodSince)
  }

  /// The phase of its connection; a source that reports is connected, even if it does not say so.
  var phase: ConnectionState.Phase? {
    guard runs.isRunning else { return nil }
    return hasReported ? .connected : connection?.phase ?? .connecting
  }

  /// What prevents its locations; nil if nothing is known to.
  var problem: LocationError? {
    switch end {
    case .failed(let error), .refused(let error): return error
    case .returned: return LocationError(.backendUnavailable, "The source has ended.")
    case nil: break
    }
    guard isPermitted else {
      return LocationError(.denied, "The policy of the source does not grant permission.")
    }
    return runs.isRunning ? connection?.problem : nil
  }

  /// The demand for this source; nil if it has nothing that is demanded.
  func demand(_ demand: BackendDemand) -> BackendDemand? {
    var own = demand
    own.kinds.formIntersection(capabilities)
    guard !own.kinds.isEmpty else { return nil }
    own.isPaused = demand.isPaused && capabilities.contains(.pausing)
    guard let devices = demand.devices else { return own }
    var receivers: Set<String> = []
    var selectsAny = false
    for selected in devices.compactMap(names.receiver) {
      switch selected {
      case .any: selectsAny = true
      case .named(let receiver): receivers.insert(receiver)
      }
    }
    guard selectsAny || !receivers.isEmpty else { return nil }
    own.devices = selectsAny ? nil : receivers
    return own
  }

  /// Forgets what belonged to the run that ended.
  mutating func runEnded() {
    (connection, hasReported, unavailability) = (nil, false, nil)
    history.interrupted()
  }
}

extension SourceState {
  /// The status with which the source or its policy refuses; nil if neither does.
  var refusal: AuthorizationStatus? {
    switch end {
    case .refused(let error): error.code == .restricted ? .restricted : .denied
    case .failed, .returned: nil
    case nil: isPermitted ? nil : .denied
    }
  }
}

extension SourceState.End {
  init(_ error: LocationError?) {
    guard let error else {
      self = .returned
      return
    }
    self = error.isRefusal ? .refused(error) : .failed(error)
  }
}

extension SourceState.End? {
  var isReturned: Bool {
    if case .returned? = self { true } else { false }
  }
}
