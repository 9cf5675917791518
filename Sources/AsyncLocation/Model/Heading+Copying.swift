public import FoundationEssentials

extension Heading {
  /// The members of a heading, to be changed; see ``Heading/with(_:)``.
  ///
  /// Nothing is checked here: the heading made of the values checks them.
  public struct Values: Sendable, Hashable {
    /// Degrees clockwise from true north, 0...360.
    public var trueHeading: Double?
    /// Degrees clockwise from magnetic north, 0...360.
    public var magneticHeading: Double?
    /// Degrees, the error of the headings, 0...180.
    public var headingAccuracy: Double?
    /// What the magnetometer reads.
    public var magneticField: MagneticField?
    /// When the heading was true.
    public var timestamp: Date
    /// Whether it was pointed or moved.
    public var source: Source
    /// Who reported it.
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

  /// A copy with some members changed.
  ///
  /// - Parameter change: Changes the members. What it does not touch stays.
  /// - Throws: ``LocationError`` with ``LocationError/Code/invalidValue`` when neither direction is
  ///   left, or a value is not finite or out of its range.
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
