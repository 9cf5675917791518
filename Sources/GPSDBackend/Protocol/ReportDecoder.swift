/// Makes a report of a line.
struct ReportDecoder {
  private var names = NameCache()

  // What gpsd begins its frequent lines with: {"class" and :"TPV" or another of three letters.
  private static var opening: UInt64 { 0x2273_7361_6C63_227B }
  private static var position: UInt64 { 0x2256_5054_223A }
  private static var sky: UInt64 { 0x2259_4B53_223A }
  private static var attitude: UInt64 { 0x2254_5441_223A }
  private static var openingLength: Int { 14 }

  /// Decodes the line at `start` as far as locations need it: of a class that says nothing of them
  /// only the name is kept.
  ///
  /// - Parameters:
  ///   - count: The line's length without its end; the byte after it is 10 or 13.
  ///   - readable: How many bytes from `start` on may be loaded, at least `count + 1`.
  mutating func decode(
    _ start: UnsafeRawPointer, count: Int, readable: Int
  ) throws(JSONScanner.Fault) -> GPSDReport {
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    let line = JSONScanner(position: bytes, end: bytes + count, limit: bytes + readable)
    if count > Self.openingLength, line.word(at: bytes) == Self.opening,
      let next = line.word(at: bytes + 8)
    {
      switch next & 0xFFFF_FFFF_FFFF {
      case Self.position:
        var report = TimePositionVelocityReport()
        if try readRest(of: line, into: &report) { return .timePositionVelocity(report) }
      case Self.sky:
        var report = SkyReport()
        if try readRest(of: line, into: &report) { return .sky(report) }
      case Self.attitude:
        var report = AttitudeReport()
        if try readRest(of: line, into: &report) { return .attitude(report) }
      default: break
      }
    }
    return try decodeSearching(line)
  }

  /// Reads what follows a class that came first; false when a later member says otherwise.
  private mutating func readRest<Report: ReportFields>(
    of line: JSONScanner, into report: inout Report
  ) throws(JSONScanner.Fault) -> Bool {
    var scanner = line
    scanner.position += Self.openingLength
    if try scanner.takeSeparator(or: UInt8(ascii: "}")) {
      let isOfClass = try scanner.members(of: &report, in: Report.table, depth: 1, &names)
      guard isOfClass else { return false }
    }
    try scanner.finish()
    return true
  }

  /// Looks for the class wherever it is, then reads the line anew for its fields.
  private mutating func decodeSearching(
    _ line: JSONScanner
  ) throws(JSONScanner.Fault) -> GPSDReport {
    let (start, name) = try classified(line)
    return switch name {
    case "TPV": .timePositionVelocity(try whole(start))
    case "SKY": .sky(try whole(start))
    case "ATT": .attitude(try whole(start))
    case "VERSION": .version(try whole(start))
    case "DEVICES": .devices(try whole(start))
    case "DEVICE": .device(try whole(start))
    case "WATCH": .watch(try whole(start))
    case "ERROR": .error(try whole(start))
    default: .other(OpenReport(className: name, device: nil, line: []))
    }
  }

  /// Decodes the line at `start` whatever its class. Open content keeps its bytes.
  mutating func decodeWhole(
    _ start: UnsafeRawPointer, count: Int, readable: Int
  ) throws(JSONScanner.Fault) -> GPSDReport {
    let report = try decode(start, count: count, readable: readable)
    guard case .other = report else { return report }
    let bytes = start.assumingMemoryBound(to: UInt8.self)
    let line = JSONScanner(position: bytes, end: bytes + count, limit: bytes + readable)
    let (opening, name) = try classified(line)
    return switch name {
    case "GST": .pseudorangeNoise(try whole(opening))
    case "IMU": .inertial(try whole(opening))
    case "TOFF": .timeOffset(try whole(opening))
    case "PPS": .pulse(try whole(opening))
    case "OSC": .oscillator(try whole(opening))
    case "POLL": .poll(try whole(opening))
    default:
      GPSDReport(
        OpenReport(
          className: name, device: (try whole(opening) as DeviceSearch).device,
          line: Array(UnsafeBufferPointer(start: bytes, count: count))))
    }
  }

  /// Finds the class; the scanner stands on the line's opening brace.
  private mutating func classified(
    _ line: JSONScanner
  ) throws(JSONScanner.Fault) -> (JSONScanner, className: String) {
    var start = line
    start.skipSpace()
    guard start.position < start.end else { throw .empty }
    guard start.byte == UInt8(ascii: "{") else { throw .notAnObject }
    let found: ClassSearch = try whole(start)
    guard let name = found.name else { throw .noClass }
    return (start, name)
  }

  private mutating func whole<Report: ReportFields>(
    _ start: JSONScanner
  ) throws(JSONScanner.Fault) -> Report {
    var scanner = start
    var report = Report()
    _ = try scanner.fields(of: &report, in: Report.table, depth: 1, &names)
    try scanner.finish()
    return report
  }
}

/// What says what an object is.
private struct ClassSearch: ReportFields {
  enum Field: Int, ReportField {
    case name
    var specification: FieldSpecification { .text("class") }
  }

  static let className: String? = nil
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  private(set) var name: String?

  func number(_ field: Int) -> Double? { nil }
  mutating func remove(_ field: Int) { name = nil }
  mutating func set(_ field: Int, _ value: Double) {}
  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    name = text.string()
  }
}

/// What says whose an object is.
private struct DeviceSearch: ReportFields {
  enum Field: Int, ReportField {
    case device
    var specification: FieldSpecification { .text("device") }
  }

  static let className: String? = nil
  static let specifications = Field.allCases.map(\.specification)
  static let table = FieldTable(specifications)

  private(set) var device: String?

  func number(_ field: Int) -> Double? { nil }
  mutating func remove(_ field: Int) { device = nil }
  mutating func set(_ field: Int, _ value: Double) {}
  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    device = names.name(text)
  }
}
