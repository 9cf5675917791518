import Testing

@testable import GPSDReports

/// A numeric field with gpsd's name and documented range, listed independently of the decoder.
struct ReportKey<Report: StoredReport>: Sendable {
  let key: String
  /// The field's index.
  let field: Int
  let range: ClosedRange<Double>
  let isInteger: Bool
  /// Reads the report's property.
  let read: @Sendable (Report) -> Double?
  /// Creates a report with a value of the property. For an integer, the value must be whole.
  let create: @Sendable (Double) throws -> Report

  init(
    _ key: String, _ field: any KeyPath<Report.Fields, ReportField<Double>> & Sendable,
    _ range: ClosedRange<Double> = finite
  ) {
    (self.key, self.field, self.range, isInteger) = (key, field.fieldIndex(), range, false)
    read = { $0[dynamicMember: field] }
    create = { number in try Report { $0[dynamicMember: field] = number } }
  }

  init(
    _ key: String, _ field: any KeyPath<Report.Fields, ReportField<Int>> & Sendable,
    _ range: ClosedRange<Double>, isInteger: Bool
  ) {
    (self.key, self.field, self.range, self.isInteger) = (
      key, field.fieldIndex(), range, isInteger
    )
    read = { $0[dynamicMember: field].map(Double.init) }
    create = { number in try Report { $0[dynamicMember: field] = Int(number) } }
  }

  /// The value that is read from a number; nil if the number is out of range, or has a fraction and
  /// the field is an integer.
  func expected(_ number: Double) -> Double? {
    range.contains(number) && (!isInteger || number.rounded() == number) ? number : nil
  }

  /// Checks the results of `value`, which reads a line in which the key has a given value.
  func check(_ value: (_ written: String) -> Double??) {
    var numbers = [1.0, 0.5, -1, -0.25, 1e14, 91, 361, 2.5, -1e9]
    for bound in [range.lowerBound, range.upperBound] {
      numbers += [bound, bound.nextUp, bound.nextDown]
    }
    for number in numbers where number.isFinite {
      #expect(value("\(number)") == .some(expected(number)), "F18 \(key): \(number)")
    }
    for invalid in [
      "null", "\"1\"", "\"abc\"", "[1]", "{\"a\":1}", "true", "[]", "{}", "NaN", "1e999",
    ] {
      #expect(value(invalid) == .some(nil), "F19 \(key): \(invalid)")
    }
    #expect(value("1,\"\(key)\":null") == .some(nil), "the last member counts")
    #expect(value("null,\"\(key)\":1") == .some(expected(1)), "the last member counts")
  }
}

extension StoredReport {
  subscript(_ key: ReportKey<Self>) -> Double? { key.read(self) }
}

private let finite = -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
private let positive = 0...Double.greatestFiniteMagnitude
private let height = -20_000.0...1e8

enum ReportKeys {
  static let tpv: [ReportKey<TPV>] = [
    .init("mode", \.mode, 0...3, isInteger: true),
    .init("status", \.status, 0...9, isInteger: true),
    .init("ept", \.timeError, positive), .init("lat", \.latitude, -90...90),
    .init("lon", \.longitude, -180...180), .init("altHAE", \.ellipsoidalAltitude, height),
    .init("altMSL", \.altitude, height), .init("alt", \.undefinedAltitude, height),
    .init("geoidSep", \.geoidSeparation), .init("eph", \.horizontalError, positive),
    .init("epx", \.longitudeError, positive), .init("epy", \.latitudeError, positive),
    .init("epv", \.verticalError, positive), .init("sep", \.sphericalError, positive),
    .init("track", \.track, 0...360), .init("magtrack", \.magneticTrack, 0...360),
    .init("epd", \.trackError, positive), .init("magvar", \.magneticVariation, -180...180),
    .init("speed", \.speed, positive), .init("eps", \.speedError, positive),
    .init("climb", \.climb), .init("epc", \.climbError, positive), .init("ecefx", \.ecefX),
    .init("ecefy", \.ecefY), .init("ecefz", \.ecefZ),
    .init("ecefpAcc", \.ecefPositionError, positive), .init("ecefvx", \.ecefVelocityX),
    .init("ecefvy", \.ecefVelocityY), .init("ecefvz", \.ecefVelocityZ),
    .init("ecefvAcc", \.ecefVelocityError, positive), .init("velN", \.velocityNorth),
    .init("velE", \.velocityEast), .init("velD", \.velocityDown), .init("relN", \.relativeNorth),
    .init("relE", \.relativeEast), .init("relD", \.relativeDown),
    .init("baseS", \.baselineStatus, 0...255, isInteger: true), .init("baseE", \.baselineEast),
    .init("baseN", \.baselineNorth), .init("baseU", \.baselineUp),
    .init("baseL", \.baselineLength, positive), .init("baseC", \.baselineCourse, 0...360),
    .init("dgpsAge", \.differentialAge, positive),
    .init("dgpsSta", \.differentialStation, 0...4095, isInteger: true),
    .init("dgpsRatio", \.differentialRatio, positive),
    .init("leapseconds", \.leapSeconds, -255...255, isInteger: true), .init("depth", \.depth),
    .init("wanglem", \.windAngleMagnetic, -360...360),
    .init("wangler", \.windAngleRelative, -360...360),
    .init("wanglet", \.windAngleTrue, -360...360),
    .init("wspeedr", \.windSpeedRelative, positive), .init("wspeedt", \.windSpeedTrue, positive),
    .init("temp", \.airTemperature), .init("wtemp", \.waterTemperature),
    .init("ant", \.antennaStatus, 0...255, isInteger: true),
    .init("jam", \.jamming, 0...255, isInteger: true), .init("clockbias", \.clockBias),
    .init("clockdrift", \.clockDrift), .init("errEllMaj", \.semiMajorError, positive),
    .init("errEllMin", \.semiMinorError, positive),
    .init("errEllOr", \.semiMajorOrientation, -360...360),
    .init("antPwr", \.antennaPower, -1...255, isInteger: true),
  ]

