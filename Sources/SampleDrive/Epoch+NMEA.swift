import AsyncLocation

extension Epoch {
  /// The NMEA 0183 version 4.11 sentences of a multi-constellation receiver for this second, in the
  /// order of common receiver chips: RMC, VTG, GGA, GSA and GSV for each system, GST, ZDA.
  package var sentences: [String] {
    [rmc, vtg, gga] + Orbits.System.allCases.map(gsa) + Orbits.System.allCases.flatMap(gsv)
      + [gst, zda]
  }

  /// ``sentences`` with line endings.
  package var nmea: String {
    sentences.map { $0 + "\r\n" }.joined()
  }

  private var time: String {
    let second = CivilTime.split(timestamp).seconds % 86_400
    return [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }.joined()
      + ".00"
  }

  private var date: (day: String, month: String, year: String) {
    let date = CivilTime.date(days: CivilTime.split(timestamp).seconds / 86_400)
    return (date.day.padded(to: 2), date.month.padded(to: 2), date.year.padded(to: 4))
  }

  private func position(_ fix: Fix) -> [String] {
    NMEA.latitude(fix.latitude) + NMEA.longitude(fix.longitude)
  }

  private static func knots(_ speed: Double) -> String {
    NMEA.decimal(speed * 3600 / 1852, 3)
  }

  private var rmc: String {
    let date = date.day + date.month + date.year.suffix(2)
    guard let fix else {
      return NMEA.sentence(["GNRMC", time, "V", "", "", "", "", "", "", date, "", "", "N", "V"])
    }
    let course = fix.course.map { NMEA.decimal($0, 2) } ?? ""
    return NMEA.sentence(
      ["GNRMC", time, "A"] + position(fix) + [Self.knots(fix.speed), course, date]
        + ["", "", "A", "V"])
  }

  private var vtg: String {
    guard let fix else { return NMEA.sentence(["GNVTG", "", "", "", "", "", "", "", "", "N"]) }
    let course = fix.course.map { NMEA.decimal($0, 2) } ?? ""
    return NMEA.sentence([
      "GNVTG", course, "T", "", "M", Self.knots(fix.speed), "N", NMEA.decimal(fix.speed * 3.6, 3),
      "K", "A",
    ])
  }

  private var gga: String {
    guard let fix else {
      return NMEA.sentence(
        ["GNGGA", time, "", "", "", "", "0", "00", "99.99", "", "", "", "", "", ""])
    }
    return NMEA.sentence(
      ["GNGGA", time] + position(fix) + ["1", fix.satellitesUsed.padded(to: 2)] + [
        NMEA.decimal(fix.dilution.horizontal, 2),
        // With an assumed altitude, gpsd 3.22 would treat the fix as 3D.
        fix.altitude.map { NMEA.decimal($0, 1) } ?? "", "M",
        NMEA.decimal(ReceiverModel.geoidSeparation, 1), "M", "", "",
      ])
  }

  private func gsa(_ system: Orbits.System) -> String {
    let used = satellites.filter { $0.isUsed && $0.system == system }.prefix(12)
    let numbers = used.map { $0.number.padded(to: 2) }
    // With the talker GN, gpsd 3.22 would treat Galileo's numbers as GPS numbers.
    var fields = [system.talker + "GSA", "A", fix.map { $0.isThreeDimensional ? "3" : "2" } ?? "1"]
    fields += numbers + [String](repeating: "", count: 12 - numbers.count)
    fields += [
      fix?.dilution.position, fix?.dilution.horizontal, fix?.dilution.vertical,
    ].map { NMEA.decimal($0 ?? 99.99, 2) }
    return NMEA.sentence(fields + [String(system.rawValue)])
  }

  private func gsv(_ system: Orbits.System) -> [String] {
    let listed = satellites.filter { $0.system == system }
    let talker = system.talker + "GSV"
    guard !listed.isEmpty else {
      return [NMEA.sentence([talker, "1", "1", "00", system.signal])]
    }
    let count = (listed.count + 3) / 4
    return (0..<count).map { index in
      let satellites = listed[(index * 4)..<min(index * 4 + 4, listed.count)].flatMap { satellite in
        [
          satellite.number.padded(to: 2), satellite.elevation.padded(to: 2),
          satellite.azimuth.padded(to: 3),
          satellite.signalStrength.map { $0.padded(to: 2) } ?? "",
        ]
      }
      return NMEA.sentence(
        [talker, String(count), String(index + 1), listed.count.padded(to: 2)] + satellites
          + [system.signal])
    }
  }

  private var gst: String {
    guard let fix else { return NMEA.sentence(["GNGST", time, "", "", "", "", "", "", ""]) }
    let eastIsMajor = fix.errorEast > fix.errorNorth
    return NMEA.sentence([
      "GNGST", time, NMEA.decimal(fix.rangeError, 1),
      NMEA.decimal(max(fix.errorEast, fix.errorNorth), 2),
      NMEA.decimal(min(fix.errorEast, fix.errorNorth), 2), eastIsMajor ? "90.0" : "0.0",
      NMEA.decimal(fix.errorNorth, 2), NMEA.decimal(fix.errorEast, 2),
      fix.errorUp.map { NMEA.decimal($0, 2) } ?? "",
    ])
  }

  private var zda: String {
    NMEA.sentence(["GNZDA", time, date.day, date.month, date.year, "00", "00"])
  }
}

extension TrackedSatellite {
  /// The satellite number in NMEA: GLONASS starts at 65, Galileo at 1.
  fileprivate var number: Int { system == .galileo ? vehicle : prn }
}

extension Orbits.System {
  fileprivate var talker: String {
    switch self {
    case .gps: "GP"
    case .glonass: "GL"
    case .galileo: "GA"
    }
  }

  /// NMEA's signal identifiers of GPS L1 C/A, GLONASS L1 OF and Galileo E1.
  fileprivate var signal: String {
    switch self {
    case .gps, .glonass: "1"
    case .galileo: "7"
    }
  }
}
