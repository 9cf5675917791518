/// A valid JSON document (RFC 8259) within the limits of ``JSONDocumentScanner``. The initializer
/// checks all of it.
///
/// A document stores only its bytes. A value is a range of bytes that is read on demand, so the
/// cost of a call is proportional to the length of the value.
package struct JSONDocument: Sendable {
  /// The first error in a document, and its offset.
  package struct Fault: Error, Hashable, Sendable {
    package let problem: JSONDocumentScanner.Fault
    /// The offset of the first byte of an invalid number or word; otherwise that of the invalid
    /// byte or of the byte after it.
    package let offset: Int
  }

  fileprivate let bytes: [UInt8]
  private let range: Range<Int>

  /// The outermost value.
  package var root: Value { Value(self, range) }

  /// Checks a document.
  package init(_ bytes: [UInt8]) throws(Fault) {
    var scanner = JSONDocumentScanner(bytes.span)
    do throws(JSONDocumentScanner.Fault) {
      scanner.skipSpace()
      let start = scanner.position
      try scanner.skipValue(depth: 0)
      range = start..<scanner.position
      try scanner.finish()
    } catch {
      throw Fault(problem: error, offset: scanner.position)
    }
    self.bytes = bytes
  }

  @_lifetime(borrow self)
  fileprivate func scanner(at position: Int) -> JSONDocumentScanner {
    JSONDocumentScanner(bytes.span, at: position)
  }
}

extension JSONDocument {
  /// A value of a document.
  package struct Value: Sendable {
    package enum Kind: Sendable { case object, array, text, number, boolean, null }

    private let document: JSONDocument
    private let range: Range<Int>

    fileprivate init(_ document: JSONDocument, _ range: Range<Int>) {
      (self.document, self.range) = (document, range)
    }

    /// The offset of the value's first byte in the document.
    package var offset: Int { range.lowerBound }
    /// The bytes of the value.
    package var bytes: ArraySlice<UInt8> { document.bytes[range] }

    package var kind: Kind {
      switch document.bytes[offset] {
      case UInt8(ascii: "{"): .object
      case UInt8(ascii: "["): .array
      case UInt8(ascii: "\""): .text
      case UInt8(ascii: "t"), UInt8(ascii: "f"): .boolean
      case UInt8(ascii: "n"): .null
      default: .number
      }
    }

    /// The content of a text; nil for another value.
    package var text: String? {
      guard kind == .text else { return nil }
      var scanner = document.scanner(at: offset)
      return try? scanner.text().string()
    }

    /// The double nearest to a number; nil if the number is too large for a double or too long to
    /// be converted, and for another value.
    package var number: Double? {
      guard kind == .number else { return nil }
      var scanner = document.scanner(at: offset)
      return try? scanner.number(depth: 0)
    }

    /// The value of `true` or `false`; nil for another value.
    package var boolean: Bool? {
      kind == .boolean ? document.bytes[offset] == UInt8(ascii: "t") : nil
    }

    /// The members of an object in their order; nil for another value.
    package var members: Members? { kind == .object ? Members(of: self) : nil }

    /// The elements of an array in their order; nil for another value.
    package var elements: Elements? { kind == .array ? Elements(of: self) : nil }

    /// The value of an object's first member with this name; nil if there is none.
    ///
    /// - Parameter name: A name in ASCII.
    package subscript(name: String) -> Value? { members?.first { $0.isNamed(name) }?.value }

    /// Returns whether the value is a text that equals this ASCII name.
    fileprivate func matches(_ name: String) -> Bool {
      var scanner = document.scanner(at: offset)
      return (try? scanner.text().matches(name)) ?? false
    }

    /// Returns the next name, value or element of an object or array; nil if there is none.
    ///
    /// - Parameter position: The offset of the punctuation before the child. The call moves it to
    ///   the punctuation after the child.
    fileprivate func nextChild(at position: inout Int) -> Value? {
      guard position < range.upperBound - 1 else { return nil }
      var scanner = document.scanner(at: position + 1)
      scanner.skipSpace()
      let start = scanner.position
      // The document is valid, so only an empty object or array has no value here.
      guard (try? scanner.skipValue(depth: 0)) != nil else { return nil }
      let end = scanner.position
      scanner.skipSpace()
      position = scanner.position
      return Value(document, start..<end)
    }
  }

  /// A member of an object.
  package struct Member: Sendable {
    private let key: Value
    package let value: Value

    fileprivate init(_ key: Value, _ value: Value) { (self.key, self.value) = (key, value) }

    package var name: String { key.text ?? "" }
    /// The offset of the name in the document.
    package var offset: Int { key.offset }

    /// Returns whether the member has this ASCII name.
    package func isNamed(_ name: String) -> Bool { key.matches(name) }
  }

  /// The members of an object.
  package struct Members: Sequence, IteratorProtocol, Sendable {
    private let object: Value
    private var position: Int

    fileprivate init(of object: Value) { (self.object, position) = (object, object.offset) }

    package mutating func next() -> Member? {
      guard let key = object.nextChild(at: &position),
        let value = object.nextChild(at: &position)
      else { return nil }
      return Member(key, value)
    }
  }

  /// The elements of an array.
  package struct Elements: Sequence, IteratorProtocol, Sendable {
    private let array: Value
    private var position: Int

    fileprivate init(of array: Value) { (self.array, position) = (array, array.offset) }

    package mutating func next() -> Value? { array.nextChild(at: &position) }
  }
}
