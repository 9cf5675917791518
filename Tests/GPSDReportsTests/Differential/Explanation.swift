import Foundation

@testable import GPSDReports

/// The reasons why libgps 3.22 reads a value differently, numbered as in Documentation/LibGPS.md.
enum Explanation: String, CaseIterable {
  case hangs = "G1"
  case drops = "G2"
  case givesUp = "G3"
  case swappedErrors = "G4"
  case velocityAsRelative = "G5"
  case emptyTimeOffset = "G6"
  case cycleOverwritten = "G7"
  case cycleBits = "G8"
  case badTimes = "G9"
  case outOfRange = "G10"
  case fieldUnknown = "G11"
  case defaults = "G12"
  case lastDigits = "G13"
  case openContent = "G14"
  case countsItself = "G15"
  case undocumented = "G16"
  case notJSON = "G17"

  /// A token in place of a number that is not valid JSON.
  struct OddToken {
    let text: String
  }

  /// The two values of a field, and their line.
  struct Pair {
    let name: String
    let key: String
    let ours: Any?
    let theirs: Any?
    let allOurs: [String: Any]
    let allTheirs: [String: Any]
    /// The line as another JSON parser reads it. Invalid tokens are ``OddToken``.
    let raw: [String: Any]

    var lists: ([[String: Any]], [[String: Any]])? {
      guard let left = ours as? [[String: Any]], let right = theirs as? [[String: Any]] else {
        return nil
      }
      return (left, right)
    }

    /// Both values as numbers; a time is in seconds since 1970.
    var numbers: (Double, Double)? {
      guard let left = Self.number(ours), let right = Self.number(theirs) else { return nil }
      return (left, right)
    }

    static func number(_ value: Any?) -> Double? {
      if let number = value as? NSNumber { return number.doubleValue }
      guard let text = value as? String, let seconds = ReportTime.seconds(text) else { return nil }
      return Date(timeIntervalSinceReferenceDate: seconds).timeIntervalSince1970
    }

    var isEqual: Bool {
      if let left = ours as? String, let right = theirs as? String { return left == right }
      guard let (left, right) = numbers else { return false }
      // Seconds since 1970 and since 2001 have different rounding errors.
      return ours is String ? abs(left - right) < 1e-6 : left == right
    }
  }

  /// The reason why a line is not compared; nil if it is compared, or if no reason is known.
  static func refusal(_ report: GPSDReport, _ answer: LibGPSParser.Answer) -> Explanation? {
    switch answer {
    case .hang: .hangs
    case .crash: nil
    case .values(let theirs):
      switch report {
      case .ais, .rtcm2, .rtcm3, .subframe, .raw, .log, .other: .openContent
      default: (theirs["set"] as? NSNumber)?.int64Value == 0 ? .drops : nil
      }
    }
  }

  /// The reason why the values of a pair differ; nil if no reason is known.
  static func of(_ pair: Pair) -> Explanation? {
    misplaced(pair) ?? absentHere(pair) ?? absentThere(pair) ?? inexact(pair)
  }

  /// The reason if libgps stores the field elsewhere.
  private static func misplaced(_ pair: Pair) -> Explanation? {
    let ours = { (key: String) in Pair.number(pair.allOurs[key]) }
    let theirs = Pair.number(pair.theirs)
    switch (pair.name, pair.key) {
    case ("TPV", "ecefpAcc") where isNear(theirs, ours("ecefvAcc")),
      ("TPV", "ecefvAcc") where isNear(theirs, ours("ecefpAcc")):
      return .swappedErrors
    case ("TPV", "velN"), ("TPV", "velE"), ("TPV", "velD"):
      return theirs == nil ? .velocityAsRelative : nil
    case ("TPV", "relN"), ("TPV", "relE"), ("TPV", "relD"):
      let velocity = ours("vel" + pair.key.suffix(1))
      return velocity != nil && isNear(theirs, velocity) ? .velocityAsRelative : nil
    case ("TOFF", _) where theirs == 0: return .emptyTimeOffset
    case ("DEVICE", "cycle") where isNear(theirs, ours("mincycle") ?? 0): return .cycleOverwritten
    case ("DEVICE", "mincycle") where theirs == 0: return .cycleOverwritten
    case ("DEVICES.device", "cycle"), ("DEVICES.device", "mincycle"):
      // libgps reads the bits of the double, or of NaN, as seconds.
      let bits = ours(pair.key)?.bitPattern ?? Double.nan.bitPattern
      guard let theirs else { return nil }
      return abs(theirs - Double(bits)) <= 1e6 || ours(pair.key) == nil && theirs > 9e18
        ? .cycleBits : nil
    case ("SKY", "nSat") where theirs == count(pair), ("SKY", "uSat") where theirs == count(pair):
      return .countsItself
    default: return nil
    }
  }

