import FoundationEssentials

/// Applies permission: suspends conditions, and withholds data of a permission that was withdrawn.
extension Monitor {
  /// The current state of a condition; nil if there is no such condition, and after a withdrawal of
  /// permission that this monitor has not processed yet.
  func permittedState(for identifier: String) -> State? {
    manager.hub.gate.admits(seenPermission) ? machine.state(for: identifier) : nil
  }

  /// A record, and the permission that must still cover its refinement. The caller checks the
  /// permission, because this monitor may not have processed a withdrawal yet, and permission may
  /// not be determined yet.
  func stampedRecord(for identifier: String) -> (Record, DeliveryStamp)? {
    machine.record(for: identifier).map { ($0, seenPermission) }
  }

  /// Called when permission changes, and with the first known permission.
  func authorizationChanged(_ authorization: Authorization) async {
    guard !isClosed else { return }
    let isDetermined = authorization.status != .notDetermined
    await store(applyPermission(isDetermined: isDetermined))
    if isDetermined { queue.release() }
  }

  /// Suspends conditions and withholds data that permission does not cover.
  func applyPermission(isDetermined: Bool) -> [MonitorChange] {
    var changes = suspendIfWithdrawn(at: now())
    if isDetermined {
      // Location updates report the same reasons, but only with the next fix.
      let reasons = Diagnostics(suspending: manager.hub.permissionDiagnostics)
      if !reasons.isEmpty { changes += machine.suspend(because: reasons, at: now()) }
    }
    withholdEvents(isPermitted: !isWithheld)
    updateSources()  // Ranging ended if permission was withdrawn; starts it again if permitted.
    return changes
  }

  /// Suspends all conditions if permission was withdrawn since the last check, even if it was
  /// granted again.
  func suspendIfWithdrawn(at date: Date) -> [MonitorChange] {
    let gate = manager.hub.gate
    let earlier = seenPermission
    seenPermission = gate.stamp(isPrecise: true)
    guard !gate.admits(earlier) else { return [] }
    withholdPlaces()
    let reasons = Diagnostics(suspending: manager.hub.permissionDiagnostics)
    // If permission was granted again, only the earlier stamp shows the reason of the withdrawal.
    let earlierReason: Diagnostics =
      gate.admits(earlier.coarse) ? .accuracyLimited : .authorizationDenied
    return machine.suspend(because: reasons.isEmpty ? earlierReason : reasons, at: date)
  }

  /// Whether permission is determined and covers no precise location. Until permission is
  /// determined, events that an earlier process stored keep their locations and wait.
  var isWithheld: Bool {
    manager.hub.currentAuthorization.status != .notDetermined && !manager.hub.permitsPrecise
  }

  /// Withholds data that reveals places: the beacons of finished events and the locations of
  /// unfinished events.
  func withholdPlaces() {
    journal.withdraw(isStored: machine.forgetRefinements(), through: machine.lastNumber)
    withholdEvents(isPermitted: !isWithheld)
  }

  /// Withholds the locations of the events that permission no longer covers, in the storage too.
  ///
  /// - Parameter isPermitted: False to withhold the locations of all events.
  func withholdEvents(isPermitted: Bool) {
    let gate = manager.hub.gate
    // This method is called for each write, so it must not always visit all waiting events.
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
