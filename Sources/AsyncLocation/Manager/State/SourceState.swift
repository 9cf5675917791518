/// The reason why the receiver has no fix, and the run that reported it.
struct Unavailability: Sendable {
  let reason: LocationError
  let run: RunStateMachine.RunID
}

/// The known state of the source: its connection, the devices that subscribers name and the source
/// lacks, and the reason why its receiver has no fix.
struct SourceState: Sendable {
  /// The state of the connection as the backend reported it.
  private(set) var connection = ConnectionState(.idle)
  /// The published state: ``connection`` plus the devices that subscribers name and the source
  /// lacks.
  private(set) var publishedConnection = ConnectionState(.idle)
  private(set) var unavailability: Unavailability?
  private var missingDevices: [String] = []
  private var missingDeviceIDs: Set<DeviceID> = []
  /// Devices that the source does not list but that have reported.
  private var reportedDevices: Set<DeviceID> = []

  // MARK: The connection. Each change returns the state to publish, or nil if it is the same.

  /// - Parameter named: The devices that subscribers name.
  mutating func connectionChanged(
    to state: ConnectionState, named: [String], _ effects: inout Effects
  ) -> ConnectionState? {
    guard state != connection else { return nil }
    if state.phase != connection.phase || state.devices != connection.devices {
      reportedDevices = []
    }
    effects.retired.append(connection)
    connection = state
    return updatePublishedState(named: named)
  }

  /// Compares the devices that subscribers name with those of the source.
  mutating func namedDevicesChanged(to named: [String]) -> ConnectionState? {
    guard connection.missing(of: named, besides: reportedDevices) != missingDevices else {
      return nil
    }
    return updatePublishedState(named: named)
  }

  /// True when a report of this origin comes from a device that counts as missing.
  @inline(__always)
  func countsAsMissing(_ origin: SourceInformation?) -> Bool {
    !missingDevices.isEmpty && missingDeviceIDs.contains(origin.deviceID)
  }

  /// Records that a missing device reports, so that it is present whether or not the source lists
  /// it.
  mutating func reported(_ origin: SourceInformation?, named: [String]) -> ConnectionState? {
    reportedDevices.insert(origin.deviceID)
    return updatePublishedState(named: named)
  }

  /// Updates the missing devices and the published state.
  private mutating func updatePublishedState(named: [String]) -> ConnectionState? {
    missingDevices = connection.missing(of: named, besides: reportedDevices)
    // Excludes `none`, the identifier of every receiver without a name.
    missingDeviceIDs = Set(missingDevices.map { DeviceID($0) }).subtracting([.none])
    let state = connection.lacking(missingDevices)
    let hasChanged = state != publishedConnection
    // Assigned even when equal, since `==` ignores causes: the published errors are then those of
    // `connection`, which are freed outside the lock.
    publishedConnection = state
    return hasChanged ? state : nil
  }

  // MARK: The receiver's reason

  /// Replaces the reason why the receiver has no fix. Returns false if there was none and there is
  /// none now.
  mutating func setUnavailability(_ new: Unavailability?, _ effects: inout Effects) -> Bool {
    let old = unavailability
    unavailability = new
    if let old { effects.retiredErrors.append(old.reason) }
    return old != nil || new != nil
  }
}

extension ConnectionState {
  /// The named devices that the source lacks; empty while the source has not reported its devices.
  fileprivate func missing(of named: [String], besides reported: Set<DeviceID>) -> [String] {
    guard phase == .connected, let devices, !named.isEmpty else { return [] }
    return named.filter { name in
      !devices.contains(name) && (reported.isEmpty || !reported.contains(DeviceID(name)))
    }
  }

  /// True while connected to a source that lacks a requested device, and after the run failed
  /// because of it.
  var lacksDevice: Bool { problem?.code == .deviceUnknown }

  /// The same state with the missing devices as its problem.
  fileprivate func lacking(_ missing: [String]) -> Self {
    guard !missing.isEmpty, let devices, problem?.code != .deviceUnknown else { return self }
    return Self(
      phase, endpoint: endpoint, attempts: attempts, retryDelay: retryDelay,
      problem: .deviceUnknown(missing, at: endpoint, having: devices, cause: problem),
      receivers: receivers, preferredReceiver: preferredReceiver, devices: devices)
  }
}
