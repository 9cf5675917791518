/// A value whose members are declared once, in a table from which they are encoded, decoded and
/// printed.
package protocol TabulatedMembers: Described {
  /// The members in the order in which they are printed.
  static var table: [TabulatedMember<Self>] { get }
}

extension TabulatedMembers {
  package var members: [DescribedMember] { Self.table.map { $0.described(self) } }

  /// Encodes the members of the table. Absent members are omitted.
  package func encodeTable(into values: inout KeyedEncodingContainer<MemberKey>) throws {
    for member in Self.table { try member.encode(self, &values) }
  }

  /// Decodes the members that are present; the others keep their values.
  package mutating func decodeTable(from values: KeyedDecodingContainer<MemberKey>) throws {
    for member in Self.table { try member.decode(&self, values) }
  }
}

/// A value that is encoded as an object with the members of its table. A missing member is decoded
/// as its default, since an earlier version may have written the object.
package protocol TabulatedValue: TabulatedMembers, Codable {
  /// The value whose members have their defaults.
  static var standard: Self { get }
}

extension TabulatedValue {
  public init(from decoder: any Decoder) throws {
    self = Self.standard
    try decodeTable(from: try decoder.container(keyedBy: MemberKey.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: MemberKey.self)
    try encodeTable(into: &values)
  }
}

/// A member of a table: its name, and the functions that print, encode and decode it.
package struct TabulatedMember<Root>: Sendable {
  package typealias Path<Value> = any WritableKeyPath<Root, Value> & Sendable

  package let described: @Sendable (Root) -> DescribedMember
  fileprivate let encode: @Sendable (Root, inout KeyedEncodingContainer<MemberKey>) throws -> Void
  fileprivate let decode: @Sendable (inout Root, KeyedDecodingContainer<MemberKey>) throws -> Void

  private init<Value>(
    _ name: String, _ path: Path<Value>, _ unit: String,
    printed: @escaping @Sendable (Value) -> Any?,
    encode:
      @escaping @Sendable (
        Value, inout KeyedEncodingContainer<MemberKey>, MemberKey
      ) throws -> Void,
    decode: @escaping @Sendable (KeyedDecodingContainer<MemberKey>, MemberKey) throws -> Value?
  ) {
    let key = MemberKey(name)
    described = { DescribedMember(name, printed($0[keyPath: path]), unit) }
    self.encode = { try encode($0[keyPath: path], &$1, key) }
    self.decode = { root, values in
      if let value = try decode(values, key) { root[keyPath: path] = value }
    }
  }

  /// - Parameter unit: The unit of a number, as in ``DescribedMember``.
  package init<Value: Codable & Sendable>(
    _ name: String, _ path: Path<Value>, _ unit: String = ""
  ) {
    self.init(
      name, path, unit, printed: { $0 }, encode: { try $1.encode($0, forKey: $2) },
      decode: { try $0.decodeIfPresent(Value.self, forKey: $1) })
  }

  /// A member that may be absent: nil is not encoded.
  package init<Value: Codable & Sendable>(
    _ name: String, _ path: Path<Value?>, _ unit: String = ""
  ) {
    self.init(name, path, unit, printed: { $0 })
  }

  /// A member that may be absent and that is printed as another value.
  package init<Value: Codable & Sendable>(
    _ name: String, _ path: Path<Value?>, _ unit: String = "",
    printed: @escaping @Sendable (Value) -> Any
  ) {
    self.init(
      name, path, unit, printed: { $0.map(printed) },
      encode: { try $1.encodeIfPresent($0, forKey: $2) },
      decode: { try $0.decodeIfPresent(Value.self, forKey: $1) })
  }

  /// A duration, encoded as a number of seconds with nanosecond precision.
  package init(_ name: String, _ path: Path<Duration>) {
    self.init(
      name, path, "", printed: { $0 },
      encode: { try $1.encode(ExactSeconds.number($0), forKey: $2) },
      decode: { try $0.decodeDurationIfPresent(forKey: $1) })
  }

  /// A case of an enumeration to which later versions may add cases. An unknown name counts as
  /// missing.
  package static func known<Value: RawRepresentable<String> & Codable & Sendable>(
    _ name: String, _ path: Path<Value>
  ) -> Self {
    Self(
      name, path, "", printed: { $0 }, encode: { try $1.encode($0, forKey: $2) },
      decode: { try $0.decodeKnown(Value.self, forKey: $1) })
  }
}

/// A coding key that is created from a member name in a table.
package struct MemberKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(_ name: String) { stringValue = name }
  package init?(stringValue: String) { self.init(stringValue) }
  package init?(intValue: Int) { nil }
}