  /// The number of satellites that libgps has read, or of the used ones for `uSat`.
  private static func count(_ pair: Pair) -> Double? {
    let satellites = pair.allTheirs["satellites"] as? [[String: Any]] ?? []
    let counted = satellites.count { pair.key == "nSat" || $0["used"] as? Bool == true }
    return Double(counted)
  }

  /// The reason if only libgps has a value.
  private static func absentHere(_ pair: Pair) -> Explanation? {
    guard pair.ours == nil, let theirs = pair.theirs else { return nil }
    if pair.raw[pair.key] == nil || pair.raw[pair.key] is NSNull {
      return isDefault(pair) ? .defaults : nil
    }
    if let token = pair.raw[pair.key] as? OddToken {
      // C reads the prefix of the token that is a number.
      return isNear(strtod(token.text, nil), Pair.number(theirs)) || isDefault(pair)
        ? .notJSON : nil
    }
    if ["time", "activated"].contains(pair.key) { return .badTimes }
    if let number = Pair.number(pair.raw[pair.key]), isNear(number, Pair.number(theirs)) {
      return .outOfRange
    }
    return isDefault(pair) ? .givesUp : nil
  }

  /// Whether libgps has its default for a field that is absent from the report.
  private static func isDefault(_ pair: Pair) -> Bool {
    switch (pair.key, pair.theirs) {
    case ("satellites", let list as [Any]), ("devices", let list as [Any]): list.isEmpty
    case ("parity", let text as String): text == "X"
    case ("enable", let flag as Bool): flag
    case (_, let number as NSNumber):
      number == 0 || number == -1 || number == 3 && pair.key == "stopbits"
    default: false
    }
  }

  /// The reason if libgps does not have the value.
  private static func absentThere(_ pair: Pair) -> Explanation? {
    guard pair.ours != nil, pair.theirs == nil || isDefault(pair) else { return nil }
    if unknownToLibGPS[pair.name]?.contains(pair.key) == true { return .fieldUnknown }
    if let keys = documented[pair.name], !keys.contains(pair.key) { return .undocumented }
    return endsParsing(pair) ? .givesUp : nil
  }

  /// Whether a report has an element that ends libgps' parsing: an unexpected list or object, or a
  /// number or flag in quotes.
  private static func endsParsing(_ pair: Pair) -> Bool {
    pair.raw.contains { key, value in
      if ["satellites", "devices"].contains(key) { return false }
      return value is [Any] || value is [String: Any]
        || value is String && pair.allOurs[key] == nil && key != "class"
    }
  }

  /// The reason if two numbers differ only in their last digits.
  private static func inexact(_ pair: Pair) -> Explanation? {
    guard let (ours, theirs) = pair.numbers else { return nil }
    if isNear(ours, theirs) { return .lastDigits }
    return nil
  }

  /// Whether two values are equal within the error of libgps' decimal conversion.
  private static func isNear(_ left: Double?, _ right: Double?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    return abs(left - right) <= max(abs(left), abs(right)) * 1e-12 + 1e-9
  }

  /// The fields for which reports have properties.
  private static let documented: [String: Set<String>] = [
    "VERSION": keys(VersionReport.self), "WATCH": keys(WatchReport.self),
    "DEVICES": keys(DevicesReport.self), "DEVICE": keys(DeviceReport.self),
    "DEVICES.device": keys(DeviceReport.self), "TPV": keys(TPV.self),
    "SKY": keys(SKY.self), "satellite": keys(SatelliteReport.self),
    "GST": keys(GST.self), "ATT": keys(ATT.self),
    "IMU": keys(ATT.self), "TOFF": keys(ClockReport.self),
    "PPS": keys(ClockReport.self), "OSC": keys(OscillatorReport.self),
    "ERROR": keys(ErrorReport.self),
  ]

  private static func keys<Report: StoredReport>(_ report: Report.Type) -> Set<String> {
    Set(report.table.specifications.map(\.key))
  }

  /// Documented fields that libgps 3.22 does not know.
  private static let unknownToLibGPS: [String: Set<String>] = [
    "TPV": [
      "baseS", "baseE", "baseN", "baseU", "baseL", "baseC", "dgpsRatio", "temp", "wtemp", "ant",
      "jam", "clockbias", "clockdrift", "errEllMaj", "errEllMin", "errEllOr", "antPwr",
    ],
    "SKY": ["prRes", "qual"],
    "satellite": ["prRes", "prrRes", "qual", "pr", "prRate"],
    "GST": ["ve", "vn", "vu"],
    "ATT": [
      "mheading", "rot", "gyro_z", "gyro_temp", "timeTag", "baseS", "baseE", "baseN", "baseU",
      "baseL", "baseC", "msg",
    ],
    "PPS": ["precision", "shm"],
    "DEVICE": ["readonly", "sernum", "hexdata"],
    "DEVICES.device": ["readonly", "sernum", "hexdata"],
  ]
}
