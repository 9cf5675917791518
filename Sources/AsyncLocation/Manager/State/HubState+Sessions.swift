/// Opens and ends service sessions.
extension HubState {
  mutating func openSession(
    _ id: UInt64, _ requirement: ServiceSession.AuthorizationRequirement, purpose: String?,
    _ effects: inout Effects
  ) {
    guard !isClosed else { return }
    retrySource(&effects)
    sessions.open(id, requirement, purpose: purpose, authorization.machine)
    switch requirement {
    case .none: break
    case .whenInUse: authorize(.requested(.whenInUse), &effects)
    case .always: authorize(.requested(.always), &effects)
    }
    askForFullAccuracy(&effects)
  }

  mutating func endSession(_ id: UInt64, _ effects: inout Effects) {
    endDemand(&effects) { $0.sessions.end(id, waking: &$1.wakes) }
  }
}
