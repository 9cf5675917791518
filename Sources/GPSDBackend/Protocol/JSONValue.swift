/// Any JSON, for content that nobody knows beforehand.
enum JSONValue: Sendable, Equatable {
  case null
  case flag(Bool)
  case integer(Int64)
  case natural(UInt64)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  subscript(_ key: String) -> JSONValue? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  var string: String? { if case .text(let text) = self { text } else { nil } }

  /// The number that a token is, whole where it can be; null for a word.
  init(token: String) {
    if token == "true" || token == "false" {
      self = .flag(token == "true")
    } else if let number = Int64(token) {
      self = .integer(number)
    } else if let number = UInt64(token) {
      self = .natural(number)
    } else if let number = Double(token), number.isFinite {
      self = Int64(exactly: number).map(Self.integer) ?? .number(number)
    } else {
      self = .null
    }
  }
}

extension JSONValue: Codable {
  init(from decoder: any Decoder) throws {
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
      self = .list(list)
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Int64.self) {
      self = .integer(number)
    } else if let number = try? value.decode(UInt64.self) {
      self = .natural(number)
    } else if let number = try? value.decode(Double.self) {
      self = Int64(exactly: number).map(Self.integer) ?? .number(number)
    } else {
      self = .text(try value.decode(String.self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let members):
      var container = encoder.container(keyedBy: FieldKey.self)
      for (key, value) in members { try container.encode(value, forKey: FieldKey(key)) }
    case .list(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .flag(let flag): try Self.encode(flag, to: encoder)
    case .integer(let number): try Self.encode(number, to: encoder)
    case .natural(let number): try Self.encode(number, to: encoder)
    case .number(let number): try Self.encode(number, to: encoder)
    case .text(let text): try Self.encode(text, to: encoder)
    }
  }

  private static func encode(_ value: some Encodable, to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}
