import AsyncLocation

/// gpsd's DEVICES: the list of its receivers.
public struct DevicesReport: FieldReport {
  /// The fields of DEVICES.
  public struct Fields: Sendable {
    /// The daemon that sent the report, if it is not the connected one.
    public let remote = ReportField<String>("remote")
    /// The receivers, in gpsd's order.
    public let devices = ReportField<[DeviceReport]>("devices", atMost: 4096, absent: [])
  }

  var storage = FieldStorage<0, 1, ObjectLists>()

  /// The receivers, in gpsd's order.
  public var devices: [DeviceReport] { self[dynamicMember: \.devices] ?? [] }

  init() { storage.lists[(\Fields.devices).fieldIndex()] = [DeviceReport]() }
}

extension DevicesReport: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "DEVICES" }
}
