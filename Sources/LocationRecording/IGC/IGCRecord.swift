import AsyncLocation

/// A line of an IGC file, as defined in appendix A of the FAI's technical specification for
/// IGC-approved flight recorders. Pure.
enum IGCRecord: Hashable, Sendable {
  /// The date, in days since 1970.
  case date(Int)
  /// The reference of the receiver's heights, from the header or implied by the recorder.
  case heights(IGCHeights)
  /// The additional columns of fixes.
  case extensions([IGCField])
  case fix(IGCFix)
  /// A point of the declared task.
  case turnPoint(latitude: Double, longitude: Double)
  case other

  /// Creates a record from a line; nil if a record of one of these types is invalid.
  init?(_ line: ArraySlice<UInt8>, _ fields: [IGCField]) {
    let text = IGCLine(line)
    switch line.first {
    case UInt8(ascii: "A"): self = .heights(IGCHeights(recorder: text))
    case UInt8(ascii: "B"):
      guard let fix = IGCFix(text, fields) else { return nil }
      self = .fix(fix)
    case UInt8(ascii: "I"):
      guard let fields = IGCField.list(text) else { return nil }
      self = .extensions(fields)
    case UInt8(ascii: "C"):
      // The first line of a task has no position.
      guard let position = text.position(at: 1) else {
        self = .other
        return
      }
      self = position == (0, 0) ? .other : .turnPoint(latitude: position.0, longitude: position.1)
    case UInt8(ascii: "H"):
      guard let record = Self.header(text) else { return nil }
      self = record
    default: self = .other
    }
  }

  private static func header(_ text: IGCLine) -> Self? {
    if text.starts(with: "HFALG") { return .heights(IGCHeights(header: text)) }
    guard text.starts(with: "HFDTE") else { return .other }
    // HFDTE150709, or HFDTEDATE:150709,01.
    guard let start = text.bytes.firstIndex(where: \.isDigit),
      let day = text.number(start, 2), let month = text.number(start + 2, 2),
      let year = text.number(start + 4, 2),
      let date = CivilTime.day(year: year < 80 ? 2000 + year : 1900 + year, month: month, day: day)
    else { return nil }
    return .date(date)
  }
}

/// The reference of a receiver's heights.
enum IGCHeights: Hashable, Sendable {
  case ellipsoid, sea
  /// The file does not state the reference, or states that there are no heights.
  case unknown

  /// The header `HFALG`: `ELL`, `GEO`, `NKN` for not known, or `NIL` for none.
  init(header: IGCLine) {
    if header.contains("GEO") {
      self = .sea
    } else {
      self = header.contains("ELL") ? .ellipsoid : .unknown
    }
  }

  /// The A record, which names the manufacturer. Approved recorders write heights above the
  /// ellipsoid. The codes of other recorders begin with X; phone apps use either reference.
  /// GPSBabel writes the heights of other files, which are above the sea.
  init(recorder: IGCLine) {
    if recorder.starts(with: "AXXXZZZGPSBabel") {
      self = .sea
    } else {
      self = recorder.starts(with: "AX") || recorder.bytes.count < 4 ? .unknown : .ellipsoid
    }
  }
}

/// A field that a recorder adds to its fixes.
struct IGCField: Hashable, Sendable {
  /// The code, which has three letters.
  let code: String
  /// The columns of a line, from 0.
  let columns: Range<Int>

  /// Reads an I record: the number of fields, and the first column, the last column and the code of
  /// each.
  static func list(_ line: IGCLine) -> [Self]? {
    guard let count = line.number(1, 2) else { return nil }
    var fields: [Self] = []
    for index in 0..<count {
      let start = 3 + index * 7
      guard let first = line.number(start, 2), let last = line.number(start + 2, 2),
        first >= 1, last >= first, let code = line.text(start + 4, 3)
      else { return nil }
      fields.append(Self(code: code, columns: first - 1..<last))
    }
    return fields
  }
}

