import AsyncLocation

/// Uses the members that "Coming from Core Location" names, in the order of its rows.
@MainActor
enum CoreLocationSnippets {
  static func endpoints(
    _ manager: LocationManager, _ region: Region, _ properties: LocationManager.Properties
  ) async throws {
    _ = await manager.accuracyAuthorization
    _ = await manager.authorizationStatus
    _ = manager.events
    manager.dismissHeadingCalibrationDisplay()
    _ = await manager.heading
    _ = manager.headingAvailable
    _ = manager.isRangingAvailable
    _ = await manager.location
    _ = await manager.locationServicesEnabled
    _ = manager.maximumRegionMonitoringDistance
    _ = await manager.monitoredRegions
    _ = try await manager.requestAlwaysAuthorization()
    manager.requestLocation()
    _ = try await manager.currentLocation()
    _ = try await manager.requestWhenInUseAuthorization()
    _ = try await manager.requestTemporaryFullAccuracyAuthorization(purposeKey: "docking")
    await manager.set(properties)
    _ = manager.significantLocationChangeMonitoringAvailable
    try await manager.startMonitoring(for: region)
    await manager.stopMonitoring(for: region)
    manager.startMonitoringSignificantLocationChanges()
    manager.stopMonitoringSignificantLocationChanges()
    manager.startMonitoringVisits()
    manager.stopMonitoringVisits()
    manager.startUpdatingHeading()
    manager.stopUpdatingHeading()
    manager.startUpdatingLocation()
    manager.stopUpdatingLocation()
  }

  static func name(of event: LocationEvent) -> String {
    switch event {
    case .didChangeAuthorization: "didChangeAuthorization"
    case .didDetermineState: "didDetermineState"
    case .didEnterRegion: "didEnterRegion"
    case .didExitRegion: "didExitRegion"
    case .didFailRanging: "didFailRanging"
    case .didFailWithError: "didFailWithError"
    case .didFinishDeferredUpdates: "didFinishDeferredUpdates"
    case .didPauseLocationUpdates: "didPauseLocationUpdates"
    case .didResumeLocationUpdates: "didResumeLocationUpdates"
    case .didStartMonitoring: "didStartMonitoring"
    case .didUpdateHeading: "didUpdateHeading"
    case .didUpdateLocations: "didUpdateLocations"
    case .didUpdateTo: "didUpdateTo"
    case .didVisit: "didVisit"
    case .monitoringDidFail: "monitoringDidFail"
    case .didRangeBeacons: "didRangeBeacons"
    default: "an event that Core Location's delegate does not have"
    }
  }

  static func properties(_ properties: inout LocationManager.Properties) {
    properties.activityType = .fitness
    properties.allowsBackgroundLocationUpdates = true
    properties.desiredAccuracy = .best
    properties.distanceFilter = 10
    properties.headingFilter = 5
    properties.headingOrientation = .landscapeLeft
    properties.pausesLocationUpdatesAutomatically = true
    properties.showsBackgroundLocationIndicator = true
  }
}
