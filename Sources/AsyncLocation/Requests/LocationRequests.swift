/// A location that answers a call, and the stamp of the permission under which it was given.
struct StampedLocation: Sendable {
  let location: Location
  let stamp: DeliveryStamp
}

/// Stores the callers that wait for one location.
struct LocationRequests: Sendable {
  typealias Call = PendingCall<StampedLocation>

  private struct Request: Sendable {
    var machine: OneShotStateMachine
    var call = Call()
    var isOpen = true
  }

  private var requests: [UInt64: Request] = [:]
  private let gate: DeliveryGate

  init(_ gate: DeliveryGate = DeliveryGate()) { self.gate = gate }

  var isEmpty: Bool { requests.isEmpty }
  /// The number of calls without an answer.
  var openCalls: Int { requests.values.reduce(0) { $0 + ($1.isOpen ? 1 : 0) } }

  mutating func open(_ id: UInt64, _ machine: OneShotStateMachine) {
    requests[id] = Request(machine: machine)
  }

  /// Sends an event to one request; returns true if the event ended the call.
  mutating func handle(
    _ id: UInt64, _ event: OneShotStateMachine.Event, resuming resumptions: inout [Call.Resumption]
  ) -> Bool {
    guard let isOpen = requests[id]?.isOpen, isOpen,
      let action = requests[id]?.machine.handle(event)
    else { return false }
    switch action {
    case .none: return false
    case .answer(let location):
      let stamp = gate.stamp(isPrecise: !location.isReduced)
      resolve(
        id, .success(StampedLocation(location: location, stamp: stamp)), resuming: &resumptions)
    case .fail(let error): resolve(id, .failure(error), resuming: &resumptions)
    }
    return true
  }

  /// Sends an event to every request, in the order of the calls; returns the calls that the event
  /// ended.
  mutating func handle(
    _ event: OneShotStateMachine.Event, resuming resumptions: inout [Call.Resumption]
  ) -> [UInt64] {
    requests.keys.sorted().filter { handle($0, event, resuming: &resumptions) }
  }

  /// Ends a call with a `CancellationError`. Returns false if the call has ended already.
  mutating func cancel(_ id: UInt64, resuming resumptions: inout [Call.Resumption]) -> Bool {
    guard requests[id]?.isOpen == true else { return false }
    resolve(id, .failure(CancellationError()), resuming: &resumptions)
    return true
  }

  /// Sets the caller of a call.
  ///
  /// - Returns: The resumption to perform if the call has its result already; nil if it waits.
  mutating func wait(
    _ id: UInt64, _ caller: Call.Caller, _ rest: TaskRest? = nil
  ) -> Call.Resumption? {
    let resumption = requests[id]?.call.wait(caller, rest)
    if resumption != nil { requests[id] = nil }
    return resumption
  }

  private mutating func resolve(
    _ id: UInt64, _ result: Result<StampedLocation, any Error>,
    resuming resumptions: inout [Call.Resumption]
  ) {
    requests[id]?.isOpen = false
    guard let resumption = requests[id]?.call.resolve(result) else { return }
    requests[id] = nil
    resumptions.append(resumption)
  }
}
