/// gpsd's VERSION, its greeting.
package struct VersionReport: Sendable, Equatable {
  /// Such as "3.22".
  package private(set) var release: String?
  /// The revision of the source.
  package private(set) var revision: String?
  /// The version of the protocol.
  package private(set) var protocolMajor: Int?
  package private(set) var protocolMinor: Int?
  /// The daemon that reports, when it is not the one that is connected.
  package private(set) var remote: String?

  init() {}
}

extension VersionReport: ReportFields {
  private enum Field: Int { case release, revision, major, minor, remote, className }

  static let className: String? = "VERSION"
  static let table = FieldTable([
    .text("release"), .text("rev"), .integer("proto_major", 0...65_535),
    .integer("proto_minor", 0...65_535), .text("remote"), .className,
  ])

  mutating func remove(_ field: Int) {
    switch Field(rawValue: field) {
    case .release: release = nil
    case .revision: revision = nil
    case .major: protocolMajor = nil
    case .minor: protocolMinor = nil
    case .remote: remote = nil
    case .className, nil: break
    }
  }

  mutating func set(_ field: Int, _ value: Double) {
    if field == Field.major.rawValue {
      protocolMajor = Int(value)
    } else {
      protocolMinor = Int(value)
    }
  }

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    switch Field(rawValue: field) {
    case .release: release = text.string()
    case .revision: revision = text.string()
    case .remote: remote = text.string()
    case .major, .minor, .className, nil: break
    }
  }
}

/// gpsd's WATCH: what it will send, as it understood the request.
package struct WatchReport: Sendable, Equatable {
  package enum Field: Int, Sendable, CaseIterable {
    /// 1 for yes, 0 for no: sends at all, as JSON, as NMEA.
    case isEnabled, json, nmea
    /// 0 not, 1 as hexadecimal, 2 as received.
    case raw
    /// 1 for yes, 0 for no.
    case isScaled, timing, split24, pps
    /// Not kept: of use to the decoder alone.
    case deviceName, remoteName, className
  }

  private var numbers = Numbers<8>()
  /// The one receiver that is watched; nil for all.
  package private(set) var device: String?
  /// The daemon that reports, when it is not the one that is connected.
  package private(set) var remote: String?

  init() {}

  package subscript(_ field: Field) -> Double? { numbers[field.rawValue] }

  /// Whether reports are sent; nil when the answer does not say.
  package var isEnabled: Bool? { self[.isEnabled].map { $0 == 1 } }
}

extension WatchReport: ReportFields {
  static let className: String? = "WATCH"
  static let table = FieldTable([
    .flag("enable"), .flag("json"), .flag("nmea"), .integer("raw", 0...255), .flag("scaled"),
    .flag("timing"), .flag("split24"), .flag("pps"), .text("device"), .text("remote"), .className,
  ])

  mutating func remove(_ field: Int) {
    if field < Field.deviceName.rawValue {
      numbers.remove(field)
    } else if field == Field.deviceName.rawValue {
      device = nil
    } else if field == Field.remoteName.rawValue {
      remote = nil
    }
  }

  mutating func set(_ field: Int, _ value: Double) { numbers.set(field, value) }

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    if field == Field.deviceName.rawValue {
      device = names.name(text)
    } else {
      remote = text.string()
    }
  }
}

/// gpsd's ERROR: it did not understand, or cannot do, what it was asked.
package struct ErrorReport: Sendable, Equatable {
  package private(set) var message: String?

  init() {}
}

extension ErrorReport: ReportFields {
  static let className: String? = "ERROR"
  static let table = FieldTable([.text("message"), .className])

  mutating func remove(_ field: Int) { if field == 0 { message = nil } }
  mutating func set(_ field: Int, _ value: Double) {}
  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {
    message = text.string()
  }
}
