import AsyncLocation

/// gpsd's VERSION: its greeting.
public struct VersionReport: FieldReport {
  /// The fields of VERSION.
  public struct Fields: Sendable {
    /// The major version of the protocol.
    public let protocolMajor = ReportField<Int>("proto_major", 0...65_535)
    /// The minor version of the protocol.
    public let protocolMinor = ReportField<Int>("proto_minor", 0...65_535)
    /// gpsd's release, such as "3.22".
    public let release = ReportField<String>("release")
    /// The revision of gpsd's source.
    public let revision = ReportField<String>("rev")
    /// The daemon that sent the report, if it is not the connected one.
    public let remote = ReportField<String>("remote")
  }

  var storage = FieldStorage<2, 3, NoLists>()
}

extension VersionReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "VERSION" }
}
