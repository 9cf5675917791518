/// Why the receiver has no fix, and the run that reported it.
struct Unavailability: Sendable {
  let reason: LocationError
  let run: RunStateMachine.RunID
}

/// The state of the connection, and why there is no location.
extension HubState {
  mutating func connectionChanged(to state: ConnectionState, _ effects: inout Effects) {
    guard state != connection else { return }
    if state.phase != connection.phase || state.devices != connection.devices {
      reportedDevices = []
    }
    effects.retired.append(connection)
    connection = state
    publishConnection(&effects)
  }

  /// Compares the devices that subscribers name with those of the source.
  mutating func namedDevicesChanged(_ effects: inout Effects) {
    guard connection.missing(of: control.devices, besides: reportedDevices) != missingDevices else {
      return
    }
    publishConnection(&effects)
  }

  /// Records that a missing device reports, so that it is present whether or not the source lists
  /// it.
  mutating func recordDevice(_ source: SourceInformation?, _ effects: inout Effects) {
    let device = source.deviceID
    guard missingDeviceIDs.contains(device) else { return }
    reportedDevices.insert(device)
    publishConnection(&effects)
  }

  private mutating func publishConnection(_ effects: inout Effects) {
    missingDevices = connection.missing(of: control.devices, besides: reportedDevices)
    // Without `none`, the identifier of every receiver without a name.
    missingDeviceIDs = Set(missingDevices.map { DeviceID($0) }).subtracting([.none])
    let state = connection.lacking(missingDevices)
    let isChanged = state != publishedConnection
    // Assigned even when equal, since `==` ignores causes: its errors are then those of
    // `connection`, which are freed outside the lock.
    publishedConnection = state
    guard isChanged else { return }
    fanOut.publish(state, waking: &effects.wakes, retiring: &effects.retired)
    notifyDiagnostics(&effects)
  }

  // MARK: The receiver's reason

  /// Why the receiver has no fix, as it reported. Valid until the next delivered location or the
  /// next run.
  var reasonForNoFix: LocationError? {
    unavailability.flatMap { control.isLatest($0.run) ? $0.reason : nil }
  }

  mutating func becomeUnavailable(_ new: Unavailability, _ effects: inout Effects) {
    if let old = unavailability { effects.retiredErrors.append(old.reason) }
    unavailability = new
    notifyDiagnostics(&effects)
  }

  mutating func forgetUnavailability(_ effects: inout Effects) {
    guard let old = unavailability else { return }
    effects.retiredErrors.append(old.reason)
    unavailability = nil
    notifyDiagnostics(&effects)
  }
}

extension ConnectionState {
  /// The named devices that the source lacks; empty while the source has not reported its devices.
  func missing(of named: [String], besides reported: Set<DeviceID>) -> [String] {
    guard phase == .connected, let devices, !named.isEmpty else { return [] }
    return named.filter { name in
      !devices.contains(name) && (reported.isEmpty || !reported.contains(DeviceID(name)))
    }
  }

  /// True while connected to a source that lacks a requested device, and after the run failed
  /// because of it.
  var lacksDevice: Bool { problem?.code == .deviceUnknown }

  /// The same state with the missing devices as its problem.
  func lacking(_ missing: [String]) -> Self {
    guard !missing.isEmpty, let devices, problem?.code != .deviceUnknown else { return self }
    return Self(
      phase, endpoint: endpoint, attempts: attempts, retryDelay: retryDelay,
      problem: .deviceUnknown(missing, at: endpoint, having: devices, cause: problem),
      receivers: receivers, preferredReceiver: preferredReceiver, devices: devices)
  }
}
