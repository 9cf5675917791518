/// A line from gpsd as a value.
///
/// A field that is absent, of the wrong type or out of its range is nil; the report stays. Texts
/// come from outside: escape before printing.
package enum GPSDReport: Sendable, Equatable {
  case version(VersionReport)
  case devices(DevicesReport)
  case device(DeviceReport)
  case watch(WatchReport)
  case timePositionVelocity(TimePositionVelocityReport)
  case sky(SkyReport)
  case attitude(AttitudeReport)
  case error(ErrorReport)
  /// A class that is not decoded, by its name.
  case other(String)
}

/// A report, or an object in one, whose fields a ``FieldTable`` finds.
protocol ReportFields {
  /// How many objects of a list are kept; no receiver tracks, and no gpsd has, as many.
  static var maximumListLength: Int { get }
  static var table: FieldTable { get }
  /// What `class` says; nil for objects that need no class.
  static var className: String? { get }

  init()

  mutating func remove(_ field: Int)
  mutating func set(_ field: Int, _ value: Double)
  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache)
  /// Takes one object of a list; stands on its opening bracket.
  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ names: inout NameCache
  ) throws(JSONScanner.Fault)
  /// An array begins.
  mutating func begin(_ field: Int)
}

extension ReportFields {
  static var maximumListLength: Int { 4096 }

  mutating func set(_ field: Int, _ text: ScannedText, _ names: inout NameCache) {}
  mutating func add(
    _ field: Int, _ scanner: inout JSONScanner, _ names: inout NameCache
  ) throws(JSONScanner.Fault) {
    try scanner.skipValue(depth: 2)
  }
  mutating func begin(_ field: Int) {}
}
