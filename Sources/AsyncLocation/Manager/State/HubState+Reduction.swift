/// Reduces locations, and waits while the reduced locations are chosen and stored.
extension HubState {
  /// Delivers the reduced location for a location, now or when it is chosen.
  mutating func reduce(
    _ location: borrowing Location, from run: RunStateMachine.RunID, at arrival: Arrival,
    _ effects: inout Effects
  ) {
    guard let tracks = known.tracks else { return intake.countWithheld() }
    if let reduced = known.reduce(copy location) {
      return deliver(reduced, at: arrival, &effects)
    }
    // A fix has arrived, so the source is available. If the source reports that it is unavailable
    // before the choice is made, that report stays in force.
    if location.sourceInformation.isPreferred { setUnavailability(nil, &effects) }
    let pending = PendingReductions.Pending(location: copy location, run: run, arrival: arrival)
    switch reductions.add(pending) {
    case .choose: effects.choices.append(ReductionChoice(location: copy location, tracks: tracks))
    case .wait: break
    case .replace: intake.countWithheld()
    }
  }

  /// Reduces the last location from before accuracy was reduced, now or when its reduced location
  /// is chosen.
  mutating func reduceKnown(_ effects: inout Effects) {
    known.reduceKnown()
    guard let location = known.unreducedLocation, let tracks = known.tracks,
      reductions.begin(location.sourceInformation.deviceID)
    else { return }
    effects.choices.append(ReductionChoice(location: location, tracks: tracks))
  }

  /// Whether the choice of a receiver's reduced location is still needed.
  func isWanted(_ device: DeviceID) -> Bool {
    !isClosed && isReduced
      && (reductions.isWaiting(device)
        || known.unreducedLocation?.sourceInformation.deviceID == device)
  }

  /// Handles the choice of a receiver's reduced location: delivers the location that waited for it.
  mutating func choiceWasMade(for device: DeviceID, isStored: Bool, _ effects: inout Effects) {
    if !isStored { intake.countUnstored() }
    let pending = reductions.end(device)
    // Runs last: the location may wait for another choice, and the run ends after the location.
    defer { reductions.resumeWaiters(&effects) }
    guard !isClosed, isReduced else { return }
    reduceKnown(&effects)
    guard let pending else { return }
    guard control.isCurrent(pending.run) else { return intake.countDiscarded(1) }
    let unavailability = source.unavailability
    reduce(pending.location, from: pending.run, at: pending.arrival, &effects)
    // For a live stream, the location means that the source is available again.
    fanOut.locations.flushLive(waking: &effects.wakes)
    if let unavailability {
      setUnavailability(unavailability, &effects)
    } else if diagnostics.contains(.locationUnavailable) {
      fanOut.locations.notify(diagnostics, waking: &effects.wakes)
    }
    fanOut.seal(at: pending.arrival.instant, to: &effects.deliveries, waking: &effects.wakes)
    applyPauses(&effects)
    feed.flush(&effects.events)
  }
}

/// A reduced location to choose and store.
struct ReductionChoice: Sendable {
  let location: Location
  let tracks: ReducedTracks
}
