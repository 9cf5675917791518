/// Decodes the bytes that xterm, the Linux console and similar terminals send for keys. Pure.
///
/// A sequence may be divided between two reads. Unknown sequences are skipped as a whole.
struct KeyDecoder: Sendable {
  private enum State: Sendable {
    case ground
    /// After ESC: the key itself, or the beginning of a sequence.
    case escape
    /// After `ESC O`.
    case single
    /// After `ESC [`, with the parameters so far.
    case control([UInt8])
    /// After `ESC [ [`, with which the console of Linux begins its function keys.
    case console
  }

  private static let escape: UInt8 = 0x1B
  /// The maximum number of stored parameter bytes. A sequence that reaches it is unknown.
  private static let parameterLimit = 16
  private var state = State.ground

  /// Whether the last bytes may be the beginning of a sequence.
  var isIncomplete: Bool {
    if case .ground = state { false } else { true }
  }

  /// Decodes further bytes, and returns the keys that they complete.
  mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    bytes.flatMap { decode($0) }
  }

  /// Ends an incomplete sequence, and returns its bytes as keys if the user may have pressed them
  /// one by one.
  mutating func finish() -> [Key] {
    defer { state = .ground }
    switch state {
    case .ground, .console: return []
    case .escape: return [.escape]
    case .single: return [.escape, .character("O")]
    case .control(let parameters): return parameters.isEmpty ? [.escape, .character("[")] : []
    }
  }

  private mutating func decode(_ byte: UInt8) -> [Key] {
    // ESC always begins a new sequence.
    guard byte != Self.escape else {
      let keys: [Key] = if case .escape = state { [.escape] } else { [] }
      state = .escape
      return keys
    }
    switch state {
    case .ground: return Self.character(byte)
    case .escape:
      switch byte {
      case UInt8(ascii: "["): state = .control([])
      case UInt8(ascii: "O"): state = .single
      default:
        state = .ground
        return [.escape] + Self.character(byte)
      }
      return []
    case .single: return end(Self.key(byte, []))
    case .console: return end(nil)
    case .control(let parameters): return decode(byte, after: parameters)
    }
  }

  private mutating func decode(_ byte: UInt8, after parameters: [UInt8]) -> [Key] {
    switch byte {
    case UInt8(ascii: "[") where parameters.isEmpty:
      state = .console
      return []
    case 0x20...0x3F:  // Parameter and intermediate bytes.
      if parameters.count < Self.parameterLimit { state = .control(parameters + [byte]) }
      return []
    default: return end(parameters.count < Self.parameterLimit ? Self.key(byte, parameters) : nil)
    }
  }

  private mutating func end(_ key: Key?) -> [Key] {
    state = .ground
    return key.map { [$0] } ?? []
  }

  /// The key of a sequence, by its last byte and parameters. Modifiers, such as in `ESC [ 1 ; 5 A`,
  /// are ignored.
  private static func key(_ last: UInt8, _ parameters: [UInt8]) -> Key? {
    switch last {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return .right
    case UInt8(ascii: "D"): return .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "~"):
      switch parameters.prefix(while: { $0 != UInt8(ascii: ";") }) {
      case [UInt8(ascii: "1")], [UInt8(ascii: "7")]: return .home
      case [UInt8(ascii: "4")], [UInt8(ascii: "8")]: return .end
      case [UInt8(ascii: "5")]: return .pageUp
      case [UInt8(ascii: "6")]: return .pageDown
      default: return nil
      }
    default: return nil
    }
  }

  private static func character(_ byte: UInt8) -> [Key] {
    guard (0x20..<0x7F).contains(byte) else { return [] }
    return [.character(Character(Unicode.Scalar(byte)))]
  }
}
