/// The errors that all JSON scanners report; each scanner adds its own. Cases of an enum satisfy
/// the requirements.
@usableFromInline
package protocol JSONFault: Error {
  static func expected(_ part: JSONExpectation) -> Self
  static var invalidText: Self { get }
  static var tooDeep: Self { get }
}

/// The part of the grammar that is expected next.
@usableFromInline
package enum JSONExpectation: Hashable, Sendable {
  case value, name, colon
  /// A comma or the closing bracket.
  case separator
  /// The closing quote of a text.
  case endOfText
}

/// A scanner of JSON's bytes, with the parts of the grammar that all scanners share.
///
/// Scanners differ in how their bytes end, in which bytes are whitespace and in which words they
/// accept. Nothing here recurses.
@usableFromInline
package protocol JSONByteScanner: ~Escapable {
  associatedtype Fault: JSONFault

  /// The offset of the next byte.
  var position: Int { get set }
  /// The next byte; at the end, a byte that no token contains.
  var byte: UInt8 { get }
  /// The error for a control character, or for the end, inside a text.
  var controlFault: Fault { get }

  mutating func skipSpace()
  /// Moves forward inside a text, at most to the next byte that is special according to
  /// ``JSONCharacters``.
  mutating func skipPlainText()
  /// Skips a value that is neither a text, an array nor an object, and checks it for errors.
  mutating func skipScalar() throws(Fault)
}

extension JSONByteScanner where Self: ~Escapable {
  /// The maximum nesting depth; the outermost object or array has depth 1.
  @inlinable package static var maximumDepth: Int { 32 }

  /// Skips the colon between a member's name and its value, and the whitespace around it.
  @inlinable @inline(__always)
  package mutating func skipColon() throws(Fault) {
    skipSpace()
    guard byte == UInt8(ascii: ":") else { throw .expected(.colon) }
    position &+= 1
    skipSpace()
  }

  /// Skips the separator after a value. Returns true for a comma, after which whitespace is skipped
  /// too; false for the closing `bracket`.
  @inlinable @inline(__always)
  package mutating func readSeparator(or bracket: UInt8) throws(Fault) -> Bool {
    skipSpace()
    let separator = byte
    guard separator == UInt8(ascii: ",") || separator == bracket else {
      throw .expected(.separator)
    }
    position &+= 1
    guard separator != bracket else { return false }
    skipSpace()
    return true
  }

  /// Skips a value of any kind, and checks it for errors.
  ///
  /// - Parameter outerDepth: The number of open brackets around the value.
  @inlinable
  package mutating func skipValue(depth outerDepth: Int) throws(Fault) {
    var depth = outerDepth
    var braces: UInt64 = 0  // Bit n is set if the n-th open bracket is a brace.
    repeat {
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        guard depth < Self.maximumDepth else { throw .tooDeep }
        depth += 1
        let bit = UInt64(1) << UInt64(depth)
        braces = isObject ? braces | bit : braces & ~bit
        position += 1
        skipSpace()
        if byte != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { try skipName() }
          continue
        }
        position += 1
        depth -= 1
      case UInt8(ascii: "\""): _ = try skipText()
      default: try skipScalar()
      }
      // After a value, close the brackets that follow, or continue with the next value.
      while depth > outerDepth {
        let isObject = braces >> UInt64(depth) & 1 == 1
        if try readSeparator(or: isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          if isObject { try skipName() }
          break
        }
        depth -= 1
      }
    } while depth > outerDepth
  }

  /// Skips a member's name and the colon after it.
  @inlinable
  mutating func skipName() throws(Fault) {
    _ = try skipText()
    try skipColon()
  }
}
