/// A report of gpsd as a value: one line of its protocol.
///
/// A field that is absent, of the wrong type or out of its range is nil; the report stays. Texts
/// come from outside: escape before printing.
///
/// Encoding writes gpsd's own field names and units, and times as gpsd writes them, so that
/// decoding what was encoded gives the same report, and decoding a line of gpsd with a
/// `JSONDecoder` what the backend makes of it. Members that gpsd's documentation of a class does not
/// name are kept as they are and encoded again; see ``unknownMembers``. Classes with open content
/// keep all of their members; see ``OpaqueReport``.
@nonexhaustive
public enum GPSDReport: Sendable, Hashable {
  /// VERSION: gpsd's greeting.
  case version(VersionReport)
  /// DEVICES: the receivers that gpsd has.
  case devices(DevicesReport)
  /// DEVICE: a receiver came, changed or left.
  case device(DeviceReport)
  /// WATCH: what gpsd will send.
  case watch(WatchReport)
  /// TPV: a fix.
  case tpv(TPV)
  /// SKY: satellites and geometry.
  case sky(SKY)
  /// ATT: a compass or another sensor of attitude.
  case att(ATT)
  /// ERROR: gpsd did not understand.
  case error(ErrorReport)
  /// GST: errors of a fix as standard deviations.
  case gst(GST)
  /// IMU: one of several measurements of attitude within an epoch.
  case imu(ATT)
  /// TOFF: the receiver's clock by its messages against the machine's.
  case toff(ClockReport)
  /// PPS: the receiver's clock by its pulse against the machine's.
  case pps(ClockReport)
  /// OSC: an oscillator that a receiver steers.
  case osc(OscillatorReport)
  /// POLL: the newest reports of all receivers, when asked for.
  case poll(PollReport)
  /// AIS: a ship's or a station's message.
  case ais(OpaqueReport)
  /// RTCM2: differential corrections.
  case rtcm2(OpaqueReport)
  /// RTCM3: differential corrections.
  case rtcm3(OpaqueReport)
  /// SUBFRAME: what a satellite says of its orbit.
  case subframe(OpaqueReport)
  /// RAW: a receiver's raw observations.
  case raw(OpaqueReport)
  /// LOG: a receiver's own log.
  case log(OpaqueReport)
  /// A class that the documentation does not name.
  case other(OpaqueReport)
}

extension GPSDReport {
  /// gpsd's name for the class, such as "TPV".
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

  /// The receiver that the report is of; nil when it names none, or is not of one.
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

  /// Members of the report that have no property, such as a later gpsd's, by name; see
  /// ``JSONValue``. None of a report with open content, which has all of its members in its line,
  /// nor those of what is within the report, which has its own; see
  /// ``SKY/unknownSatelliteMembers``.
  public var unknownMembers: [String: JSONValue] {
    switch self {
    case .version(let report): report.unknownMembers
    case .devices(let report): report.unknownMembers
    case .device(let report): report.unknownMembers
    case .watch(let report): report.unknownMembers
    case .tpv(let report): report.unknownMembers
    case .sky(let report): report.unknownMembers
    case .att(let report), .imu(let report): report.unknownMembers
    case .error(let report): report.unknownMembers
    case .gst(let report): report.unknownMembers
    case .toff(let report), .pps(let report): report.unknownMembers
    case .osc(let report): report.unknownMembers
    case .poll(let report): report.unknownMembers
    case .ais, .rtcm2, .rtcm3, .subframe, .raw, .log, .other: [:]
    }
  }

  /// The case for a report of open content.
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
