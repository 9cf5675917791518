/// Core Location's older region API, implemented with a ``Monitor`` in memory.
extension LocationManager {
  /// Starts to monitor a region, which replaces the one with its identifier. If both have the same
  /// area or beacon, the state is kept; otherwise, waiting events of the replaced region are not
  /// reported for the new one.
  ///
  /// While regions are monitored, there is demand for locations, and ``regionEvents`` reports
  /// crossings. The initial state is not reported as a crossing; ``requestState(for:)`` reports it.
  /// A crossing also reveals the state before it. If the permission for that state was withdrawn
  /// since, the crossing is reported only if all streams have read the state. There is no limit on
  /// the number of regions. They are not stored: a new process starts without them.
  ///
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` for a radius or an
  ///   identifier that is out of bounds.
  public func startMonitoring(for region: Region) async throws(LocationError) {
    if let refusal = hub.use(.startMonitoring) { throw refusal }
    try await regions.start(region)
  }

  /// Stops monitoring the region with this identifier. Earlier crossings may still be delivered.
  public func stopMonitoring(for region: Region) async {
    if hub.use(.stopMonitoring) == nil { await regions.stop(region) }
  }

  /// Requests ``RegionEvent/didDetermineState(_:_:)`` for a region. It is reported at once if the
  /// state is known, otherwise once the state is determined, even if permission is withdrawn and
  /// granted again in between. The state of a region that is not monitored is
  /// ``RegionState/unknown``.
  public func requestState(for region: Region) async {
    if hub.use(.requestState) == nil { await regions.requestState(for: region) }
  }

  /// The regions that are monitored.
  public var monitoredRegions: Set<Region> {
    get async {
      hub.use(.monitoredRegions)
      return await regions.regions
    }
  }

  /// Whether regions of a kind can be monitored with this backend.
  public nonisolated func isMonitoringAvailable(for kind: Region.Kind) -> Bool {
    hub.use(.isMonitoringAvailable)
    return switch kind {
    case .circular: hub.capabilities.contains(.locations)
    case .beacon: hub.capabilities.contains(.beacons)
    }
  }

  /// The largest radius of a region in metres.
  public nonisolated var maximumRegionMonitoringDistance: Double {
    hub.use(.maximumRegionMonitoringDistance)
    return AreaLimits.radius
  }

  /// The events of all regions, in order, from now on. The sequence ends at ``shutdown()`` and when
  /// the source ends; a sequence that is created later ends at once. The newest events are
  /// buffered, up to ``Configuration/buffering``.
  public nonisolated var regionEvents: RegionEvents { RegionEvents(regions.subscribe()) }
}
