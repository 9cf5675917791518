import FoundationEssentials

/// Follows permission: suspends conditions, and withholds what an earlier permission allowed.
extension Monitor {
  /// The current state of a condition, unless permission was withdrawn since it was determined.
  func permittedState(for identifier: String) -> State? {
    manager.hub.gate.admits(seenPermission) ? machine.state(for: identifier) : nil
  }

  /// A record, and the permission that must still cover its received beacon: there may be a withdrawal
  /// that this monitor has not seen, and it may be before the first answer.
  func stampedRecord(for identifier: String) -> (Record, DeliveryStamp)? {
    machine.record(for: identifier).map { ($0, seenPermission) }
  }

  /// Permission changed, or is known for the first time.
  func authorizationChanged(_ authorization: Authorization) async {
    guard !isClosed else { return }
    let isDetermined = authorization.status != .notDetermined
    await store(obeyPermission(isDetermined: isDetermined))
    if isDetermined { queue.release() }
  }

  /// Suspends and withholds what permission does not cover.
  func obeyPermission(isDetermined: Bool) -> [MonitorChange] {
    var changes = suspendIfWithdrawn(at: now())
    if isDetermined {
      // Locations report it too, but with the next fix.
      let reasons = Diagnostics(suspending: manager.hub.permissionDiagnostics)
      if !reasons.isEmpty { changes += machine.suspend(because: reasons, at: now()) }
    }
    withholdEvents(isPermitted: !isWithheld)
    updateSources()  // Ranging ends with permission.
    return changes
  }

  /// Suspends what a withdrawal suspends, if there was one: permission may be there again.
  func suspendIfWithdrawn(at date: Date) -> [MonitorChange] {
    let gate = manager.hub.gate
    let earlier = seenPermission
    seenPermission = gate.stamp(isPrecise: true)
    guard !gate.admits(earlier) else { return [] }
    withholdPlaces()
    let reasons = Diagnostics(suspending: manager.hub.permissionDiagnostics)
    let earlierReason: Diagnostics =
      gate.admits(earlier.coarse) ? .accuracyLimited : .authorizationDenied
    return machine.suspend(because: reasons.isEmpty ? earlierReason : reasons, at: date)
  }

  /// Whether permission covers no place. Until it is determined, what an earlier process stored keeps
  /// its location, and waits.
  var isWithheld: Bool {
    manager.hub.currentAuthorization.status != .notDetermined && !manager.hub.permitsPrecise
  }

  /// Withholds data that reveals places: beacons of finished events, and the locations of the
  /// others.
  func withholdPlaces() {
    journal.withdraw(isStored: machine.forgetRefinements(), through: machine.lastNumber)
    withholdEvents(isPermitted: !isWithheld)
  }

  /// Withholds the locations of the events that permission no longer covers, in the storage too.
  func withholdEvents(isPermitted: Bool) {
    let gate = manager.hub.gate
    // Called for each write, so it must not visit all waiting events.
    if let earlier = checkedPermission, earlier.isPermitted == isPermitted,
      gate.admits(earlier.stamp), !queue.hasUncheckedPlaces
    {
      return
    }
    checkedPermission = (isPermitted, gate.stamp(isPrecise: true))
    let isChanged = queue.withhold(unless: { isPermitted && gate.admits($0) })
    if isChanged { journal.withdraw(isStored: true, through: machine.lastNumber) }
  }
}
