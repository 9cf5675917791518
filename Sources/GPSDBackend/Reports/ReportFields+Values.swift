import AsyncLocation
import FoundationEssentials

/// Reads and writes a report's fields as Swift types, with range checks.
extension ReportFields {
  @inline(__always)
  func date(_ field: Field) -> Date? {
    number(field.rawValue).map(Date.init(timeIntervalSinceReferenceDate:))
  }

  func integer(_ field: Field) -> Int? { number(field.rawValue).map { Int($0) } }
  func flag(_ field: Field) -> Bool? { number(field.rawValue).map { $0 == 1 } }

  mutating func put(_ field: Field, _ value: Double?) throws(LocationError) {
    guard let value else { return }
    let specification = Self.specifications[field.rawValue]
    guard specification.accepts(value) else { throw refusal(of: specification) }
    set(field.rawValue, value)
  }

  mutating func put(_ field: Field, _ value: Int?) throws(LocationError) {
    guard let value else { return }
    guard let number = Double(exactly: value) else {
      throw refusal(of: Self.specifications[field.rawValue])
    }
    try put(field, number)
  }

  mutating func put(_ field: Field, _ flag: Bool?) {
    if let flag { set(field.rawValue, flag ? 1 : 0) }
  }

  mutating func put(_ field: Field, _ text: String?) { set(field.rawValue, text) }

  /// Stores a time with the precision that ``ReportTime`` writes.
  mutating func put(_ field: Field, _ date: Date?) throws(LocationError) {
    guard let date else { return }
    guard let seconds = ReportTime.exact(date) else {
      throw LocationError(
        .invalidValue,
        "\(Self.name(of: Self.specifications[field.rawValue])) must lie in the years 1 to 9999.")
    }
    set(field.rawValue, seconds)
  }

  // The message omits the value, because it may be a coordinate.
  private func refusal(of specification: FieldSpecification) -> LocationError {
    let range = specification.range
    let bounds =
      range == .finite
      ? "finite"
      : range.upperBound == ClosedRange.finite.upperBound
        ? "finite and at least \(range.lowerBound)"
        : "in \(range.lowerBound)...\(range.upperBound)"
    return LocationError(
      .invalidValue,
      "\(Self.name(of: specification)) must be \(specification.kind == .integer ? "whole and " : "")"
        + "\(bounds).")
  }

  private static func name(of specification: FieldSpecification) -> String {
    "\(specification.key) of \(className ?? "an object in a report")"
  }
}