/// A fix of an IGC file.
struct IGCFix: Hashable, Sendable {
  /// Seconds after midnight, UTC.
  let timeOfDay: Double
  let latitude, longitude: Double
  /// False for validity `V`: the receiver had a two-dimensional fix without a height, or no fix.
  let isThreeDimensional: Bool
  /// The height of the receiver, in metres.
  let height: Double?
  /// The pressure altitude in the standard atmosphere, in metres.
  let pressureHeight: Double?
  private(set) var horizontalAccuracy: Double?
  private(set) var verticalAccuracy: Double?
  private(set) var satellitesUsed: Int?
  /// Kilometres per hour.
  private(set) var speed: Double?
  private(set) var course: Double?

  init?(_ line: IGCLine, _ fields: [IGCField]) {
    guard let hour = line.number(1, 2), hour < 24, let minute = line.number(3, 2), minute < 60,
      let second = line.number(5, 2), second <= 60,
      let validity = line.text(24, 1), ["A", "V"].contains(validity), line.bytes.count >= 35
    else { return nil }
    func digits(_ code: String) -> Int? {
      guard let field = fields.first(where: { $0.code == code }) else { return nil }
      return line.number(field.columns.lowerBound, field.columns.count)
    }
    func fraction(_ code: String) -> Double {
      guard let field = fields.first(where: { $0.code == code }), let digits = digits(code) else {
        return 0
      }
      return (0..<field.columns.count).reduce(Double(digits)) { value, _ in value / 10 }
    }
    guard
      let position = line.position(
        at: 7, latitudeFraction: fraction("LAD"), longitudeFraction: fraction("LOD"))
    else { return nil }
    timeOfDay = Double(hour * 3_600 + minute * 60 + second) + fraction("TDS")
    (latitude, longitude) = position
    isThreeDimensional = validity == "A"
    pressureHeight = line.signedNumber(25, 5).map(Double.init)
    height = line.signedNumber(30, 5).map(Double.init)
    horizontalAccuracy = digits("FXA").map(Double.init)
    verticalAccuracy = digits("VXA").map(Double.init)
    satellitesUsed = digits("SIU")
    speed = digits("GSP").map(Double.init)
    course = digits("TRT").map(Double.init)
  }

  /// Whether the fix is invalid and its position is zero, which recorders write if they have none.
  var isEmpty: Bool { !isThreeDimensional && latitude == 0 && longitude == 0 }
}

/// The columns of a line.
struct IGCLine: Sendable {
  let bytes: [UInt8]

  init(_ line: ArraySlice<UInt8>) { bytes = Array(line) }

  func starts(with text: String) -> Bool { bytes.starts(with: text.utf8) }

  func contains(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }

  func text(_ start: Int, _ count: Int) -> String? {
    guard start + count <= bytes.count else { return nil }
    return String(decoding: bytes[start..<start + count], as: UTF8.self)
  }

  func number(_ start: Int, _ count: Int) -> Int? {
    guard start >= 0, count > 0, count <= 9, start + count <= bytes.count else { return nil }
    var value = 0
    for byte in bytes[start..<start + count] {
      guard byte.isDigit else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  func signedNumber(_ start: Int, _ count: Int) -> Int? {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "-") else {
      return number(start, count)
    }
    return number(start + 1, count - 1).map { -$0 }
  }

  /// A latitude and a longitude: degrees, minutes and thousandths of minutes, and a hemisphere
  /// each.
  ///
  /// - Parameters:
  ///   - latitudeFraction: Further digits of the latitude, as a fraction of a thousandth of a
  ///     minute.
  ///   - longitudeFraction: Further digits of the longitude, likewise.
  func position(
    at start: Int, latitudeFraction: Double = 0, longitudeFraction: Double = 0
  ) -> (Double, Double)? {
    func degrees(_ start: Int, _ count: Int, _ fraction: Double) -> Double? {
      guard let degrees = number(start, count), let minutes = number(start + count, 5),
        minutes < 60_000
      else { return nil }
      return ComputedNumber.rounded(Double(degrees) + (Double(minutes) + fraction) / 60_000)
    }
    guard let latitude = degrees(start, 2, latitudeFraction),
      let longitude = degrees(start + 8, 3, longitudeFraction), latitude <= 90, longitude <= 180,
      let northOrSouth = text(start + 7, 1), let eastOrWest = text(start + 16, 1),
      ["N", "S"].contains(northOrSouth), ["E", "W"].contains(eastOrWest)
    else { return nil }
    return (
      northOrSouth == "S" ? -latitude : latitude, eastOrWest == "W" ? -longitude : longitude
    )
  }
}
