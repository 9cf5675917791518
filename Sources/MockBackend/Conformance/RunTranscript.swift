import AsyncLocation
import FoundationEssentials

/// Checks the events of one run and records violations of the rules. Performs no I/O.
struct RunTranscript: Sendable {
  private(set) var violations: [BackendViolation] = []
  private(set) var locationCount = 0

  private let capabilities: BackendCapabilities
  private var callsInProgress = 0
  private var hasReturned = false
  private var phase: ConnectionState.Phase?

  init(capabilities: BackendCapabilities) { self.capabilities = capabilities }

  mutating func emissionBegan(_ events: [BackendEvent]) {
    if hasReturned {
      note(.staysSilentAfterReturn, "\(events.count) events were emitted after the run returned.")
    }
    if callsInProgress > 0 {
      note(.emitsOneAtATime, "emit was called while an earlier call had not returned.")
    }
    callsInProgress += 1
    for event in events { check(event) }
  }

  mutating func emissionEnded() { callsInProgress -= 1 }

  mutating func returned() {
    hasReturned = true
    if callsInProgress > 0 {
      note(.staysSilentAfterReturn, "The run returned while emit was being called.")
    }
  }

  private mutating func check(_ event: BackendEvent) {
    if let kind = event.kind, !capabilities.contains(kind) {
      note(
        .staysWithinCapabilities, "The capabilities do not name what was emitted: \(event.name).")
    }
    switch event {
    case .location(let location): check(location)
    case .connection(let state):
      if phase == nil, locationCount > 0 {
        note(.connectsBeforeLocations, "The first connection state came after a location.")
      }
      phase = state.phase
    case .heading, .satellites, .beacons, .unavailable, .authorization: break
    }
  }

  private mutating func check(_ location: Location) {
    locationCount += 1
    if let phase, phase != .connected {
      note(.connectsBeforeLocations, "A location came while the connection was \(phase).")
    }
    if location.latitude == 0, location.longitude == 0 {
      note(.emitsMeasuredLocations, "A location is at exactly 0° N 0° E; was it measured?")
    }
    // 1980-01-06 is the epoch of GPS time; earlier times, such as the Unix epoch 1970, are not
    // measured.
    if location.timestamp.timeIntervalSince1970 <= 315_964_800 {
      note(
        .emitsMeasuredLocations,
        "A location's time is not after the start of GPS time, 1980-01-06; was it measured?")
    }
  }

  mutating func note(_ violation: BackendViolation) {
    if !violations.contains(violation) { violations.append(violation) }
  }

  private mutating func note(_ rule: BackendViolation.Rule, _ message: String) {
    note(BackendViolation(rule, message))
  }
}

extension BackendEvent {
  fileprivate var name: String {
    switch self {
    case .location: "a location"
    case .heading: "a heading"
    case .satellites: "a view of the sky"
    case .beacons: "a report of beacons"
    case .unavailable: "no fix"
    case .connection: "a connection state"
    case .authorization: "an authorization"
    }
  }
}
