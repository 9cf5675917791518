import AsyncLocation

/// Formats the values of a location as text; nil where a value is unknown.
struct LocationText: Sendable {
  let glyphs: Glyphs

  func decimal(_ location: Location) -> String {
    Angles.decimal(location.latitude, ("N", "S"), sign: glyphs.degree) + "   "
      + Angles.decimal(location.longitude, ("E", "W"), sign: glyphs.degree)
  }

  func sexagesimal(_ location: Location) -> String {
    Angles.sexagesimal(location.latitude, ("N", "S"), glyphs: glyphs) + "   "
      + Angles.sexagesimal(location.longitude, ("E", "W"), glyphs: glyphs)
  }

  func altitude(_ location: Location) -> String? {
    let parts = [
      location.altitude.map { NumberText.fixed($0, 1) + " m above sea" },
      location.ellipsoidalAltitude.map { NumberText.fixed($0, 1) + " m above ellipsoid" },
    ]
    return joined(parts, by: "   ")
  }

  func speed(_ location: Location) -> String? {
    location.speed.map { speed in
      "\(NumberText.fixed(speed, 1)) m/s   \(NumberText.fixed(speed * 3.6, 1)) km/h   "
        + "\(NumberText.fixed(speed * 3600 / 1852, 1)) kn"
    }
  }

  func course(_ location: Location) -> String? {
    location.course.map {
      Angles.direction($0, 1) + glyphs.degree + " " + Angles.compassPoint($0)
    }
  }

  func climb(_ location: Location) -> String? {
    location.climb.map { NumberText.fixed($0, 2) + " m/s" }
  }

  func horizontalError(_ location: Location) -> String? {
    error(location.horizontalAccuracy, 1, " m")
  }

  func verticalError(_ location: Location) -> String? { error(location.verticalAccuracy, 1, " m") }

  func speedError(_ location: Location) -> String? { error(location.speedAccuracy, 2, " m/s") }

  func courseError(_ location: Location) -> String? {
    error(location.courseAccuracy, 1, glyphs.degree)
  }

  /// The kind of fix, and why it is suspect. The numbers of satellites and the dilutions of precision are those of the
  /// satellite view if the fix has none.
  func fix(_ location: Location, sky: SatelliteView? = nil) -> String? {
    guard let gnss = location.gnss else { return nil }
    let used = gnss.satellitesUsed ?? sky?.used.count
    let visible = gnss.satellitesVisible ?? sky?.satellites.count
    let dilution = gnss.dilutionOfPrecision ?? sky?.dilutionOfPrecision
    return joined(
      [
        gnss.mode.rawValue + (gnss.status.map { " " + status($0) } ?? ""),
        used.map { "\($0)" + (visible.map { " of \($0)" } ?? "") + " satellites used" },
        dilution?.horizontal.map { "HDOP " + NumberText.fixed($0, 1) },
        dilution?.vertical.map { "VDOP " + NumberText.fixed($0, 1) },
        suspicion(location),
      ], by: "   ")
  }

  /// The reasons why a location is suspect; nil if it is not.
  private func suspicion(_ location: Location) -> String? {
    guard let integrity = location.integrity, integrity.isSuspect else { return nil }
    let reasons = Self.reasons.filter { integrity.reasons.contains($0.reason) }.map(\.text)
    return "SUSPECT: " + reasons.joined(separator: ", ")
  }

  private static let reasons: [(reason: LocationIntegrity.Reasons, text: String)] = [
    (.jump, "the position jumped"), (.drift, "the position departs from the speed"),
    (.clock, "the clock is wrong"), (.replay, "the clock went back"),
    (.uniformSignals, "all signals are equal"), (.disagreement, "receivers disagree"),
    (.jamming, "jamming"), (.antenna, "the antenna has a fault"),
  ]

  func time(_ location: Location) -> String {
    let time = NumberText.time(location.timestamp)
    switch location.sourceInformation?.timeSource {
    case .host: return time + " (this computer's clock)"
    case .provisional: return time + " (unconfirmed)"
    case .receiver, nil: return time
    }
  }

  func device(_ location: Location, receivers: [Receiver] = []) -> String? {
    guard let source = location.sourceInformation else { return nil }
    let receiver = receivers.first { $0.name == source.device }
    return joined(
      [
        source.device.map { Escaping.escape($0, limit: 120) },
        receiver?.driver.map { Escaping.escape($0, limit: 60) },
        receiver?.model.map { Escaping.escape($0, limit: 60) },
        source.isSimulated ? "(simulated)" : nil,
      ], by: "   ")
  }

  private func status(_ status: GNSSFix.Status) -> String {
    switch status {
    case .autonomous: "autonomous"
    case .differential: "differential"
    case .rtkFixed: "RTK fixed"
    case .rtkFloat: "RTK float"
    case .deadReckoning: "dead reckoning"
    case .combinedDeadReckoning: "satellites and dead reckoning"
    case .surveyed: "surveyed"
    case .simulated: "simulated"
    case .precise: "precise P(Y)"
    @unknown default: status.rawValue
    }
  }

  private func error(_ value: Double?, _ digits: Int, _ unit: String) -> String? {
    value.map { glyphs.plusMinus + " " + NumberText.fixed($0, digits) + unit }
  }

  private func joined(_ parts: [String?], by separator: String) -> String? {
    let known = parts.compactMap { $0 }.filter { !$0.isEmpty }
    return known.isEmpty ? nil : known.joined(separator: separator)
  }
}
