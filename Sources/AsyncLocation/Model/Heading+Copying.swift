public import FoundationEssentials

extension Heading {
  /// The mutable members of a heading; see ``Heading/with(_:)``.
  ///
  /// Values are not validated here but when a heading is created from them.
  public struct Values: Sendable, Hashable {
    /// Degrees clockwise from true north, 0...360.
    public var trueHeading: Double?
    /// Degrees clockwise from magnetic north, 0...360.
    public var magneticHeading: Double?
    /// The error of the headings in degrees, 0...180.
    public var headingAccuracy: Double?
    /// The magnetometer's reading.
    public var magneticField: MagneticField?
    /// The time of the measurement.
    public var timestamp: Date
    /// How the direction was determined.
    public var source: Source
    /// The origin of the report.
    public var sourceInformation: SourceInformation?

    init(_ heading: Heading) {
      trueHeading = heading.trueHeading
      magneticHeading = heading.magneticHeading
      headingAccuracy = heading.headingAccuracy
      magneticField = heading.magneticField
      timestamp = heading.timestamp
      source = heading.source
      sourceInformation = heading.sourceInformation
    }
  }

  /// Returns a copy with some members changed.
  ///
  /// - Parameter change: Changes the members. All others keep their values.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when no direction
  ///   remains, or when a value is not finite or out of range.
  public func with(
    _ change: (inout Values) -> Void
  ) throws(LocationError) -> Heading {
    var values = Values(self)
    change(&values)
    return try Heading(
      trueHeading: values.trueHeading, magneticHeading: values.magneticHeading,
      headingAccuracy: values.headingAccuracy, magneticField: values.magneticField,
      timestamp: values.timestamp, source: values.source,
      sourceInformation: values.sourceInformation)
  }
}
