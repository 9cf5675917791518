import AsyncLocation

/// gpsd's ERROR: gpsd did not understand a request or cannot fulfil it.
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
