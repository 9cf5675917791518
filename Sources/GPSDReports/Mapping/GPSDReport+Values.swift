import AsyncLocation

extension TPV {
  /// The speed in metres per second below which a receiver may be at rest and its course is noise.
  private static let minimumCourseSpeed = 0.5

  /// The altitude in metres above mean sea level. `alt` is used only if the report has no other
  /// altitude, as with gpsd before 3.20.
  @inline(__always)
  var bestAltitude: Double? {
    if let altitude = self.altitude { return altitude }
    return self.ellipsoidalAltitude == nil ? self.undefinedAltitude : nil
  }

  /// The radius of the horizontal error in metres: gpsd's own, or computed from the errors of
  /// longitude and latitude.
  @inline(__always)
  var horizontalAccuracy: Double? {
    if let radius = self.horizontalError { return radius }
    guard let east = self.longitudeError, let north = self.latitudeError else { return nil }
    // gpsd reports millimetres; further digits would only be artefacts of the computation.
    let millimetres = ((east * east + north * north).squareRoot() * 1_000).rounded()
    return millimetres.isFinite ? millimetres / 1_000 : nil
  }

  /// The track, if it is meaningful. The position noise of a receiver at rest has a direction too,
  /// so the track at a lower speed than `minimumCourseSpeed` is ignored. The speed's error is not a
  /// criterion: gpsd's `eps` is a worst case and often exceeds the speed of a car.
  @inline(__always)
  var course: Double? {
    guard let track = self.track else { return nil }
    guard let speed = self.speed else { return track }
    return speed < Self.minimumCourseSpeed ? nil : track
  }

  /// The motion data that the report contains.
  @inline(__always)
  var motion: EpochStateMachine.Motion {
    var motion: EpochStateMachine.Motion = []
    if self.track != nil { motion.insert(.track) }
    guard let speed = self.speed else { return motion }
    motion.insert(speed < Self.minimumCourseSpeed ? .speed : [.speed, .moving])
    return motion
  }

  /// The error of the track in degrees; nil above 180, where it has no meaning.
  @inline(__always)
  var courseAccuracy: Double? {
    guard let error = self.trackError, error <= 180 else { return nil }
    return error
  }

  /// The magnetic track if the receiver measured it; nil if gpsd computed it incorrectly.
  ///
  /// gpsd computes a missing magnetic track as track plus variation, which is correct only for
  /// west-positive variations. Its variations are east-positive (Oregon's are +14), so the sum is
  /// wrong by twice the variation.
  var measuredMagneticTrack: Double? {
    guard let magnetic = self.magneticTrack, let track = self.track else {
      return self.magneticTrack
    }
    guard let variation = self.magneticVariation, abs(variation) > 0.05 else { return magnetic }
    let difference = abs(magnetic - track - variation).truncatingRemainder(dividingBy: 360)
    // Variations have one decimal; gpsd adds them with higher precision.
    return min(difference, 360 - difference) < 0.1 ? nil : magnetic
  }
}

extension ATT {
  var hasHeading: Bool { self.heading != nil || self.magneticHeading != nil }
}

extension GNSSFix.Mode {
  /// Nil if there is no fix.
  @inline(__always)
  init?(_ report: borrowing TPV) {
    switch report.mode {
    case 2: self = .twoDimensional
    case 3: self = .threeDimensional
    default: return nil
    }
  }
}

extension GNSSFix.Status {
  /// Nil if the report has no known status. gpsd usually omits the status of an autonomous fix.
  @inline(__always)
  init?(_ report: borrowing TPV) {
    guard let status = report.status else { return nil }
    switch status {
    case 1: self = .autonomous
    case 2: self = .differential
    case 3: self = .rtkFixed
    case 4: self = .rtkFloat
    case 5: self = .deadReckoning
    case 6: self = .combinedDeadReckoning
    case 7: self = .surveyed
    case 8: self = .simulated
    case 9: self = .precise
    default: return nil
    }
  }
}

extension DilutionOfPrecision {
  /// Nil if the report has no dilution of precision.
  init?(_ report: borrowing SKY) {
    let dilution = try? Self(
      horizontal: report.horizontalDilution, vertical: report.verticalDilution,
      position: report.positionDilution, time: report.timeDilution,
      geometric: report.geometricDilution, east: report.eastDilution,
      north: report.northDilution)
    guard let dilution,
      dilution.horizontal != nil || dilution.vertical != nil || dilution.position != nil
        || dilution.time != nil || dilution.geometric != nil || dilution.east != nil
        || dilution.north != nil
    else { return nil }
    self = dilution
  }
}

extension Satellite {
  /// Nil if the report does not identify the satellite.
  init?(_ report: SatelliteReport) {
    guard let prn = report.prn else { return nil }
    let isHealthy: Bool? =
      switch report.health {
      case 1: true
      case 2: false
      default: nil
      }
    let satellite = try? Self(
      prn: prn, constellation: Constellation(report), vehicle: report.vehicle,
      signal: report.signal, frequency: report.frequency, elevation: report.elevation,
      azimuth: report.azimuth, signalStrength: report.signalStrength,
      pseudorangeResidual: report.residual, isHealthy: isHealthy, isUsed: report.isUsed == true)
    guard let satellite else { return nil }
    self = satellite
  }
}

extension Satellite.Constellation {
  /// Converts u-blox's number; nil if it is absent or unknown.
  init?(_ report: SatelliteReport) {
    guard let number = report.constellation else { return nil }
    switch number {
    case 0: self = .gps
    case 1: self = .sbas
    case 2: self = .galileo
    case 3: self = .beidou
    case 4: self = .imes
    case 5: self = .qzss
    case 6: self = .glonass
    case 7: self = .navic
    default: return nil
    }
  }
}
