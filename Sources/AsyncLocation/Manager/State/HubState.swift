/// The manager's complete state. The hub guards it and performs the ``Effects`` of its decisions.
///
/// Its extensions, one per topic, combine its parts. The state of each part is private to the part.
struct HubState: Sendable {
  let capabilities: BackendCapabilities
  let requestsImplicitly: Bool

  var intake: ReportIntake
  var fanOut: FanOut
  var known = KnownReports()
  var reductions = PendingReductions()
  var withdrawals = Withdrawals()
  /// The withdrawals that were applied to each storage. If a storage is evicted from this cache,
  /// more of its content is deleted than necessary.
  var appliedWithdrawals = RecentlyUsed<String, Withdrawals>(limit: 256)
  var source = SourceState()
  var policy: PolicyState
  var authorization = AuthorizationRequests()
  var sessions = ServiceSessionTable()
  var requests: LocationRequests
  var feed: EventFeed
  var eventServices = EventServiceState()
  var control = RunControl()
  private(set) var isClosed = false
  /// The diagnostics last reported to the live streams.
  private var lastDiagnostics: LocationUpdate.Diagnostics = .serviceSessionRequired

  init(
    capabilities: BackendCapabilities, requestsImplicitly: Bool, reportsEveryDecision: Bool = false,
    gate: DeliveryGate = DeliveryGate(), hostOffset: Double? = nil
  ) {
    intake = ReportIntake(hostOffset: hostOffset)
    self.capabilities = capabilities
    self.requestsImplicitly = requestsImplicitly
    fanOut = FanOut(gate)
    requests = LocationRequests(gate)
    feed = EventFeed(capabilities, gate)
    policy = PolicyState(reportsEveryDecision: reportsEveryDecision)
  }

  var statistics: LocationManager.Statistics {
    let tally = fanOut.gate.tally
    return LocationManager.Statistics(
      eventsReceived: intake.received, eventsDiscarded: intake.discarded,
      locationsStale: intake.stale, locationsSuspect: intake.suspect,
      locationsUnstored: intake.unstored,
      reportsWithheld: intake.withheld,
      elementsDelivered: tally.delivered, elementsDropped: tally.dropped,
      subscribers: fanOut.subscribers + sessions.subscribers + feed.subscribers,
      backendRuns: control.runs)
  }

  // MARK: Ending

  /// Ends the streams of reports and the calls, and releases their demand and that of `others` in
  /// one step. If they were released one by one, the remaining demand would start another run.
  mutating func endReports(
    _ error: LocationError?, releasing others: [UInt64] = [], _ effects: inout Effects
  ) {
    let streams = fanOut.endReports(error, waking: &effects.wakes)
    let calls = requests.handle(.ended(error ?? .sourceEnded), resuming: &effects.locations)
    release(streams + calls + others, &effects)
    namedDevicesChanged(&effects)
    applyPauses(&effects)
  }

  /// Ends everything except the observation of permission: a later withdrawal still applies to
  /// unread elements.
  mutating func close(_ effects: inout Effects) {
    guard !isClosed else { return }
    isClosed = true
    authorization.close(&effects)
    let streams = fanOut.endReports(nil, waking: &effects.wakes)
    let calls = requests.handle(.ended(.managerShutDown), resuming: &effects.locations)
    let live = fanOut.locations.endLive(waking: &effects.wakes)
    fanOut.endStates(waking: &effects.wakes)
    control.permit(false, &effects)
    closeEvents(&effects)
    release(streams + calls + live + [EventFeed.holder, EventFeed.requestHolder], &effects)
    sessions.close(waking: &effects.wakes)
    known.clear()
    setUnavailability(nil, &effects)
    closePolicy(&effects)
    fanOut.notifyFollowers(authorization.current, waking: &effects.wakes)
  }

  /// Ends everything, including the observation of permission. Unread elements are withdrawn,
  /// because a later loop could otherwise read them after permission was withdrawn.
  mutating func tearDown(_ effects: inout Effects) {
    close(&effects)
    fanOut.withdraw(preciseOnly: false)
    authorization.tearDown(&effects)
  }

  // MARK: Demand

  /// Whether there is demand: a stream of reports, a call that waits for a location, or a session.
  /// Streams of states and of a session's diagnostics, and calls answered at once, are not demand.
  var isInDemand: Bool { control.isWanted || !sessions.isEmpty }

  /// Releases the demand of streams and calls. Holders without demand are ignored.
  mutating func release(_ holders: [UInt64], _ effects: inout Effects) {
    endDemand(&effects) { $0.control.release(holders, &$1) }
  }

  /// Performs `end`. One-time permission lapses only on the transition from demand to no demand.
  mutating func endDemand(
    _ effects: inout Effects, _ end: (inout Self, inout Effects) -> Void
  ) {
    let wasInDemand = isInDemand
    end(&self, &effects)
    if wasInDemand, !isInDemand { authorize(.demandEnded, &effects) }
  }

  // MARK: Diagnostics

  /// Notifies live streams and sessions if their diagnostics changed.
  mutating func notifyDiagnostics(_ effects: inout Effects) {
    sessions.notify(authorization.machine, waking: &effects.wakes)
    let diagnostics = diagnostics
    guard diagnostics != lastDiagnostics else { return }
    lastDiagnostics = diagnostics
    fanOut.locations.notify(diagnostics, waking: &effects.wakes)
  }

  /// The known reasons why there is no location, or only a coarse one.
  var diagnostics: LocationUpdate.Diagnostics {
    let machine = authorization.machine
    var diagnostics = LocationUpdate.Diagnostics(machine)
    guard machine.permitsDelivery else { return diagnostics }
    switch source.connection.phase {
    case .waiting, .failed: diagnostics.insert(.locationUnavailable)
    case .idle, .connecting, .connected: break
    }
    if reasonForNoFix != nil { diagnostics.insert(.locationUnavailable) }
    if source.publishedConnection.lacksDevice { diagnostics.insert(.deviceUnknown) }
    return diagnostics
  }
}

extension LocationError {
  static var sourceEnded: Self {
    Self(.locationUnknown, "The location source ended before it delivered an acceptable location.")
  }
}
