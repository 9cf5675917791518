/// Validates the parts of a topic, which are untrusted input. Pure.
package enum TopicText {
  /// True for `USER/DEVICE`, where both parts are valid levels.
  package static func isName(_ bytes: Span<UInt8>) -> Bool {
    guard let slash = slash(in: bytes) else { return false }
    return isLevel(bytes.extracting(0..<slash)) && isLevel(bytes.extracting((slash + 1)...))
  }

  /// True for one or more levels at the start of a topic. Topics that begin with `$` belong to the
  /// broker.
  package static func isBase(_ bytes: Span<UInt8>) -> Bool {
    !bytes.isEmpty && bytes[bytes.count - 1] != slash && bytes[0] != UInt8(ascii: "$")
      && isText(bytes)
  }

  /// True for a single topic level that is not empty.
  package static func isLevel(_ bytes: Span<UInt8>) -> Bool {
    !bytes.isEmpty && slash(in: bytes) == nil && isText(bytes)
  }

  /// True for UTF-8 without wildcards and control characters. Also rejects format, separator,
  /// unassigned and private-use characters, which can make two names look alike.
  private static func isText(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices {
      switch bytes[index] {
      case 0..<0x20, 0x7F, UInt8(ascii: "+"), UInt8(ascii: "#"): return false
      default: continue
      }
    }
    guard let text = try? UTF8Span(validating: bytes) else { return false }
    guard !text.isKnownASCII else { return true }
    var scalars = text.makeUnicodeScalarIterator()
    while let scalar = scalars.next() {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse:
        return false
      default: continue
      }
    }
    return true
  }

  /// The offset of the first slash.
  package static func slash(in bytes: Span<UInt8>) -> Int? {
    for index in bytes.indices where bytes[index] == slash { return index }
    return nil
  }

  package static var slash: UInt8 { UInt8(ascii: "/") }
}
