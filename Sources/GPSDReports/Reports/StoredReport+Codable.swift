import FoundationEssentials

typealias FieldEncoding = KeyedEncodingContainer<FieldKey>
typealias FieldDecoding = KeyedDecodingContainer<FieldKey>

/// A field's name in gpsd's protocol.
struct FieldKey: CodingKey {
  static let className = Self("class")

  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}

/// Encodes and decodes a report with gpsd's names and units. Decoding is as lenient as the scanner:
/// each field is independent, and an invalid value makes it absent.
extension StoredReport {
  public func encode(to encoder: any Encoder) throws { try write(to: encoder) }

  /// Encodes the report with `name` as its class, because several classes may share the fields.
  func write(
    to encoder: any Encoder, as name: String? = Self.className, with unknown: UnknownMembers? = nil
  ) throws {
    var container = encoder.container(keyedBy: FieldKey.self)
    if let name { try container.encode(name, forKey: .className) }
    for (field, specification) in Self.table.specifications.enumerated() {
      let key = FieldKey(specification.key)
      switch specification.kind {
      case .number: try container.encodeIfPresent(storage.number(field), forKey: key)
      case .integer:
        try container.encodeIfPresent(storage.number(field).map { Int64($0) }, forKey: key)
      case .flag: try container.encodeIfPresent(storage.number(field).map { $0 == 1 }, forKey: key)
      case .time:
        guard let seconds = storage.number(field) else { continue }
        if Self.writesEpochAsZero, seconds == ReportTime.epoch {
          try container.encode(0, forKey: key)
        } else {
          try container.encode(ReportTime.text(seconds), forKey: key)
        }
      case .text, .device: try container.encodeIfPresent(storage.text(field), forKey: key)
      case .list:
        try storage.lists.encode(field, Self.list(field), to: &container, forKey: key)
      case .className: break
      }
    }
    for (name, value) in (unknown ?? storage.unknown).all {
      try container.encode(value, forKey: FieldKey(name))
    }
  }

  /// Decodes a report.
  ///
  /// - Throws: `DecodingError` if the value is not an object, or is of another class.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: FieldKey.self)
    if !Self.classNames.isEmpty, container.contains(.className) {
      let name = try container.decode(String.self, forKey: .className)
      guard Self.classNames.contains(name) else {
        throw DecodingError.dataCorruptedError(
          forKey: .className, in: container,
          debugDescription: "The class is not \(Self.classNames.joined(separator: " or ")).")
      }
    }
    self.init()
    for (field, specification) in Self.table.specifications.enumerated() {
      let key = FieldKey(specification.key)
      guard container.contains(key) else { continue }
      switch specification.kind {
      case .number, .integer:
        if let value = try? container.decode(Double.self, forKey: key),
          specification.accepts(value)
        {
          storage.set(field, value)
        }
      case .flag:
        if let flag = try? container.decode(Bool.self, forKey: key) {
          storage.set(field, flag ? 1 : 0)
        }
      case .time:
        if let text = try? container.decode(String.self, forKey: key) {
          if let seconds = ReportTime.seconds(text) { storage.set(field, seconds) }
        } else if let number = try? container.decode(Double.self, forKey: key),
          let seconds = ReportTime.seconds(since1970: number)
        {
          storage.set(field, seconds)
        }
      case .text, .device:
        if let text = try? container.decode(String.self, forKey: key) { storage.set(field, text) }
      case .list: storage.lists.decode(field, Self.list(field), from: container, forKey: key)
      case .className: break
      }
    }
    storage.unknown = UnknownMembers(in: container, beside: Self.table.specifications)
  }
}

extension UnknownMembers {
  /// Decodes the members that are in no specification, up to the budget. They are decoded in the
  /// order of their names, because a container has no order.
  init(in container: FieldDecoding, beside specifications: [FieldSpecification]) {
    let known = Set(specifications.map(\.key))
    var budget = UnknownMemberBudget.full
    for name in container.allKeys.map(\.stringValue).filter({ !known.contains($0) }).sorted() {
      guard let value = try? container.decode(JSONValue.self, forKey: FieldKey(name)) else {
        continue
      }
      guard budget.reserve(name, value) else { return }
      store(name, value)
    }
  }
}

extension KeyedDecodingContainer<FieldKey> {
  /// Returns the objects of a list, skipping other elements; nil if the value is not a list.
  func list<Element: Decodable>(
    of type: Element.Type, atMost count: Int, forKey key: FieldKey
  ) -> [Element]? {
    let elements = try? decode([LossyElement<Element>?].self, forKey: key)
    guard let elements else { return nil }
    return Array(elements.lazy.compactMap { $0?.value }.prefix(count))
  }
}

/// A list element of any type; its value is nil if the element cannot be decoded as `Value`.
private struct LossyElement<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}
