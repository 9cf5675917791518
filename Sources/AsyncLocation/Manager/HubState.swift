/// Everything that a manager knows and decides. The hub guards it and carries out its ``Effects``;
/// its extensions, a topic each, are all that touch what it holds.
struct HubState: Sendable {
  let capabilities: BackendCapabilities
  let asksByItself: Bool
  /// Whether the policy's reports say everything that is in force.
  let reportsEveryDecision: Bool

  var fanOut: FanOut
  var authorization = AuthorizationRequests()
  var requests = LocationRequests()
  var control = RunControl()
  var gate = FreshnessGate()
  var headingGate = FreshnessGate()
  var sessions = ServiceSessionTable()
  var stationary = StationaryDetector()
  /// Decides when the policy's decisions take effect.
  var reduction = ReductionGate()
  /// Makes locations coarse; nil until the key is read that the first reduction calls for.
  var reducer: LocationReducer?
  /// Reads the key.
  var keyTask: Task<Void, Never>?
  /// How many decisions the policy has reported.
  var policyReports: UInt64 = 0
  /// True until the policy has reported what is in force.
  var awaitsFirstReport: Bool
  var firstReportWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  /// How the source stands, by the backend's account.
  var connection = ConnectionState(.idle)
  /// The same with the devices that subscribers name and the source lacks; this is published.
  var publishedConnection = ConnectionState(.idle)
  var missingDevices: [String] = []
  var missingDeviceIDs: Set<DeviceID> = []
  /// Devices that were missing and reported nevertheless.
  var heardDevices: Set<DeviceID> = []
  /// Why the receiver has no fix.
  var unavailability: Unavailability?
  /// What the live streams were told last.
  var toldDiagnostics: LocationUpdate.Diagnostics = .serviceSessionRequired
  var lastLocation: Location?
  var lastHeading: Heading?
  /// The last location before accuracy was reduced, until it can be made coarse. Nobody sees it.
  var unreducedLocation: Location?
  var received: UInt64 = 0
  var discarded: UInt64 = 0
  var stale: UInt64 = 0
  var withheld: UInt64 = 0
  var isClosed = false

  init(
    capabilities: BackendCapabilities, asksByItself: Bool, reportsEveryDecision: Bool = false,
    gate: DeliveryGate = DeliveryGate()
  ) {
    self.capabilities = capabilities
    self.asksByItself = asksByItself
    fanOut = FanOut(gate)
    self.reportsEveryDecision = reportsEveryDecision
    awaitsFirstReport = reportsEveryDecision
  }

  var statistics: LocationManager.Statistics {
    let tally = fanOut.gate.tally
    return LocationManager.Statistics(
      eventsReceived: received, eventsDiscarded: discarded, locationsStale: stale,
      reportsWithheld: withheld,
      elementsDelivered: tally.delivered, elementsDropped: tally.dropped,
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
    namedDevicesChanged(&effects)
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
    (lastLocation, lastHeading, unreducedLocation) = (nil, nil, nil)
    forgetUnavailability(&effects)
    closePolicy(&effects)
  }

  // MARK: Demand

  /// Whether there is demand: a stream of reports, a call that waits for a location, or a session.
  /// Streams of states and of diagnostics are none, nor is a call that is answered at once.
  var isInDemand: Bool { control.isWanted || !sessions.isEmpty }

  /// Ends the demands of streams and calls; those that hold none may be among them.
  mutating func release(_ holders: [UInt64], _ effects: inout Effects) {
    endDemand(&effects) { $0.control.release(holders, &$1) }
  }

  /// Permission for once lapses when demand becomes empty, not whenever it is.
  mutating func endDemand(
    _ effects: inout Effects, _ end: (inout Self, inout Effects) -> Void
  ) {
    let wasInDemand = isInDemand
    end(&self, &effects)
    if wasInDemand, !isInDemand { authorize(.demandEnded, &effects) }
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
