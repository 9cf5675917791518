/// A reading of a sensor in a table, in the properties of a feature, or in an extension of GPX.
struct SensorField: Sendable {
  /// The column of a table with the reading.
  let column: RecordedColumn
  private let quantity: SensorQuantity

  private init(_ column: RecordedColumn, _ quantity: SensorQuantity) {
    (self.column, self.quantity) = (column, quantity)
  }

  /// The fields in the order of columns: GPSBabel reads the last temperature as that of the air.
  static let all = [
    Self(.heartRate, .heartRate), Self(.cadence, .cadence), Self(.power, .power),
    Self(.waterTemperature, .waterTemperature), Self(.airTemperature, .airTemperature),
    Self(.depth, .depth),
  ]

  static let byColumn = Dictionary(uniqueKeysWithValues: all.map { ($0.column, $0) })

  var name: String { quantity.name }
  var range: ClosedRange<Double> { quantity.range }
  var member: any WritableKeyPath<SensorReadings, Double?> & Sendable { quantity.member }

  /// The value of this field in a point's readings; nil if it has none.
  func value(_ readings: SensorReadings) -> Double? { readings[keyPath: member] }
}
