public import AsyncLocation
public import FoundationEssentials

/// A report of gpsd, or an object in a report, with documented fields.
///
/// `Fields` declares the fields. Each field is read as a property of the report with the same name,
/// such as `report.latitude`; it is nil if the field is absent. In a new report, fields are set by
/// the same names:
///
/// ```swift
/// let report = try TPV {
///   $0.mode = 3
///   $0.latitude = 52.1
/// }
/// ```
@dynamicMemberLookup
public protocol FieldReport: Sendable, Hashable, Codable {
  /// The fields, one property each.
  associatedtype Fields: Sendable

  /// Creates a report with the fields that `assign` sets; the others are absent.
  ///
  /// - Throws: ``/AsyncLocation/LocationError`` with `invalidValue` for the first value that is
  ///   NaN, infinite or out of its range.
  init(_ assign: (inout ReportBuilder<Fields>) -> Void) throws(LocationError)

  /// Members without a field, such as those of a later gpsd, by name; see ``JSONValue``. Always
  /// empty for a ``SatelliteReport``; see ``SKY/unknownSatelliteMembers``.
  var unknownMembers: [String: JSONValue] { get }

  // The remaining requirements serve the subscripts below, which the optimizer reduces to one call
  // with a constant index, also in other modules. Applications use the properties.

  /// The number, the flag as 1 or 0, or the seconds since 2001 in a field.
  func _number(at index: Int) -> Double?
  /// The text in a field.
  func _text(at index: Int) -> String?
  /// The array in a field.
  func _objects(at index: Int) -> (any Sendable)?
}

extension FieldReport {
  /// The number in a field; nil if it is absent.
  @inlinable
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Double>>) -> Double? {
    @inline(__always) get { _number(at: field.fieldIndex()) }
  }

  /// The whole number in a field; nil if it is absent.
  @inlinable
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Int>>) -> Int? {
    @inline(__always) get { _number(at: field.fieldIndex()).map { Int($0) } }
  }

  /// Whether a field is true; nil if it is absent.
  @inlinable
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Bool>>) -> Bool? {
    @inline(__always) get { _number(at: field.fieldIndex()).map { $0 == 1 } }
  }

  /// The time in a field; nil if it is absent.
  @inlinable
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Date>>) -> Date? {
    @inline(__always) get {
      _number(at: field.fieldIndex()).map(Date.init(timeIntervalSinceReferenceDate:))
    }
  }

  /// The text in a field; nil if it is absent.
  @inlinable
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<String>>) -> String? {
    @inline(__always) get { _text(at: field.fieldIndex()) }
  }

  /// The objects in a field; nil if it is absent.
  @inlinable
  public subscript<Element: FieldReport>(
    dynamicMember field: KeyPath<Fields, ReportField<[Element]>>
  ) -> [Element]? {
    @inline(__always) get { _objects(at: field.fieldIndex()) as? [Element] }
  }
}

extension KeyPath {
  /// The index of a field in its `Fields`. The optimizer computes it at compile time if the path is
  /// a literal.
  @inlinable @inline(__always)
  func fieldIndex<Type>() -> Int where Value == ReportField<Type> {
    guard let offset = MemoryLayout<Root>.offset(of: self) else {
      preconditionFailure("A field is a stored property of its `Fields`.")
    }
    return offset / MemoryLayout<Value>.stride
  }
}
