import AsyncLocation
import FoundationEssentials

extension BackendEvent {
  /// Returns the event at a later time. An event whose new time is out of range stays unchanged; a
  /// beacon whose new time is out of range is omitted.
  func delayed(bySeconds seconds: Double) -> Self {
    switch self {
    case .location(let location):
      return .location(location.moved(timestamp: location.timestamp + seconds))
    case .heading(let heading):
      let delayed = try? heading.with { $0.timestamp += seconds }
      return .heading(delayed ?? heading)
    case .satellites(let view):
      let delayed = try? SatelliteView(
        timestamp: view.timestamp.map { $0 + seconds }, satellites: view.satellites,
        dilutionOfPrecision: view.dilutionOfPrecision, sourceInformation: view.sourceInformation)
      return .satellites(delayed ?? view)
    case .beacons(let report):
      let beacons = report.beacons.compactMap { beacon in
        try? Beacon(
          uuid: beacon.uuid, major: beacon.major, minor: beacon.minor,
          proximity: beacon.proximity, accuracy: beacon.accuracy, rssi: beacon.rssi,
          timestamp: beacon.timestamp + seconds)
      }
      return .beacons(
        BeaconReport(beacons: beacons, sourceInformation: report.sourceInformation))
    case .unavailable, .connection, .authorization: return self
    }
  }
}

extension Location {
  /// Returns the measurement at another coordinate or time; unchanged if the result is not valid.
  func moved(to coordinate: Coordinate? = nil, timestamp: Date? = nil) -> Self {
    let moved = try? with {
      $0.coordinate = coordinate ?? $0.coordinate
      $0.timestamp = timestamp ?? $0.timestamp
    }
    return moved ?? self
  }
}
