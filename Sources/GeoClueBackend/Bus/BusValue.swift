/// A value of D-Bus.
enum BusValue: Hashable, Sendable {
  case string(String)
  case objectPath(String)
  case boolean(Bool)
  case uint32(UInt32)
  case uint64(UInt64)
  case double(Double)
  case structure([BusValue])
  /// An array of dictionary entries with the signature `a{sv}`, without the variants.
  case dictionary([String: BusValue])
  indirect case variant(BusValue)
  /// A value of another type, which was skipped.
  case unsupported

  var string: String? { if case .string(let value) = self { value } else { nil } }
  var objectPath: String? { if case .objectPath(let value) = self { value } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var double: Double? { if case .double(let value) = self { value } else { nil } }
  var dictionary: [String: BusValue]? {
    if case .dictionary(let value) = self { value } else { nil }
  }
  /// The value inside a variant.
  var content: BusValue? { if case .variant(let value) = self { value } else { nil } }

  /// The signature of the type.
  var signature: String {
    switch self {
    case .string: "s"
    case .objectPath: "o"
    case .boolean: "b"
    case .uint32: "u"
    case .uint64: "t"
    case .double: "d"
    case .structure(let members): "(\(members.map(\.signature).joined()))"
    case .dictionary: "a{sv}"
    case .variant: "v"
    case .unsupported: ""
    }
  }
}
