import AsyncLocation

/// The values of the sentences of one cycle of a receiver. Pure.
struct NMEAEpoch: Sendable {
  /// The types of sentences that have a position, best first.
  enum Origin: Int, Comparable, Sendable {
    case gga, gns, rmc, gll

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The line of the first sentence.
  let line: Int
  /// Seconds after midnight; nil while no sentence had a time.
  private(set) var timeOfDay: Double?
  /// The trusted date, in days since 1970.
  var day: Int?
  /// The values found so far. The position is valid only with an ``origin``.
  private(set) var fix = NMEAFix()
  private(set) var origin: Origin?
  /// Whether a sentence had a position, or stated that there is none.
  private(set) var reportsPosition = false
  /// True if RMC states that the position is not valid.
  private(set) var isVoid = false
  /// The mode of GSA: 1 for no fix, 2 or 3 for the dimensions. The greatest of several GSA counts.
  private(set) var mode: Int?
  /// The satellites that GSA lists. Their numbers are those of GSV, which bounds the set.
  private(set) var used: Set<NMEASatelliteID> = []
  private(set) var heading: Double?
  /// The addresses of the sentences that have no time and occur at most once in a cycle.
  private var untimed: [String] = []

  /// Metres of error at 95 % for a dilution of 1, as gpsd estimates them; a quarter of that with
  /// corrections.
  private static let horizontalError = 19.0
  private static let verticalError = 23.0
  private static let metresPerSecond = 1852.0 / 3600

  init(line: Int) { self.line = line }

  /// Whether a sentence belongs to the next epoch: it has another time, or it has none and this
  /// epoch already has a sentence of its type.
  func ends(before sentence: NMEASentence) -> Bool {
    if let time = sentence.epochTime {
      return timeOfDay.map { $0 != time } ?? false
    }
    return sentence.isOncePerCycle && untimed.contains(sentence.talker + sentence.type)
  }

  /// Adds a sentence of this epoch.
  mutating func handle(_ sentence: NMEASentence) {
    if let time = sentence.epochTime { timeOfDay = time }
    if sentence.isOncePerCycle { untimed.append(sentence.talker + sentence.type) }
    if sentence.positionField != nil { reportsPosition = true }
    switch sentence.type {
    case "GGA": handleGGA(sentence)
    case "GNS": handleGNS(sentence)
    case "RMC": handleRMC(sentence)
    case "GLL": handleGLL(sentence)
    case "VTG": handleVTG(sentence)
    case "GSA": handleGSA(sentence)
    case "GST": handleGST(sentence)
    case "HDT", "THS": heading = NMEAHeading(sentence)?.trueHeading ?? heading
    default: break
    }
  }

  /// Sets the position, unless a sentence of the same or a better type has set it.
  ///
  /// - Returns: False if the sentence has no position, or if one of a better type has set it.
  private mutating func locate(
    _ sentence: NMEASentence, field: Int, as origin: Origin
  ) -> Bool {
    guard let position = sentence.position(field) else { return false }
    guard self.origin.map({ origin < $0 }) ?? true else { return self.origin == origin }
    (fix.latitude, fix.longitude) = position
    self.origin = origin
    return true
  }

  private mutating func handleGGA(_ sentence: NMEASentence) {
    guard let quality = sentence.integer(6), quality > 0, locate(sentence, field: 2, as: .gga)
    else { return }
    fix.status = GNSSFix.Status(quality: quality) ?? fix.status
    setQuality(sentence, satellites: 7, dilution: 8)
    setAltitude(sentence.number(9), separation: sentence.number(11))
    fix.differentialAge = sentence.number(13)
    fix.differentialStation = sentence.integer(14)
  }

  private mutating func handleGNS(_ sentence: NMEASentence) {
    guard let modes = sentence[6], modes.contains(where: { $0 != "N" }),
      locate(sentence, field: 2, as: .gns)
    else { return }
    let known = modes.compactMap { GNSSFix.Status(mode: $0) }
    fix.status = known.max { $0.rank < $1.rank } ?? fix.status
    setQuality(sentence, satellites: 7, dilution: 8)
    setAltitude(sentence.number(9), separation: sentence.number(10))
    fix.differentialAge = sentence.number(11) ?? fix.differentialAge
    fix.differentialStation = sentence.integer(12) ?? fix.differentialStation
  }

