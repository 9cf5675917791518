import AsyncLocation

/// gpsd's ERROR: a request that gpsd could not parse or cannot fulfil.
public struct ErrorReport: FieldReport {
  /// The fields of ERROR.
  public struct Fields: Sendable {
    /// gpsd's description of the error.
    public let message = ReportField<String>("message")
  }

  var storage = FieldStorage<0, 1, NoLists>()
}

extension ErrorReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "ERROR" }
}
