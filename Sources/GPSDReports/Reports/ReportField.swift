import AsyncLocation
import FoundationEssentials

/// A field of a report: its Swift type, and gpsd's name, unit and range for it.
///
/// Decoding, encoding, range checks, descriptions and the properties of a report are derived from
/// the field's declaration in the report's `Fields`.
public struct ReportField<Value>: Sendable {
  // The only stored property, so that every `Fields` is an array of specifications in memory.
  let specification: FieldSpecification

  private init(
    _ key: String, _ kind: FieldSpecification.Kind, _ range: ClosedRange<Double> = .finite,
    in unit: FieldUnit? = nil
  ) {
    specification = FieldSpecification(key: key, kind: kind, unit: unit, range: range)
  }
}

extension ReportField where Value == Double {
  init(_ key: String, _ range: ClosedRange<Double> = .finite, in unit: FieldUnit? = nil) {
    self.init(key, .number, range, in: unit)
  }
}

extension ReportField where Value == Int {
  init(_ key: String, _ range: ClosedRange<Double>, in unit: FieldUnit? = nil) {
    self.init(key, .integer, range, in: unit)
  }
}

extension ReportField where Value == Bool {
  init(_ key: String) { self.init(key, .flag, 0...1) }
}

extension ReportField where Value == Date {
  init(_ key: String) { self.init(key, .time) }
}

extension ReportField where Value == String {
  init(_ key: String) { self.init(key, .text) }

  /// A field with the name of a receiver, which decoders cache.
  static func device(_ key: String) -> Self { Self(key, .device) }
}

extension ReportField {
  /// A field with a list of objects, of which only the first `maximum` are kept.
  ///
  /// - Parameter absent: The value if gpsd sends no list.
  init<Element: StoredReport>(_ key: String, atMost maximum: Int, absent: [Element]? = nil)
  where Value == [Element] {
    specification = FieldSpecification(
      key: key, kind: .list,
      list: FieldSpecification.List(type: Value.self, maximum: maximum, defaultValue: absent))
  }
}
