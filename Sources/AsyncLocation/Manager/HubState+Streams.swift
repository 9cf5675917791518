/// Who joins and who leaves.
extension HubState {
  mutating func join(
    _ id: UInt64, _ channel: Channel<Location>, _ options: UpdateOptions, at now: Duration,
    _ effects: inout Effects
  ) {
    guard admit(channel, .locations, &effects) else { return }
    var filter = UpdateFilter(options)
    if options.maximumAge > .zero, let lastLocation,
      let instant = lastLocation.arrival?.instant, now - instant <= options.maximumAge,
      filter.admits(lastLocation, at: instant, accuracyCounts: !isReduced)
    {
      fanOut.tell(lastLocation, channel, waking: &effects.wakes)
    }
    fanOut.join(id, channel, filter)
    demand(options.demand, holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<Heading>, _ options: HeadingOptions,
    _ effects: inout Effects
  ) {
    guard admit(channel, .headings, &effects) else { return }
    fanOut.join(id, channel, HeadingFilter(options))
    demand(options.demand, holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<SatelliteView>, _ effects: inout Effects
  ) {
    guard admit(channel, .satellites, &effects) else { return }
    fanOut.join(id, channel)
    demand(BackendDemand(kinds: .satellites), holder: id, &effects)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<LocationUpdate>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    trySourceAgain(&effects)
    demand(BackendDemand(kinds: .locations), holder: id, &effects)
    fanOut.join(id, channel, told: diagnostics, waking: &effects.wakes)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<ConnectionState>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    fanOut.tell(connection, channel, waking: &effects.wakes)
    fanOut.join(id, channel)
  }

  mutating func join(
    _ id: UInt64, _ channel: Channel<Authorization>, _ effects: inout Effects
  ) {
    guard !isClosed else { return channel.finish(waking: &effects.wakes) }
    fanOut.tell(authorization.current, channel, waking: &effects.wakes)
    fanOut.join(id, channel)
  }

  mutating func leave(_ id: UInt64, _ stream: FanOut.Stream, _ effects: inout Effects) {
    fanOut.leave(id, stream, waking: &effects.wakes)
    release([id], &effects)
  }

  /// True when a new stream of reports may begin; else it is ended at once.
  private mutating func admit<Element>(
    _ channel: Channel<Element>, _ kind: BackendCapabilities, _ effects: inout Effects
  ) -> Bool {
    trySourceAgain(&effects)
    if isClosed {
      channel.finish(waking: &effects.wakes)
    } else if let refusal = authorization.machine.refusal {
      channel.finish(refusal, waking: &effects.wakes)
    } else if !capabilities.isSuperset(of: kind) {
      channel.finish(.unsupportedReports, waking: &effects.wakes)
    } else {
      return true
    }
    return false
  }

  /// Somebody wants reports: asks for permission when nobody did, and has the backend run.
  mutating func demand(
    _ demand: BackendDemand, holder: UInt64, _ effects: inout Effects
  ) {
    if asksByItself { authorize(.requested(.whenInUse), &effects) }
    control.hold(demand, holder: holder, &effects)
  }
}

extension LocationError {
  fileprivate static var unsupportedReports: Self {
    Self(.unsupported, "The backend does not make reports of this kind; see its capabilities.")
  }
}
