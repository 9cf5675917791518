import AsyncLocation
public import FoundationEssentials

/// gpsd's GST: a receiver's estimates of the errors of its fix, as standard deviations.
public struct GST: FieldReport {
  /// The fields of GST.
  public struct Fields: Sendable {
    /// The time of the report, by the receiver's clock.
    public let time = ReportField<Date>("time")
    /// The standard deviation of the ranges used in the fix, in the receiver's unit.
    public let rangeDeviation = ReportField<Double>("rms", .nonNegative)
    /// The standard deviation along the semi-major axis of the error ellipse in metres.
    public let semiMajorDeviation = ReportField<Double>("major", .nonNegative, in: .metres)
    /// The standard deviation along the semi-minor axis of the error ellipse in metres.
    public let semiMinorDeviation = ReportField<Double>("minor", .nonNegative, in: .metres)
    /// The direction of the semi-major axis in degrees from true north.
    public let semiMajorOrientation = ReportField<Double>("orient", -360...360, in: .degrees)
    /// The standard deviation of the latitude in metres.
    public let latitudeDeviation = ReportField<Double>("lat", .nonNegative, in: .metres)
    /// The standard deviation of the longitude in metres.
    public let longitudeDeviation = ReportField<Double>("lon", .nonNegative, in: .metres)
    /// The standard deviation of the altitude in metres.
    public let altitudeDeviation = ReportField<Double>("alt", .nonNegative, in: .metres)
    /// The standard deviation of the velocity to the east in metres per second; newer releases of
    /// gpsd.
    public let eastVelocityDeviation = ReportField<Double>("ve", .nonNegative)
    /// The standard deviation of the velocity to the north in metres per second.
    public let northVelocityDeviation = ReportField<Double>("vn", .nonNegative)
    /// The standard deviation of the upward velocity in metres per second.
    public let upVelocityDeviation = ReportField<Double>("vu", .nonNegative)
    /// The receiver that sent the report.
    public let device = ReportField<String>.device("device")
  }

  var storage = FieldStorage<11, 1, NoLists>()
}

extension GST: StoredReport {
  static let table = makeTable(Fields())
  static var className: String? { "GST" }
}