  private mutating func handleRMC(_ sentence: NMEASentence) {
    guard sentence.letter(2) == "A", sentence.letter(12) != "N" else {
      isVoid = true
      return
    }
    fix.status = fix.status ?? sentence.letter(12).flatMap { GNSSFix.Status(mode: $0) }
    guard locate(sentence, field: 3, as: .rmc) || origin != nil else { return }
    if let knots = sentence.number(7) {
      fix.speed = ComputedNumber.rounded(knots * Self.metresPerSecond)
    }
    fix.course = sentence.number(8) ?? fix.course
    if let variation = sentence.number(10) {
      switch sentence.letter(11) {
      case "E": fix.magneticVariation = variation
      case "W": fix.magneticVariation = -variation
      default: break
      }
    }
  }

  private mutating func handleGLL(_ sentence: NMEASentence) {
    // Old receivers send neither a time nor a status.
    guard sentence.letter(6) ?? "A" == "A", sentence.letter(7) != "N",
      locate(sentence, field: 1, as: .gll)
    else { return }
    fix.status = fix.status ?? sentence.letter(7).flatMap { GNSSFix.Status(mode: $0) }
  }

  private mutating func handleVTG(_ sentence: NMEASentence) {
    guard sentence.letter(9) != "N" else { return }
    // Before NMEA 2, VTG had the numbers without their units.
    let isOld = sentence.letter(2) != "T" && sentence.fields.count < 8
    let (knots, kilometres) = isOld ? (3, 4) : (5, 7)
    fix.course = fix.course ?? sentence.number(1)
    guard fix.speed == nil else { return }
    if let speed = sentence.number(knots) {
      fix.speed = ComputedNumber.rounded(speed * Self.metresPerSecond)
    } else if let speed = sentence.number(kilometres) {
      fix.speed = ComputedNumber.rounded(speed / 3.6)
    }
  }

  private mutating func handleGSA(_ sentence: NMEASentence) {
    if let stated = sentence.integer(2), (1...3).contains(stated) { mode = max(mode ?? 1, stated) }
    let system = sentence.fields.count >= 18 ? sentence.integer(18) : nil
    for field in 3...14 {
      guard let number = sentence.integer(field), (1...999).contains(number) else { continue }
      used.insert(NMEASatelliteID(number, talker: sentence.talker, system: system))
    }
    fix.positionDilution = sentence.number(15) ?? fix.positionDilution
    fix.horizontalDilution = sentence.number(16) ?? fix.horizontalDilution
    fix.verticalDilution = sentence.number(17) ?? fix.verticalDilution
  }

  /// GST has standard deviations; the 95 % error is about twice as much.
  private mutating func handleGST(_ sentence: NMEASentence) {
    if let north = sentence.number(6), let east = sentence.number(7) {
      fix.horizontalAccuracy = ComputedNumber.rounded(
        2 * (north * north + east * east).squareRoot(), places: 3)
    }
    if let up = sentence.number(8) { fix.verticalAccuracy = 2 * up }
  }

  /// Sets the values of the fields with these numbers.
  private mutating func setQuality(_ sentence: NMEASentence, satellites: Int, dilution: Int) {
    fix.satellitesUsed = sentence.integer(satellites) ?? fix.satellitesUsed
    fix.horizontalDilution = sentence.number(dilution) ?? fix.horizontalDilution
  }

  private mutating func setAltitude(_ altitude: Double?, separation: Double?) {
    fix.altitude = altitude ?? fix.altitude
    fix.geoidSeparation = separation ?? fix.geoidSeparation
    if let altitude, let separation {
      fix.ellipsoidalAltitude = ComputedNumber.rounded(altitude + separation)
    }
  }

  /// The location; nil if the epoch has no valid location.
  ///
  /// - Parameter lastMode: The mode of the last GSA, for an epoch without one.
  func located(lastMode: Int?) -> NMEAFix? {
    guard origin != nil, !isVoid else { return nil }
    var fix = fix
    // A mode of 1, no fix, contradicts the position and is ignored.
    let isKnown = (mode ?? lastMode).map { $0 > 1 } ?? false
    let mode = isKnown ? mode ?? lastMode : nil
    fix.mode =
      mode == 3 || mode == nil && fix.altitude != nil ? .threeDimensional : .twoDimensional
    if fix.mode == .twoDimensional {
      // The receiver assumes an altitude and does not measure it.
      (fix.altitude, fix.ellipsoidalAltitude) = (nil, nil)
    }
    let correction =
      switch fix.status {
      case .differential?, .rtkFixed?, .rtkFloat?: 0.25
      default: 1.0
      }
    if fix.horizontalAccuracy == nil, let dilution = fix.horizontalDilution {
      fix.horizontalAccuracy = ComputedNumber.rounded(
        dilution * Self.horizontalError * correction)
    }
    if fix.mode == .threeDimensional, fix.verticalAccuracy == nil,
      let dilution = fix.verticalDilution
    {
      fix.verticalAccuracy = ComputedNumber.rounded(
        dilution * Self.verticalError * correction)
    }
    return fix
  }
}
