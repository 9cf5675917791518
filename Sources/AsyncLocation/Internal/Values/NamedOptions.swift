/// An option set that is printed and encoded as the names of its options.
///
/// Encoding writes an array of names. Decoding ignores unknown names, which a later version may
/// have written. Bits without a name are printed as one number and not encoded.
package protocol NamedOptions: OptionSet, Codable, CustomStringConvertible,
  CustomDebugStringConvertible, CustomReflectable
where RawValue == UInt32 {
  /// Every single-bit option, in ascending order of the bits.
  static var names: [(name: String, option: Self)] { get }
}

extension NamedOptions {
  /// The names of the options in this set, in the order of the bits.
  package var ownNames: [String] {
    Self.names.filter { rawValue & $0.option.rawValue != 0 }.map(\.name)
  }

  public var description: String {
    let unknown = Self.names.reduce(rawValue) { $0 & ~$1.option.rawValue }
    let parts = ownNames + (unknown == 0 ? [] : ["0x" + String(unknown, radix: 16)])
    return "[\(parts.joined(separator: ", "))]"
  }

  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }

  public init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var rawValue: UInt32 = 0
    while !list.isAtEnd {
      let name = try list.decode(String.self)
      for known in Self.names where known.name == name { rawValue |= known.option.rawValue }
    }
    self.init(rawValue: rawValue)
  }

  public func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for name in ownNames { try list.encode(name) }
  }
}
