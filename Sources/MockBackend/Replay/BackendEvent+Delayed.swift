import AsyncLocation
import FoundationEssentials

extension BackendEvent {
  /// The same event at a later time; unchanged where the time would leave the calendar.
  func delayed(bySeconds seconds: Double) -> Self {
    switch self {
    case .location(let location):
      return .location(location.moved(timestamp: location.timestamp + seconds))
    case .heading(let heading):
      let delayed = try? Heading(
        trueHeading: heading.trueHeading, magneticHeading: heading.magneticHeading,
        headingAccuracy: heading.headingAccuracy, magneticField: heading.magneticField,
        timestamp: heading.timestamp + seconds, source: heading.source,
        sourceInformation: heading.sourceInformation)
      return .heading(delayed ?? heading)
    case .satellites(let view):
      let delayed = try? SatelliteView(
        timestamp: view.timestamp.map { $0 + seconds }, satellites: view.satellites,
        dilutionOfPrecision: view.dilutionOfPrecision, sourceInformation: view.sourceInformation)
      return .satellites(delayed ?? view)
    case .unavailable, .connection, .authorization: return self
    }
  }
}

extension Location {
  /// The same measurement at another place or time; unchanged where that is no valid location.
  func moved(to coordinate: Coordinate? = nil, timestamp: Date? = nil) -> Self {
    let moved = try? Location(
      coordinate: coordinate ?? self.coordinate, timestamp: timestamp ?? self.timestamp,
      altitude: altitude, ellipsoidalAltitude: ellipsoidalAltitude,
      horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy, speed: speed,
      speedAccuracy: speedAccuracy, course: course, courseAccuracy: courseAccuracy, climb: climb,
      floor: floor, sourceInformation: sourceInformation, gnss: gnss)
    return moved ?? self
  }
}
