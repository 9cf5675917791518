import AsyncLocation

/// A report of gpsd, decoded from one line of its protocol.
///
/// A field that is absent, of the wrong type or out of its range is nil; the rest of the report is
/// kept. Texts are untrusted input: escape them before printing.
///
/// Encoding uses gpsd's field names, units and time format. Decoding an encoded report yields an
/// equal report, and a `JSONDecoder` decodes a line of gpsd to the same report as the backend.
/// Members that gpsd's documentation of a class does not name are kept unchanged and encoded again;
/// see ``unknownMembers``. Classes with open content keep all of their members; see
/// ``OpaqueReport``.
@nonexhaustive
public enum GPSDReport: Sendable, Hashable {
  /// VERSION: gpsd's greeting.
  case version(VersionReport)
  /// DEVICES: gpsd's list of receivers.
  case devices(DevicesReport)
  /// DEVICE: a receiver was added, changed or removed.
  case device(DeviceReport)
  /// WATCH: the report options that are in effect.
  case watch(WatchReport)
  /// TPV: a fix.
  case tpv(TPV)
  /// SKY: satellites and dilution of precision.
  case sky(SKY)
  /// ATT: a compass or another attitude sensor.
  case att(ATT)
  /// ERROR: gpsd rejected a request.
  case error(ErrorReport)
  /// GST: errors of a fix as standard deviations.
  case gst(GST)
  /// IMU: one of several attitude measurements within an epoch.
  case imu(ATT)
  /// TOFF: the receiver's clock, measured by its messages, compared with the system clock.
  case toff(ClockReport)
  /// PPS: the receiver's clock, measured by its pulse, compared with the system clock.
  case pps(ClockReport)
  /// OSC: an oscillator that a receiver disciplines.
  case osc(OscillatorReport)
  /// POLL: the latest reports of all receivers, on request.
  case poll(PollReport)
  /// AIS: a message from a ship or a station.
  case ais(OpaqueReport)
  /// RTCM2: differential corrections.
  case rtcm2(OpaqueReport)
  /// RTCM3: differential corrections.
  case rtcm3(OpaqueReport)
  /// SUBFRAME: a satellite's navigation message.
  case subframe(OpaqueReport)
  /// RAW: raw observations of a receiver.
  case raw(OpaqueReport)
  /// LOG: log entries of a receiver.
  case log(OpaqueReport)
  /// A class that gpsd's documentation does not name.
  case other(OpaqueReport)
}

extension GPSDReport {
  /// gpsd's name of the class, such as "TPV".
  public var className: String {
    switch self {
    case .version: "VERSION"
    case .devices: "DEVICES"
    case .device: "DEVICE"
    case .watch: "WATCH"
    case .tpv: "TPV"
    case .sky: "SKY"
    case .att: "ATT"
    case .error: "ERROR"
    case .gst: "GST"
    case .imu: "IMU"
    case .toff: "TOFF"
    case .pps: "PPS"
    case .osc: "OSC"
    case .poll: "POLL"
    case .ais(let report), .rtcm2(let report), .rtcm3(let report), .subframe(let report),
      .raw(let report), .log(let report), .other(let report):
      report.className
    }
  }

  /// The receiver that the report is about; nil if the report names none or is not about a
  /// receiver.
  public var device: String? {
    switch self {
    case .version, .devices, .error, .poll: nil
    case .device(let report): report.path
    case .watch(let report): report.device
    case .tpv(let report): report.device
    case .sky(let report): report.device
    case .att(let report), .imu(let report): report.device
    case .gst(let report): report.device
    case .toff(let report), .pps(let report): report.device
    case .osc(let report): report.device
    case .ais(let report), .rtcm2(let report), .rtcm3(let report), .subframe(let report),
      .raw(let report), .log(let report), .other(let report):
      report.device
    }
  }

  /// Members without a property, such as those of a later gpsd, by name; see ``JSONValue``. Empty
  /// for reports with open content, whose line has all members. Members of nested objects are not
  /// included; see ``SKY/unknownSatelliteMembers``.
  public var unknownMembers: [String: JSONValue] {
    (value as? any FieldReport)?.unknownMembers ?? [:]
  }

  /// The report as a value of its own type.
  var value: any Described & Encodable {
    switch self {
    case .version(let report): report
    case .devices(let report): report
    case .device(let report): report
    case .watch(let report): report
    case .tpv(let report): report
    case .sky(let report): report
    case .att(let report), .imu(let report): report
    case .error(let report): report
    case .gst(let report): report
    case .toff(let report), .pps(let report): report
    case .osc(let report): report
    case .poll(let report): report
    case .ais(let report), .rtcm2(let report), .rtcm3(let report), .subframe(let report),
      .raw(let report), .log(let report), .other(let report):
      report
    }
  }

  /// Selects the case for a report with open content.
  init(_ report: OpaqueReport) {
    self =
      switch report.className {
      case "AIS": .ais(report)
      case "RTCM2": .rtcm2(report)
      case "RTCM3": .rtcm3(report)
      case "SUBFRAME": .subframe(report)
      case "RAW": .raw(report)
      case "LOG": .log(report)
      default: .other(report)
      }
  }
}
