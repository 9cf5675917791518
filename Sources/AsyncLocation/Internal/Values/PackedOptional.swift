/// An optional number in eight bytes. Reports are copied often, and a `Double?` takes 16 bytes.
package struct PackedOptional: Sendable, Hashable, BitwiseCopyable {
  private var bits: UInt64

  private static var absent: UInt64 { .max }  // A NaN that no arithmetic produces.

  /// A bit pattern that is neither a number nor absent, for types that contain this type and need a
  /// marker.
  static var reserved: Self { Self(bits: absent - 1) }

  private init(bits: UInt64) { self.bits = bits }

  package init(_ value: Double?) {
    guard let value else {
      bits = Self.absent
      return
    }
    bits = value.normalizedZero.bitPattern  // Equal numbers have equal bits.
  }

  /// Stores a value that must be finite and within `range`.
  init(
    _ value: Double?, in range: ClosedRange<Double>, _ name: StaticString
  ) throws(LocationError) {
    try range.check(value, name)
    self.init(value)
  }

  package var value: Double? { bits == Self.absent ? nil : Double(bitPattern: bits) }
}

/// An optional small count in two bytes.
struct PackedCount: Sendable, Hashable, BitwiseCopyable {
  private var bits: UInt16

  private static var absent: UInt16 { .max }

  /// Stores a count, which must be in 0..<65,535.
  init(_ value: Int?) { bits = value.map { UInt16($0) } ?? Self.absent }

  var value: Int? { bits == Self.absent ? nil : Int(bits) }
}

extension LocationError {
  /// An error that names the rejected value and the accepted range.
  static func outOfRange(
    _ name: StaticString, _ value: Double, _ range: ClosedRange<Double>
  ) -> Self {
    outOfRange(name, range, hint: "got \(value).")
  }

  /// An error that names the accepted range but not the value: coordinates must not be logged.
  ///
  /// - Parameter hint: The probable reason; nil if there is none.
  static func outOfRange(
    _ name: StaticString, _ range: ClosedRange<Double>, hint: String?
  ) -> Self {
    let upper = range.upperBound == .greatestFiniteMagnitude ? "" : " at most \(range.upperBound)"
    let lower = range.lowerBound == -.greatestFiniteMagnitude ? "" : " at least \(range.lowerBound)"
    let bounds = [lower, upper].filter { !$0.isEmpty }.joined(separator: " and")
    let end = hint.map { "; \($0)" } ?? "."
    return LocationError(
      .invalidValue, "\(name) must be finite\(bounds.isEmpty ? "" : ",")\(bounds)\(end)")
  }
}

extension ClosedRange<Int> {
  /// Throws if a count is present and out of this range.
  func check(_ value: Int?, _ name: StaticString) throws(LocationError) {
    guard let value, !contains(value) else { return }
    throw .outOfRange(name, Double(value), Double(lowerBound)...Double(upperBound))
  }
}

extension ClosedRange<Double> {
  /// Throws if a value is present and out of this range.
  @inline(__always)
  func check(_ value: Double?, _ name: StaticString) throws(LocationError) {
    if let value, !contains(value) { throw .outOfRange(name, value, self) }
  }

  package static var finite: Self {
    -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude
  }
  package static var nonNegative: Self { 0...Double.greatestFiniteMagnitude }
  /// Metres, from below the deepest trench to beyond the orbits of navigation satellites.
  package static var altitude: Self { -20_000...100_000_000 }
}

extension Double {
  /// The same number with negative zero replaced by zero, so that equal values print and encode
  /// alike.
  var normalizedZero: Double { self == 0 ? 0 : self }
}
