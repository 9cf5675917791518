import AsyncLocation

/// The key, kind, unit and valid range of a report's field.
struct FieldSpecification: Sendable {
  enum Kind: UInt8 {
    case number, integer, flag
    /// ISO 8601, or seconds since 1970; stored as seconds since 2001.
    case time
    case text
    /// The name of a receiver. Most reports repeat it, so the decoder caches it.
    case device
    /// An array of objects.
    case list
    /// The class of the report itself.
    case className
  }

  /// The details of a list.
  struct List: Sendable {
    let type: any ObjectList.Type
    /// The number of objects that are kept; the rest is skipped.
    let maximum: Int
    /// The value if gpsd sends no list.
    let defaultValue: (any ObjectList)?
  }

  let key: String
  let kind: Kind
  var unit: FieldUnit?
  var range = ClosedRange<Double>.finite
  var list: List?

  static var className: Self { Self(key: "class", kind: .className) }

  /// Returns the specifications of the fields that a `Fields` declares, in its order.
  static func all<Fields>(of fields: Fields) -> [Self] {
    let stride = MemoryLayout<Self>.stride
    precondition(MemoryLayout<Fields>.stride.isMultiple(of: stride))
    // SAFETY: every property of `Fields` is a `ReportField`, whose only property is a
    // specification.
    return unsafe withUnsafeBytes(of: fields) { bytes in
      (0..<MemoryLayout<Fields>.stride / stride).map {
        unsafe bytes.load(fromByteOffset: $0 * stride, as: Self.self)
      }
    }
  }

  /// Returns whether a number is a valid value of the field.
  func accepts(_ value: Double) -> Bool {
    range.contains(value) && (kind != .integer || value.rounded() == value)
  }

  /// Returns the error for a value that is not valid. The error omits the value, which may be a
  /// coordinate.
  func refusal(in className: String?) -> LocationError {
    let rule: String
    if kind == .time {
      rule = "be in the years 1 to 9999"
    } else {
      let bounds =
        range == .finite
        ? "finite"
        : range.upperBound == ClosedRange.finite.upperBound
          ? "finite and at least \(range.lowerBound)"
          : "in \(range.lowerBound)...\(range.upperBound)"
      rule = "be \(kind == .integer ? "whole and " : "")\(bounds)"
    }
    return LocationError(
      .invalidValue, "\(key) of \(className ?? "an object in a report") must \(rule).")
  }
}

/// The units of gpsd's fields, as they are printed.
enum FieldUnit: String {
  case degrees = "°"
  case metres = "m"
  case metresPerSecond = "m/s"
  case seconds = "s"
  case nanoseconds = "ns"
  case nanosecondsPerSecond = "ns/s"
  case picoseconds = "ps"
  case celsius = "°C"
  case decibelHertz = "dB-Hz"
  case bitsPerSecond = "bit/s"
}

extension ClosedRange<Double> {
  /// The nonnegative integers that a `Double` represents without gaps, up to 2⁵³.
  static var count: Self { 0...9_007_199_254_740_992 }
}
