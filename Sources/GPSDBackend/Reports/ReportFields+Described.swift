package import AsyncLocation
import FoundationEssentials

/// Describes a report with gpsd's names and the units of gpsd's documentation.
extension ReportFields {
  package var members: [DescribedMember] { allMembers }

  /// The fields in the order of their specifications, then the unknown members.
  fileprivate var allMembers: [DescribedMember] {
    let fields = Self.specifications.enumerated().compactMap { field, specification in
      let value: Any? =
        switch specification.kind {
        case .number: number(field)
        case .integer: number(field).map { Int($0) }
        case .flag: number(field).map { $0 == 1 }
        case .time: number(field).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .text: text(field)
        case .list: list(field)
        case .className: nil
        }
      return DescribedMember(
        specification.key, value, FieldUnits.unit(of: specification.key, in: Self.className))
    }
    let others = unknown.all.sorted { $0.key < $1.key }.map {
      DescribedMember(String(printable: $0.key), $0.value)
    }
    return fields + others
  }
}

extension ATT: Described {
  package var describedName: String { "ATT" }
}

extension ClockReport: Described {
  package var describedName: String { "TOFF" }
}

extension DeviceReport: Described {
  package var describedName: String { "DEVICE" }
}

extension DevicesReport: Described {
  package var describedName: String { "DEVICES" }
}

extension ErrorReport: Described {
  package var describedName: String { "ERROR" }
}

extension OscillatorReport: Described {
  package var describedName: String { "OSC" }
}

extension PollReport: Described {
  package var describedName: String { "POLL" }
}

extension GST: Described {
  package var describedName: String { "GST" }
}

extension SatelliteReport: Described {
  package var describedName: String { "Satellite" }
}

extension SKY: Described {
  package var describedName: String { "SKY" }

  package var members: [DescribedMember] {
    let others = unknownSatelliteMembers.sorted { $0.key < $1.key }.map { satellite, members in
      DescribedMember("satellites[\(satellite)]", JSONValue.object(members))
    }
    return allMembers + others
  }
}

extension TPV: Described {
  package var describedName: String { "TPV" }
}

extension VersionReport: Described {
  package var describedName: String { "VERSION" }
}

extension WatchReport: Described {
  package var describedName: String { "WATCH" }
}

/// The printed units of gpsd's fields.
enum FieldUnits {
  /// Most fields have the same unit in every class.
  static let byKey: [String: String] = [
    "lat": "°", "lon": "°", "track": "°", "magtrack": "°", "epd": "°", "magvar": "°",
    "baseC": "°", "wanglem": "°", "wangler": "°", "wanglet": "°", "heading": "°",
    "mheading": "°", "pitch": "°", "roll": "°", "yaw": "°", "el": "°", "az": "°", "orient": "°",
    "altHAE": "m", "altMSL": "m", "alt": "m", "geoidSep": "m", "eph": "m", "epx": "m",
    "epy": "m", "epv": "m", "sep": "m", "ecefx": "m", "ecefy": "m", "ecefz": "m",
    "ecefpAcc": "m", "relN": "m", "relE": "m", "relD": "m", "baseE": "m", "baseN": "m",
    "baseU": "m", "baseL": "m", "depth": "m", "major": "m", "minor": "m", "prRes": "m",
    "speed": "m/s", "eps": "m/s", "climb": "m/s", "epc": "m/s", "ecefvx": "m/s",
    "ecefvy": "m/s", "ecefvz": "m/s", "ecefvAcc": "m/s", "velN": "m/s", "velE": "m/s",
    "velD": "m/s", "wspeedr": "m/s", "wspeedt": "m/s", "prrRes": "m/s",
    "ept": "s", "dgpsAge": "s", "leapseconds": "s", "cycle": "s", "mincycle": "s",
    "real_sec": "s", "clock_sec": "s", "real_nsec": "ns", "clock_nsec": "ns",
    "clockbias": "ns", "clockdrift": "ns/s", "delta": "ns", "qErr": "ps",
    "temp": "°C", "wtemp": "°C", "gyro_temp": "°C", "ss": "dB-Hz", "bps": "bit/s",
  ]

  /// The fields with another unit in one class.
  static let byClass: [String: [String: String]] = [
    "GST": ["lat": "m", "lon": "m"],
    "SKY": ["prRes": "m/s"],
  ]

  static func unit(of key: String, in className: String?) -> String {
    className.flatMap { byClass[$0]?[key] } ?? byKey[key] ?? ""
  }
}

extension GPSDReport: Described {
  package var describedName: String { String(printable: className) }

  package var members: [DescribedMember] {
    switch self {
    case .version(let report): report.members
    case .devices(let report): report.members
    case .device(let report): report.members
    case .watch(let report): report.members
    case .tpv(let report): report.members
    case .sky(let report): report.members
    case .att(let report), .imu(let report): report.members
    case .error(let report): report.members
    case .gst(let report): report.members
    case .toff(let report), .pps(let report): report.members
    case .osc(let report): report.members
    case .poll(let report): report.members
    case .ais(let report), .rtcm2(let report), .rtcm3(let report), .subframe(let report),
      .raw(let report), .log(let report), .other(let report):
      report.members
    }
  }
}

extension OpaqueReport: Described {
  package var describedName: String { String(printable: className) }

  package var members: [DescribedMember] {
    [DescribedMember("device", device), DescribedMember("line", line)]
  }
}

extension ReceivedReport: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("number", number),
      DescribedMember("report", report),
      DescribedMember("line", line),
    ]
  }
}
