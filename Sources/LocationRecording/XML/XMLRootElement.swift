import AsyncLocation

/// The name of the root element of XML, from the first bytes. Pure.
enum XMLRootElement: Hashable, Sendable {
  /// The name without its prefix.
  case name(String)
  /// The content before the element is refused, or is not XML.
  case none
  /// More bytes are needed.
  case incomplete

  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while true {
      rest = rest.drop { $0.isWhiteSpace }
      guard rest.first == UInt8(ascii: "<") else {
        self = rest.isEmpty ? .incomplete : .none
        return
      }
      let end: String
      switch rest.dropFirst().first {
      case nil:
        self = .incomplete
        return
      case UInt8(ascii: "?"): end = "?>"
      case UInt8(ascii: "!"):
        guard rest.count >= 4 else {
          self = .incomplete
          return
        }
        guard rest.starts(with: "<!--".utf8) else {
          self = .none
          return
        }
        end = "-->"
      default:
        self = Self.element(rest.dropFirst())
        return
      }
      guard let found = rest.firstRange(of: Array(end.utf8)) else {
        self = .incomplete
        return
      }
      rest = rest[found.upperBound...]
    }
  }

  private static func element(_ bytes: ArraySlice<UInt8>) -> Self {
    let ends: [UInt8] = [UInt8(ascii: ">"), UInt8(ascii: "/")]
    guard let end = bytes.firstIndex(where: { $0.isWhiteSpace || ends.contains($0) }) else {
      return .incomplete
    }
    let name = bytes[..<end]
    let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    return .name(String(decoding: local, as: UTF8.self))
  }
}
