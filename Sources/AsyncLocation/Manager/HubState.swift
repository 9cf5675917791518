/// Everything that a manager knows and decides. The hub guards it and carries out its ``Effects``;
/// its extensions, a topic each, are all that touch what it holds.
struct HubState: Sendable {
  let capabilities: BackendCapabilities
  let asksByItself: Bool

  var fanOut = FanOut()
  var authorization = AuthorizationDesk()
  var requests = LocationDesk()
  var control = RunControl()
  var gate = FreshnessGate()
  var headingGate = FreshnessGate()
  var sessions = SessionDesk()
  var stationary = StationaryDetector()
  /// Makes locations coarse; there from the first decision that calls for it.
  var reducer: LocationReducer?
  var connection = ConnectionState(.idle)
  /// What the live streams were told last.
  var toldDiagnostics: LocationUpdate.Diagnostics = .serviceSessionRequired
  var lastLocation: Location?
  var lastHeading: Heading?
  var received: UInt64 = 0
  var discarded: UInt64 = 0
  var stale: UInt64 = 0
  var withheld: UInt64 = 0
  var isClosed = false

  init(capabilities: BackendCapabilities, asksByItself: Bool) {
    self.capabilities = capabilities
    self.asksByItself = asksByItself
  }

  var statistics: LocationManager.Statistics {
    LocationManager.Statistics(
      eventsReceived: received, eventsDiscarded: discarded, locationsStale: stale,
      reportsWithheld: withheld,
      elementsDelivered: fanOut.tally.delivered, elementsDropped: fanOut.tally.dropped,
      subscribers: fanOut.subscribers + sessions.subscribers, backendRuns: control.runs)
  }

  // MARK: The end

  /// Ends the streams of reports and the calls. Their demand and that of `others` goes at once: one
  /// after the other, what is left for a moment would look like a wish for another run.
  mutating func endReports(
    _ error: LocationError?, releasing others: [UInt64] = [], _ effects: inout Effects
  ) {
    let streams = fanOut.endReports(error, waking: &effects.wakes)
    let calls = requests.handle(.ended(error ?? .sourceEnded), &effects)
    release(streams + calls + others, &effects)
  }

  mutating func close(_ effects: inout Effects) {
    guard !isClosed else { return }
    isClosed = true
    authorization.close(&effects)
    let streams = fanOut.endReports(nil, waking: &effects.wakes)
    let calls = requests.handle(.ended(.managerShutDown), &effects)
    let live = fanOut.endLive(waking: &effects.wakes)
    fanOut.endStates(waking: &effects.wakes)
    control.permit(false, &effects)
    release(streams + calls + live, &effects)
    sessions.close(waking: &effects.wakes)
    (lastLocation, lastHeading) = (nil, nil)
  }

  /// Lets go of demands. When nobody wants anything any more, permission for once is over.
  mutating func release(_ holders: [UInt64], _ effects: inout Effects) {
    control.release(holders, &effects)
    if !control.isWanted, sessions.isEmpty { authorize(.demandEnded, &effects) }
  }

  mutating func waitUntilIdle(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
    control.waitUntilIdle(waiter)
  }
}

extension LocationError {
  fileprivate static var sourceEnded: Self {
    Self(.locationUnknown, "The source of positions ended before it gave an acceptable location.")
  }
}
