package import AsyncLocation
import Glibc

extension Drive {
  /// The drive as backend events: a connection state at the start, then for each second a satellite
  /// view and either a location, with a heading if the fix has a course, or the loss of the fix.
  ///
  /// Accuracies are at 95 % confidence, as with gpsd. Numbers are rounded as by a receiver:
  /// coordinates to 9 decimals, other numbers to 3. Offsets never decrease.
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
      if let course = fix.roundedCourse {
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
      latitude: fix.latitude.rounded(to: 1e9), longitude: fix.longitude.rounded(to: 1e9),
      timestamp: timestamp, altitude: fix.altitude?.rounded(to: 1e3),
      ellipsoidalAltitude: fix.altitude.map {
        ($0 + ReceiverModel.geoidSeparation).rounded(to: 1e3)
      },
      horizontalAccuracy: (2
        * (fix.errorEast * fix.errorEast + fix.errorNorth * fix.errorNorth).squareRoot())
        .rounded(to: 1e3),
      verticalAccuracy: fix.errorUp.map { (2 * $0).rounded(to: 1e3) },
      speed: fix.speed.rounded(to: 1e3), speedAccuracy: (2 * fix.errorSpeed).rounded(to: 1e3),
      course: fix.roundedCourse, courseAccuracy: fix.courseAccuracy,
      climb: fix.climb?.rounded(to: 1e3), sourceInformation: source,
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
    course.map { _ in (2 * atan(errorSpeed / speed).degrees).rounded(to: 1e3) }
  }

  fileprivate var roundedCourse: Double? { course?.rounded(to: 1e3).normalizedDegrees }
}

extension Double {
  /// Returns the number rounded to a decimal fraction.
  ///
  /// - Parameter parts: The number of parts of 1, such as 1,000 for three decimals.
  fileprivate func rounded(to parts: Double) -> Double { (self * parts).rounded() / parts }
}

extension Dilution {
  fileprivate var value: DilutionOfPrecision {
    get throws(LocationError) {
      try DilutionOfPrecision(
        horizontal: horizontal.rounded(to: 1e3), vertical: vertical?.rounded(to: 1e3),
        position: vertical.map { _ in position.rounded(to: 1e3) }, time: time.rounded(to: 1e3),
        geometric: vertical.map { _ in geometric.rounded(to: 1e3) },
        east: east.rounded(to: 1e3), north: north.rounded(to: 1e3))
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
