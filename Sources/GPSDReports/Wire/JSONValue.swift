import AsyncLocation

/// Any JSON value; used for members for which a report has no property.
///
/// Reports keep such members of a line up to 64 KiB of memory in total. Further members are only in
/// `ReceivedReport.line`. Members are untrusted input: escape texts before printing.
public enum JSONValue: Sendable, Hashable {
  /// `null`, or a token without a finite value, such as `nan` or `1e400`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number in the range of `Int64`, in any notation, such as `1e3`.
  case integer(Int64)
  /// A whole number above `Int64.max`, up to `UInt64.max`.
  case unsigned(UInt64)
  /// Any other number. Encoding a number that is not finite fails.
  case number(Double)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// Members by name; of several with the same name, the last one.
  case object([String: JSONValue])

  /// Returns a member of an object; nil for any other value.
  public subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The string; nil for any other value.
  public var stringValue: String? { if case .string(let text) = self { text } else { nil } }

  /// The number as the nearest double; nil for any other value.
  public var doubleValue: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .number(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }

  /// Creates the value of a token: a Boolean, an integer if possible, or another number; null for
  /// any other word.
  init(token: String) {
    if token == "true" || token == "false" {
      self = .bool(token == "true")
    } else if let number = Int64(token) {
      self = .integer(number)
    } else if let number = UInt64(token) {
      self = .unsigned(number)
    } else if let number = Double(token), number.isFinite {
      self.init(number: number)
    } else {
      self = .null
    }
  }

  /// Converts a whole number to an integer. An integer is encoded with all its digits and decodes
  /// to the same value: JSON decoders read 9.223372036854776e+18 as a whole number that differs
  /// from the double.
  private init(number: Double) {
    self =
      Int64(exactly: number).map(Self.integer) ?? UInt64(exactly: number).map(Self.unsigned)
      ?? .number(number)
  }
}

extension JSONValue: Codable {
  public init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: FieldKey.self) {
      self = .object(
        try members.allKeys.reduce(into: [:]) { object, key in
          object[key.stringValue] = try members.decode(JSONValue.self, forKey: key)
        })
      return
    }
    if var elements = try? decoder.unkeyedContainer() {
      var list: [JSONValue] = []
      while !elements.isAtEnd {
        list.append(try elements.decodeNil() ? .null : elements.decode(JSONValue.self))
      }
      self = .array(list)
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? value.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? value.decode(UInt64.self) {
      self = .unsigned(number)
    } else if let number = try? value.decode(Double.self) {
      self.init(number: number)
    } else {
      self = .string(try value.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: FieldKey.self)
      for (key, value) in members { try container.encode(value, forKey: FieldKey(key)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .bool(let flag): try Self.encode(flag, to: encoder)
    case .integer(let number): try Self.encode(number, to: encoder)
    case .unsigned(let number): try Self.encode(number, to: encoder)
    case .number(let number): try Self.encode(number, to: encoder)
    case .string(let text): try Self.encode(text, to: encoder)
    }
  }

  private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON on one line, with members sorted by name. Texts are truncated and escaped
  /// for a terminal, so the result may not decode to the same value.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let flag): "\(flag)"
    case .integer(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .number(let number): "\(number)"
    case .string(let text): String(quoted: text)
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .object(let members):
      "{"
        + members.sorted { $0.key < $1.key }.map { "\(String(quoted: $0.key)): \($0.value)" }
        .joined(separator: ", ") + "}"
    }
  }
}
