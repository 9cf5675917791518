import AsyncLocation
import JSONScanning

/// Decodes a line into a report.
///
/// A report of a frequent class overwrites the previous one in place, because moving such a large
/// value would cost as much as decoding it. One decoder can decode the lines of any number of
/// connections in turn.
package struct ReportDecoder: ~Copyable {
  /// The stored report that a line was decoded into.
  enum Found { case position, sky, att, imu, other }

  private var position = TPV()
  private var sky = SKY()
  /// The last ATT or IMU.
  private var attitude = ATT()
  private var other = GPSDReport.other(OpaqueReport(className: "", device: nil, line: []))
  private var memory: DecoderMemory

  /// - Parameter keepsUnknownMembers: Whether reports keep members without a field; locations need
  ///   none of them.
  package init(keepsUnknownMembers: Bool = false) {
    memory = DecoderMemory(keepsUnknownMembers: keepsUnknownMembers)
  }

  /// Whether a SKY's satellite list is decoded even if the report contains the satellite counts.
  ///
  /// Skipping the list saves a third of the instructions for a typical mix of reports. Skipped
  /// lists are not checked.
  package var keepsSatellites: Bool {
    get { memory.keepsSatellites }
    set { memory.keepsSatellites = newValue }
  }

  // The beginnings of gpsd's frequent lines: {"class" and then :"TPV" or another class of three
  // letters.
  private static var opening: UInt64 { 0x2273_7361_6C63_227B }
  private static var positionWord: UInt64 { 0x2256_5054_223A }
  private static var skyWord: UInt64 { 0x2259_4B53_223A }
  private static var attitudeWord: UInt64 { 0x2254_5441_223A }
  private static var inertialWord: UInt64 { 0x2255_4D49_223A }
  private static var openingLength: Int { 14 }

  /// Decodes a line as far as a run of the backend needs it. For classes that a run does not need,
  /// only the name of the class is stored.
  ///
  /// - Parameters:
  ///   - bytes: The line, followed by at least one readable byte, which is 10 or 13.
  ///   - length: The line's length without its terminator.
  @inline(__always)
  mutating func read(
    _ bytes: Span<UInt8>, length: Int
  ) throws(JSONScanner.Fault) -> Found {
    try read(bytes, length: length, isWhole: false)
  }

  /// Decodes a line completely, whatever its class. Reports with open content keep their bytes.
  mutating func readWhole(
    _ bytes: Span<UInt8>, length: Int
  ) throws(JSONScanner.Fault) -> Found {
    try read(bytes, length: length, isWhole: true)
  }

  @inline(__always)
  private mutating func read(
    _ bytes: Span<UInt8>, length: Int, isWhole: Bool
  ) throws(JSONScanner.Fault) -> Found {
    let line = JSONScanner(bytes, length: length)
    if length > Self.openingLength, bytes.count >= 16, bytes.word(at: 0) == Self.opening {
      let next = bytes.word(at: 8)
      switch next & 0xFFFF_FFFF_FFFF {
      case Self.positionWord:
        Self.clear(&position, &memory)
        if try Self.readRest(of: line, into: &position, &memory) { return .position }
      case Self.skyWord:
        Self.clear(&sky, &memory)
        if try Self.readRest(of: line, into: &sky, &memory) { return .sky }
      case Self.attitudeWord:
        Self.clear(&attitude, &memory)
        if try Self.readRest(of: line, into: &attitude, &memory) { return .att }
      case Self.inertialWord:
        Self.clear(&attitude, &memory)
        if try Self.readRest(of: line, into: &attitude, &memory) { return .imu }
      default: break
      }
    }
    return try readSearching(line, isWhole: isWhole)
  }

  /// Passes the decoded report to the handler in place.
  @inline(__always)
  func lend(_ found: Found, to handler: inout some ReportHandler) {
    switch found {
    case .position: handler.handle(position)
    case .sky: handler.handle(sky)
    case .att: handler.handle(attitude)
    case .imu: handler.handle(inertial: attitude)
    case .other: handler.handle(other)
    }
  }

  /// Returns the decoded report as a value.
  func report(_ found: Found) -> GPSDReport {
    switch found {
    case .position: .tpv(position)
    case .sky: .sky(sky)
    case .att: .att(attitude)
    case .imu: .imu(attitude)
    case .other: other
    }
  }

  /// Clears a report for the next line.
  @inline(__always)
  private static func clear<Report: StoredReport>(
    _ report: inout Report, _ memory: inout DecoderMemory
  ) {
    report.storage.removeAll()
    guard memory.keepsUnknownMembers else { return }
    report.storage.unknown.removeAll()
    memory.beginKeepingUnknownMembers()
  }

  /// Reads the members after a leading `class`. Returns false if a later member states another
  /// class.
  private static func readRest<Report: StoredReport>(
    of line: JSONScanner, into report: inout Report, _ memory: inout DecoderMemory
  ) throws(JSONScanner.Fault) -> Bool {
    var scanner = line
    scanner.position += Self.openingLength
    if try scanner.readSeparator(or: UInt8(ascii: "}")) {
      let isOfClass = try scanner.members(of: &report, in: Report.table, depth: 1, &memory)
      guard isOfClass else { return false }
    }
    try scanner.finish()
    return true
  }

  /// Finds the class anywhere in the line, then reads the line again for its fields.
  private mutating func readSearching(
    _ line: JSONScanner, isWhole: Bool
  ) throws(JSONScanner.Fault) -> Found {
    var start = line
    start.skipSpace()
    guard start.position < start.end else { throw .empty }
    guard start.byte == UInt8(ascii: "{") else { throw .notAnObject }
    guard let name = (try readObject(at: start) as ClassSearch).name else { throw .noClass }
    switch name {
    case "TPV":
      position = try readObject(at: start)
      return .position
    case "SKY":
      sky = try readObject(at: start)
      return .sky
    case "ATT":
      attitude = try readObject(at: start)
      return .att
    case "IMU":
      attitude = try readObject(at: start)
      return .imu
    case "VERSION": other = .version(try readObject(at: start))
    case "DEVICES": other = .devices(try readObject(at: start))
    case "DEVICE": other = .device(try readObject(at: start))
    case "WATCH": other = .watch(try readObject(at: start))
    case "ERROR": other = .error(try readObject(at: start))
    case _ where !isWhole: other = .other(OpaqueReport(className: name, device: nil, line: []))
    case "GST": other = .gst(try readObject(at: start))
    case "TOFF": other = .toff(try readObject(at: start))
    case "PPS": other = .pps(try readObject(at: start))
    case "OSC": other = .osc(try readObject(at: start))
    case "POLL": other = .poll(try readObject(at: start))
    default:
      let device = (try readObject(at: start) as DeviceSearch).device
      let bytes = Array(copying: line.bytes.extracting(line.position..<line.end))
      other = GPSDReport(OpaqueReport(className: name, device: device, line: bytes))
    }
    return .other
  }

  /// Reads all members of an object into a new report.
  private mutating func readObject<Report: StoredReport>(
    at start: JSONScanner
  ) throws(JSONScanner.Fault) -> Report {
    var scanner = start
    var report = Report()
    if memory.keepsUnknownMembers { memory.beginKeepingUnknownMembers() }
    _ = try scanner.fields(of: &report, in: Report.table, depth: 1, &memory)
    try scanner.finish()
    return report
  }
}

/// Finds the class of an object.
private struct ClassSearch: StoredReport {
  struct Fields: Sendable {
    let name = ReportField<String>("class")
  }

  static let table = makeTable(Fields())
  static var className: String? { nil }
  static var keepsUnknownMembers: Bool { false }

  var storage = FieldStorage<0, 1, NoLists>()
}

/// Finds the device of an object.
private struct DeviceSearch: StoredReport {
  struct Fields: Sendable {
    let device = ReportField<String>.device("device")
  }

  static let table = makeTable(Fields())
  static var className: String? { nil }
  static var keepsUnknownMembers: Bool { false }

  var storage = FieldStorage<0, 1, NoLists>()
}
