import CExpat

/// A part of an XML document that matters to a reader of GPX.
enum XMLToken: Hashable, Sendable {
  /// An element begins. Attributes are in their order.
  case start(name: XMLName, attributes: [XMLAttribute], line: Int, column: Int)
  /// An element ends. The text is what stands between its tags, if it has no elements; nil if it is
  /// longer than ``XMLTokenizer/maximumText``.
  case end(name: XMLName, text: String?, line: Int)
}

/// A name in its namespace, which is empty without one.
struct XMLName: Hashable, Sendable {
  let namespace: String
  let local: String
}

struct XMLAttribute: Hashable, Sendable {
  let name: String
  let value: String
}

/// Splits XML into tokens with expat, chunk by chunk.
///
/// A document type is refused, since it can declare entities that expand without end or name files.
/// So no entity is expanded beside XML's own five, and nothing is fetched. Elements are nested at
/// most ``maximumDepth`` deep, and one tag or comment is at most ``maximumTag`` bytes long.
///
/// Not thread-safe, and confined to its reader: expat's handle refers to it.
// SAFETY: expat's handle is created and freed by this object, and used by nothing else.
@safe final class XMLTokenizer {
  static let maximumDepth = 64
  static let maximumText = 256
  static let maximumTag = 1 << 20
  /// The bytes that expat gets at once; this bounds the tokens of one call.
  private static let chunk = 1 << 16
  /// Between the parts of a name; no name contains it.
  private static let separator: UInt8 = 0x20

  private let parser: XML_Parser
  private var tokens: [XMLToken] = []
  private var depth = 0
  private var text: [UInt8] = []
  private var isTextTooLong = false
  private var refusal: RecordingError?
  private var byteCount = 0

  /// - Parameter isUTF8: True if the content is UTF-8 whatever it declares.
  init(isUTF8: Bool) {
    guard
      let parser = unsafe XML_ParserCreateNS(
        isUTF8 ? "UTF-8" : nil, XML_Char(Self.separator))
    else { fatalError("out of memory") }
    unsafe self.parser = parser
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let user = unsafe user, let name = unsafe name else { return }
        unsafe XMLTokenizer.of(user).start(name, attributes)
      },
      { user, name in
        guard let user = unsafe user, let name = unsafe name else { return }
        unsafe XMLTokenizer.of(user).end(name)
      })
    unsafe XML_SetCharacterDataHandler(parser) { user, bytes, count in
      guard let user = unsafe user, let bytes = unsafe bytes else { return }
      unsafe XMLTokenizer.of(user).append(bytes, Int(count))
    }
    unsafe XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
      guard let user = unsafe user else { return }
      unsafe XMLTokenizer.of(user).refuse(
        .refused, "the document has a DOCTYPE, which could declare entities; remove it")
    }
  }

  deinit { unsafe XML_ParserFree(parser) }

  /// Splits the next bytes, and calls `handle` with the tokens that they complete.
  ///
  /// - Throws: ``RecordingError`` at the first violation of the rules of XML. Call nothing after
  ///   that.
  func read(
    _ bytes: [UInt8], isFinal: Bool, _ handle: (XMLToken) -> Void
  ) throws(RecordingError) {
    var start = 0
    repeat {
      let end = min(start + Self.chunk, bytes.count)
      let isLast = isFinal && end == bytes.count
      let status = unsafe bytes[start..<end].withUnsafeBytes { buffer in
        unsafe XML_Parse(
          parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count),
          isLast ? 1 : 0)
      }
      byteCount += end - start
      for token in tokens { handle(token) }
      tokens.removeAll(keepingCapacity: true)
      guard status == XML_STATUS_OK else { throw failure() }
      let pending = unsafe byteCount - Int(XML_GetCurrentByteIndex(parser))
      if !isLast, pending > Self.maximumTag {
        throw RecordingError(
          .tooLarge, line: line, column: column,
          "a tag or a comment is longer than \(Self.maximumTag >> 20) MiB")
      }
      start = end
    } while start < bytes.count
  }

  // MARK: Called by expat

  // SAFETY: `user` is the tokenizer that called XML_Parse, which is alive until that returns.
  private static func of(_ user: UnsafeMutableRawPointer) -> XMLTokenizer {
    unsafe Unmanaged<XMLTokenizer>.fromOpaque(user).takeUnretainedValue()
  }

  private func start(
    _ name: UnsafePointer<XML_Char>,
    _ attributes: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?
  ) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      return refuse(.tooLarge, "elements are nested more than \(Self.maximumDepth) deep")
    }
    var list: [XMLAttribute] = []
    if var next = unsafe attributes {
      while let name = unsafe next[0], let value = unsafe next[1] {
        unsafe list.append(XMLAttribute(name: Self.name(name).local, value: String(cString: value)))
        unsafe next += 2
      }
    }
    tokens.append(
      .start(name: unsafe Self.name(name), attributes: list, line: line, column: column))
    resetText()
  }

  private func end(_ name: UnsafePointer<XML_Char>) {
    depth -= 1
    tokens.append(
      .end(
        name: unsafe Self.name(name),
        text: isTextTooLong ? nil : String(decoding: text, as: UTF8.self), line: line))
    resetText()
  }

  private func append(_ bytes: UnsafePointer<XML_Char>, _ count: Int) {
    guard !isTextTooLong else { return }
    guard text.count + count <= Self.maximumText else {
      isTextTooLong = true
      return
    }
    unsafe text += UnsafeRawBufferPointer(start: bytes, count: count)
  }

  private func resetText() {
    text.removeAll(keepingCapacity: true)
    isTextTooLong = false
  }

  private func refuse(_ code: RecordingError.Code, _ message: String) {
    guard refusal == nil else { return }
    refusal = RecordingError(code, line: line, column: column, message)
    unsafe XML_StopParser(parser, 0)
  }

  // MARK: Places and errors

  private var line: Int { unsafe Int(XML_GetCurrentLineNumber(parser)) }

  private var column: Int { unsafe Int(XML_GetCurrentColumnNumber(parser)) + 1 }

  private func failure() -> RecordingError {
    if let refusal { return refusal }
    let code = unsafe XML_GetErrorCode(parser)
    let text = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "invalid XML"
    // What expat says at the end of a document that is cut.
    let isCut =
      code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN
      || code == XML_ERROR_UNCLOSED_CDATA_SECTION || code == XML_ERROR_PARTIAL_CHAR
    return RecordingError(
      .malformed, line: line, column: column,
      "the XML is not well-formed (\(text))\(isCut ? "; the file seems to be cut" : "")")
  }

  private static func name(_ name: UnsafePointer<XML_Char>) -> XMLName {
    let text = unsafe String(cString: name)
    guard let separator = text.utf8.lastIndex(of: Self.separator) else {
      return XMLName(namespace: "", local: text)
    }
    return XMLName(
      namespace: String(text[..<separator]),
      local: String(text[text.utf8.index(after: separator)...]))
  }
}
