import AsyncLocation
public import FoundationEssentials

/// The fields of a new report, which the closure of ``FieldReport/init(_:)`` sets.
///
/// A value that is out of its field's range is rejected: the field becomes absent, and the
/// initializer throws the error of the first rejected value.
@dynamicMemberLookup
public struct ReportBuilder<Fields> {
  enum Value {
    case number(Double)
    case text(String)
    case list(any ObjectList)
  }

  /// The values by the field's index.
  private(set) var values: [Int: Value] = [:]
  /// The error of the first rejected value.
  private(set) var refusal: LocationError?
  private let table: FieldTable
  private let className: String?

  init(_ table: FieldTable, _ className: String?) {
    (self.table, self.className) = (table, className)
  }

  /// The number of a field; nil if it is absent.
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Double>>) -> Double? {
    get { number(field.fieldIndex()) }
    set { set(field.fieldIndex(), newValue) { $0 } }
  }

  /// The whole number of a field; nil if it is absent.
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Int>>) -> Int? {
    get { number(field.fieldIndex()).map { Int($0) } }
    set { set(field.fieldIndex(), newValue, Double.init(exactly:)) }
  }

  /// Whether a field is true; nil if it is absent.
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Bool>>) -> Bool? {
    get { number(field.fieldIndex()).map { $0 == 1 } }
    set { set(field.fieldIndex(), newValue) { $0 ? 1 : 0 } }
  }

  /// The time of a field, with the precision in which it is encoded; nil if it is absent.
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<Date>>) -> Date? {
    get { number(field.fieldIndex()).map(Date.init(timeIntervalSinceReferenceDate:)) }
    set { set(field.fieldIndex(), newValue, ReportTime.exact) }
  }

  /// The text of a field; nil if it is absent.
  public subscript(dynamicMember field: KeyPath<Fields, ReportField<String>>) -> String? {
    get {
      guard case .text(let text)? = values[field.fieldIndex()] else { return nil }
      return text
    }
    set { values[field.fieldIndex()] = newValue.map(Value.text) }
  }

  /// The objects of a field; nil if it is absent.
  public subscript<Element: FieldReport>(
    dynamicMember field: KeyPath<Fields, ReportField<[Element]>>
  ) -> [Element]? {
    get {
      guard case .list(let list)? = values[field.fieldIndex()] else { return nil }
      return list as? [Element]
    }
    set { values[field.fieldIndex()] = (newValue as? any ObjectList).map(Value.list) }
  }

  private func number(_ field: Int) -> Double? {
    guard case .number(let number)? = values[field] else { return nil }
    return number
  }

  /// Sets a number field. `convert` returns nil for a value that no number represents.
  private mutating func set<Input>(
    _ field: Int, _ value: Input?, _ convert: (Input) -> Double?
  ) {
    values[field] = nil
    guard let value else { return }
    let specification = table.specification(field)
    guard let number = convert(value), specification.accepts(number) else {
      refusal = refusal ?? specification.refusal(in: className)
      return
    }
    values[field] = .number(number)
  }
}

@available(*, unavailable)
extension ReportBuilder: Sendable {}
