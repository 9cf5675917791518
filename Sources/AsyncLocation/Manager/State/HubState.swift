/// The manager's complete state. The hub guards it and performs the ``Effects`` of its decisions.
/// Only its extensions, one per topic, access it.
struct HubState: Sendable {
  let capabilities: BackendCapabilities
  let asksByItself: Bool
  /// Whether the policy reports every decision that is in force.
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
  /// Reduces locations; nil until the key is read, which the first reduced decision triggers.
  var reducer: LocationReducer?
  /// The task that reads the key.
  var keyTask: Task<Void, Never>?
  /// The number of decisions that the policy has reported.
  var policyReports: UInt64 = 0
  /// True until the policy has reported what is in force.
  var awaitsFirstReport: Bool
  var firstReportWaiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
  /// The state of the connection as the backend reported it.
  var connection = ConnectionState(.idle)
  /// The published state: ``connection`` plus the devices that subscribers name and the source
  /// lacks.
  var publishedConnection = ConnectionState(.idle)
  var missingDevices: [String] = []
  var missingDeviceIDs: Set<DeviceID> = []
  /// Devices that the source does not list but that have reported.
  var reportedDevices: Set<DeviceID> = []
  /// Why the receiver has no fix.
  var unavailability: Unavailability?
  /// The diagnostics last reported to the live streams.
  var reportedDiagnostics: LocationUpdate.Diagnostics = .serviceSessionRequired
  var lastLocation: Location?
  var lastHeading: Heading?
  /// The last location before accuracy was reduced, kept until the key is read. Never delivered.
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

  // MARK: Ending

  /// Ends the streams of reports and the calls, and releases their demand and that of `others` in
  /// one step. Released one by one, the remaining demand would start another run.
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

  mutating func waitUntilIdle(_ waiter: CheckedContinuation<Void, Never>) -> Bool {
    control.waitUntilIdle(waiter)
  }
}

extension LocationError {
  fileprivate static var sourceEnded: Self {
    Self(.locationUnknown, "The location source ended before it delivered an acceptable location.")
  }
}
