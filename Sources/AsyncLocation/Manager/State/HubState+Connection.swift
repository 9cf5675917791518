/// The state of the connection, and the reason why there is no location.
extension HubState {
  mutating func connectionChanged(to state: ConnectionState, _ effects: inout Effects) {
    publish(source.connectionChanged(to: state, named: control.devices, &effects), &effects)
  }

  /// Compares the devices that subscribers name with those of the source.
  mutating func namedDevicesChanged(_ effects: inout Effects) {
    publish(source.namedDevicesChanged(to: control.devices), &effects)
  }

  /// Records a report from a device that counts as missing.
  @inline(__always)
  mutating func recordDevice(_ origin: SourceInformation?, _ effects: inout Effects) {
    guard source.countsAsMissing(origin) else { return }
    publish(source.reported(origin, named: control.devices), &effects)
  }

  /// - Parameter state: The state of the connection, or nil if it did not change.
  private mutating func publish(_ state: ConnectionState?, _ effects: inout Effects) {
    guard let state else { return }
    fanOut.publish(state, waking: &effects.wakes, retiring: &effects.retired)
    feed.connectionChanged(to: state, &effects.events)
    notifyDiagnostics(&effects)
  }

  // MARK: The receiver's reason

  /// The receiver's reason for having no fix. Valid until the next delivered location or the next
  /// run.
  var reasonForNoFix: LocationError? {
    source.unavailability.flatMap { control.isLatest($0.run) ? $0.reason : nil }
  }

  mutating func setUnavailability(_ new: Unavailability?, _ effects: inout Effects) {
    if source.setUnavailability(new, &effects) { notifyDiagnostics(&effects) }
    if let new { feed.failed(new.reason, &effects.events) }
  }
}
