package import AsyncLocation
import Glibc

extension Drive {
  /// The drive as events of a backend: connected at the start, then for each second a satellite
  /// view and a location with its heading, or the loss of the fix.
  ///
  /// Accuracies are at 95 % confidence, as with gpsd. Offsets never decrease.
  package var events: [(offset: Duration, event: BackendEvent)] {
    get throws(LocationError) {
      let receiver = Receiver(
        name: Self.device, driver: "Simulated", activated: start, cycle: .seconds(1))
      let state = ConnectionState(.connected, endpoint: Self.device, receivers: [receiver])
      var events: [(offset: Duration, event: BackendEvent)] = [(.zero, .connection(state))]
      for epoch in epochs {
        for event in try epoch.events { events.append((epoch.offset, event)) }
      }
      return events
    }
  }

  /// The name of the receiver in ``events``.
  package static let device = "sample-drive"
}

extension Epoch {
  /// The events of this second, in order.
  package var events: [BackendEvent] {
    get throws(LocationError) {
      let source = SourceInformation(isSimulated: true, device: Drive.device)
      let sky = BackendEvent.satellites(try view(source))
      guard let fix else {
        return [
          sky,
          .unavailable(
            LocationError(
              .locationUnknown, "The receiver tracks too few satellites; wait for an open sky.")),
        ]
      }
      var events = [sky, .location(try location(fix, source))]
      if let course = fix.course {
        events.append(
          .heading(
            try Heading(
              trueHeading: course, headingAccuracy: fix.courseAccuracy, timestamp: timestamp,
              source: .courseOverGround, sourceInformation: source)))
      }
      return events
    }
  }

  private func location(
    _ fix: Fix, _ source: SourceInformation
  ) throws(LocationError) -> Location {
    try Location(
      latitude: fix.latitude, longitude: fix.longitude, timestamp: timestamp,
      altitude: fix.altitude,
      ellipsoidalAltitude: fix.altitude.map { $0 + ReceiverModel.geoidSeparation },
      horizontalAccuracy: 2
        * (fix.errorEast * fix.errorEast + fix.errorNorth * fix.errorNorth).squareRoot(),
      verticalAccuracy: fix.errorUp.map { 2 * $0 }, speed: fix.speed,
      speedAccuracy: 2 * fix.errorSpeed, course: fix.course, courseAccuracy: fix.courseAccuracy,
      climb: fix.climb, sourceInformation: source,
      gnss: GNSSFix(
        mode: fix.isThreeDimensional ? .threeDimensional : .twoDimensional, status: .autonomous,
        dilutionOfPrecision: fix.dilution.value, satellitesUsed: fix.satellitesUsed,
        satellitesVisible: satellites.count, geoidSeparation: ReceiverModel.geoidSeparation))
  }

  private func view(_ source: SourceInformation) throws(LocationError) -> SatelliteView {
    var listed: [Satellite] = []
    for satellite in satellites { listed.append(try satellite.value) }
    return try SatelliteView(
      timestamp: timestamp, satellites: listed, dilutionOfPrecision: fix?.dilution.value,
      sourceInformation: source)
  }
}

extension Epoch.Fix {
  /// Degrees, at 95 % confidence; nil without a course.
  fileprivate var courseAccuracy: Double? {
    course.map { _ in 2 * atan(errorSpeed / speed).degrees }
  }
}

extension Dilution {
  fileprivate var value: DilutionOfPrecision {
    get throws(LocationError) {
      try DilutionOfPrecision(
        horizontal: horizontal, vertical: vertical, position: vertical.map { _ in position },
        time: time, geometric: vertical.map { _ in geometric }, east: east, north: north)
    }
  }
}

extension TrackedSatellite {
  fileprivate var value: Satellite {
    get throws(LocationError) {
      let constellation: Satellite.Constellation =
        switch system {
        case .gps: .gps
        case .glonass: .glonass
        case .galileo: .galileo
        }
      return try Satellite(
        prn: prn, constellation: constellation, vehicle: vehicle, elevation: Double(elevation),
        azimuth: Double(azimuth), signalStrength: signalStrength.map(Double.init), isUsed: isUsed)
    }
  }
}