  static let sky: [ReportKey<SKY>] = [
    .init("xdop", \.eastDilution, positive), .init("ydop", \.northDilution, positive),
    .init("vdop", \.verticalDilution, positive), .init("tdop", \.timeDilution, positive),
    .init("hdop", \.horizontalDilution, positive), .init("pdop", \.positionDilution, positive),
    .init("gdop", \.geometricDilution, positive),
    .init("nSat", \.visibleCount, 0...1000, isInteger: true),
    .init("uSat", \.usedCount, 0...1000, isInteger: true), .init("prRes", \.rateResidual),
    .init("qual", \.quality, 0...255, isInteger: true),
  ]

  static let satellite: [ReportKey<SatelliteReport>] = [
    .init("PRN", \.prn, 0...9_007_199_254_740_992, isInteger: true),
    .init("gnssid", \.constellation, 0...255, isInteger: true),
    .init("svid", \.vehicle, 0...65_535, isInteger: true),
    .init("sigid", \.signal, 0...255, isInteger: true),
    .init("freqid", \.frequency, 0...255, isInteger: true), .init("el", \.elevation, -90...90),
    .init("az", \.azimuth, 0...360), .init("ss", \.signalStrength, 0...254),
    .init("health", \.health, 0...255, isInteger: true), .init("prRes", \.residual),
    .init("prrRes", \.rateResidual), .init("qual", \.quality, 0...255, isInteger: true),
    .init("pr", \.pseudorange), .init("prRate", \.pseudorangeRate),
  ]

  static let attitude: [ReportKey<ATT>] = [
    .init("heading", \.heading, 0...360), .init("mheading", \.magneticHeading, 0...360),
    .init("pitch", \.pitch, -360...360), .init("roll", \.roll, -360...360),
    .init("yaw", \.yaw, -360...360), .init("rot", \.rateOfTurn), .init("dip", \.dip),
    .init("mag_len", \.magneticLength), .init("mag_x", \.magneticX), .init("mag_y", \.magneticY),
    .init("mag_z", \.magneticZ), .init("acc_len", \.accelerationLength),
    .init("acc_x", \.accelerationX), .init("acc_y", \.accelerationY),
    .init("acc_z", \.accelerationZ),
    .init("gyro_x", \.gyroscopeX), .init("gyro_y", \.gyroscopeY), .init("gyro_z", \.gyroscopeZ),
    .init("gyro_temp", \.gyroscopeTemperature), .init("temp", \.temperature),
    .init("depth", \.depth),
    .init("timeTag", \.timeTag, 0...9_007_199_254_740_992, isInteger: true),
    .init("baseS", \.baselineStatus, 0...255, isInteger: true), .init("baseE", \.baselineEast),
    .init("baseN", \.baselineNorth), .init("baseU", \.baselineUp),
    .init("baseL", \.baselineLength, positive), .init("baseC", \.baselineCourse, 0...360),
  ]

  static let device: [ReportKey<DeviceReport>] = [
    .init("flags", \.flags, 0...9_007_199_254_740_992, isInteger: true),
    .init("bps", \.baudRate, 0...1e9, isInteger: true),
    .init("stopbits", \.stopBits, 0...2, isInteger: true),
    .init("native", \.native, 0...255, isInteger: true), .init("cycle", \.cycle, 0...31_557_600),
    .init("mincycle", \.minimumCycle, 0...31_557_600),
  ]

  static let noise: [ReportKey<GST>] = [
    .init("rms", \.rangeDeviation, positive), .init("major", \.semiMajorDeviation, positive),
    .init("minor", \.semiMinorDeviation, positive),
    .init("orient", \.semiMajorOrientation, -360...360),
    .init("lat", \.latitudeDeviation, positive), .init("lon", \.longitudeDeviation, positive),
    .init("alt", \.altitudeDeviation, positive),
    .init("ve", \.eastVelocityDeviation, positive), .init("vn", \.northVelocityDeviation, positive),
    .init("vu", \.upVelocityDeviation, positive),
  ]

  static let clock: [ReportKey<ClockReport>] = [
    .init("real_sec", \.receiverSeconds, 0...9_007_199_254_740_992, isInteger: true),
    .init("real_nsec", \.receiverNanoseconds, 0...999_999_999, isInteger: true),
    .init("clock_sec", \.systemSeconds, 0...9_007_199_254_740_992, isInteger: true),
    .init("clock_nsec", \.systemNanoseconds, 0...999_999_999, isInteger: true),
    .init("precision", \.precision, -128...127, isInteger: true),
    .init("qErr", \.quantizationError),
  ]

  static let oscillator: [ReportKey<OscillatorReport>] = [.init("delta", \.delta)]

  static let poll: [ReportKey<PollReport>] = [
    .init("active", \.activeCount, 0...65_535, isInteger: true)
  ]

  static let version: [ReportKey<VersionReport>] = [
    .init("proto_major", \.protocolMajor, 0...65_535, isInteger: true),
    .init("proto_minor", \.protocolMinor, 0...65_535, isInteger: true),
  ]

  static let watch: [ReportKey<WatchReport>] = [
    .init("raw", \.raw, 0...255, isInteger: true)
  ]
}
