public import AsyncLocation
import FoundationEssentials

extension GPSDReport: Codable {
  /// Decodes a report of the class that `class` names.
  ///
  /// - Throws: `DecodingError` if the value is not an object or has no class. An invalid field is
  ///   absent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldKey.self)
    self =
      switch try container.decode(String.self, forKey: .className) {
      case "VERSION": .version(try VersionReport(from: decoder))
      case "DEVICES": .devices(try DevicesReport(from: decoder))
      case "DEVICE": .device(try DeviceReport(from: decoder))
      case "WATCH": .watch(try WatchReport(from: decoder))
      case "TPV": .tpv(try TPV(from: decoder))
      case "SKY": .sky(try SKY(from: decoder))
      case "ATT": .att(try ATT(from: decoder))
      case "ERROR": .error(try ErrorReport(from: decoder))
      case "GST": .gst(try GST(from: decoder))
      case "IMU": .imu(try ATT(from: decoder))
      case "TOFF": .toff(try ClockReport(from: decoder))
      case "PPS": .pps(try ClockReport(from: decoder))
      case "OSC": .osc(try OscillatorReport(from: decoder))
      case "POLL": .poll(try PollReport(from: decoder))
      default: Self(try OpaqueReport(from: decoder))
      }
  }

  public func encode(to encoder: any Encoder) throws {
    if let report = value as? any StoredReport {
      // ATT and IMU share their fields, and so do TOFF and PPS.
      try report.write(to: encoder, as: className)
    } else {
      try value.encode(to: encoder)
    }
  }
}

extension GPSDReport {
  /// Decodes one line of gpsd, for example from a recording, with or without a line terminator.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` if the line is not one JSON
  ///   object with a class.
  public init(line: some Sequence<UInt8>) throws(LocationError) {
    var bytes = Array(line)
    if bytes.last == 10 { bytes.removeLast() }
    if bytes.last == 13 { bytes.removeLast() }
    let count = bytes.count
    guard !bytes.contains(10) else {
      throw LocationError(.invalidValue, "A report of gpsd is one line, not several.")
    }
    bytes.append(10)
    var decoder = ReportDecoder(keepsUnknownMembers: true)
    do throws(JSONScanner.Fault) {
      let found = try decoder.readWhole(bytes.span, length: count)
      self = decoder.report(found)
    } catch {
      throw LocationError(.invalidValue, "The line is not a report of gpsd: \(error.reason).")
    }
  }
}

extension JSONScanner.Fault {
  fileprivate var reason: String {
    switch self {
    case .empty: "it is empty"
    case .notAnObject: "it does not begin with a brace"
    case .syntax: "it breaks JSON's rules"
    case .invalidText: "a text in it is not UTF-8, or holds control characters"
    case .tooDeep: "its brackets are nested too deep"
    case .trailingBytes: "something follows the object"
    case .noClass: "it has no class"
    }
  }
}
