import CExpat

/// Splits XML into tokens with expat, chunk by chunk.
///
/// A document type is refused, since it can declare entities that expand without bound or refer to
/// files. So only XML's five predefined entities are expanded, and nothing is fetched. Elements are
/// nested at most ``maximumDepth`` deep, and one tag or comment is at most ``maximumTag`` bytes
/// long.
///
/// Not thread-safe, and confined to its reader: expat's handle refers to this object.
// SAFETY: expat's handle is created and freed by this object, and used by nothing else.
@safe final class XMLTokenizer {
  static let maximumDepth = 64
  /// The maximum length of a text. Descriptions of places are the longest texts.
  static let maximumText = 4096
  static let maximumTag = 1 << 20
  /// The local name of the element whose text may have any length: KML's list of positions.
  static let listElement = "coordinates"
  /// The number of bytes that expat parses at once, which bounds the tokens of one call.
  private static let chunkLength = 1 << 16

  private let parser: XML_Parser
  private var collector = XMLTokenCollector()
  private var refusal: RecordingError?
  private var byteCount = 0
  private let start: TextPlace

  /// - Parameters:
  ///   - isUTF8: Whether the content is UTF-8, regardless of the encoding that it declares.
  ///   - start: The place of the first byte.
  init(isUTF8: Bool, at start: TextPlace = TextPlace()) {
    self.start = start
    guard
      let parser = unsafe XML_ParserCreateNS(
        isUTF8 ? "UTF-8" : nil, XML_Char(XMLNames.separator))
    else { fatalError("out of memory") }
    unsafe self.parser = parser
    unsafe XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    unsafe XML_SetElementHandler(
      parser,
      { user, name, attributes in
        guard let user = unsafe user, let name = unsafe name else { return }
        unsafe XMLTokenizer.of(user).start(name, attributes)
      },
      { user, _ in
        guard let user = unsafe user else { return }
        unsafe XMLTokenizer.of(user).collector.end()
      })
    unsafe XML_SetCharacterDataHandler(parser) { user, bytes, count in
      guard let user = unsafe user, let bytes = unsafe bytes else { return }
      unsafe XMLTokenizer.of(user).collector.append(
        UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
    unsafe XML_SetUnknownEncodingHandler(
      parser,
      { _, name, encoding in
        guard let name = unsafe name, let encoding = unsafe encoding else { return 0 }
        return unsafe SingleByteEncoding.fill(encoding, for: String(cString: name)) ? 1 : 0
      }, nil)
    unsafe XML_SetStartDoctypeDeclHandler(parser) { user, _, _, _, _ in
      guard let user = unsafe user else { return }
      unsafe XMLTokenizer.of(user).refuse(
        .refused, "the document has a DOCTYPE, which could declare entities; remove it")
    }
  }

  deinit { unsafe XML_ParserFree(parser) }

  /// Splits the next bytes, and calls `handle` with the tokens that they complete, chunk by chunk.
  ///
  /// - Throws: ``RecordingError`` at the first violation of the rules of XML. Afterwards, only
  ///   `endPiece(_:)` may be called.
  func read(
    _ bytes: [UInt8], isFinal: Bool, _ handle: (XMLTokens) -> Void
  ) throws(RecordingError) {
    var start = 0
    repeat {
      let end = min(start + Self.chunkLength, bytes.count)
      let isLast = isFinal && end == bytes.count
      let status = unsafe bytes[start..<end].withUnsafeBytes { buffer in
        unsafe XML_Parse(
          parser, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(buffer.count),
          isLast ? 1 : 0)
      }
      byteCount += end - start
      handle(collector.tokens)
      collector.removeTokens()
      guard status == XML_STATUS_OK else { throw failure() }
      let pending = unsafe byteCount - Int(XML_GetCurrentByteIndex(parser))
      if !isLast, pending > Self.maximumTag {
        throw RecordingError(
          .tooLarge, line: currentLine, column: currentColumn,
          "a tag or a comment is longer than \(Self.maximumTag >> 20) MiB")
      }
      start = end
    } while start < bytes.count
  }

  /// Calls `handle` with the text read so far of a truncated list.
  func endPiece(_ handle: (XMLTokens) -> Void) {
    collector.endPiece()
    handle(collector.tokens)
    collector.removeTokens()
  }

  /// The bytes that were passed to expat, and those of an incomplete token.
  var cost: ReadingCost {
    ReadingCost(processed: byteCount, held: unsafe byteCount - Int(XML_GetCurrentByteIndex(parser)))
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
    guard collector.depth < Self.maximumDepth else {
      return refuse(.tooLarge, "elements are nested more than \(Self.maximumDepth) deep")
    }
    unsafe collector.start(name, attributes, line: currentLine, column: currentColumn)
  }

  private func refuse(_ code: RecordingError.Code, _ message: String) {
    guard refusal == nil else { return }
    refusal = RecordingError(code, line: currentLine, column: currentColumn, message)
    unsafe XML_StopParser(parser, 0)
  }

  // MARK: Places and errors

  var line: Int { currentLine }

  private var currentLine: Int {
    unsafe Int(XML_GetCurrentLineNumber(parser)) + start.line - 1
  }

  private var currentColumn: Int {
    let column = unsafe Int(XML_GetCurrentColumnNumber(parser)) + 1
    return currentLine == start.line ? column + start.column - 1 : column
  }

  private func failure() -> RecordingError {
    if let refusal { return refusal }
    let code = unsafe XML_GetErrorCode(parser)
    guard code != XML_ERROR_UNKNOWN_ENCODING else {
      return RecordingError(
        .malformed, line: currentLine, column: currentColumn,
        "the encoding of the XML is none of \(SingleByteEncoding.supportedNames); "
          + "convert the file to UTF-8")
    }
    let text = unsafe XML_ErrorString(code).map { unsafe String(cString: $0) } ?? "invalid XML"
    // The errors that expat reports at the end of a truncated document.
    let isCut =
      code == XML_ERROR_NO_ELEMENTS || code == XML_ERROR_UNCLOSED_TOKEN
      || code == XML_ERROR_UNCLOSED_CDATA_SECTION || code == XML_ERROR_PARTIAL_CHAR
    return RecordingError(
      .malformed, line: currentLine, column: currentColumn,
      "the XML is not well-formed (\(text))\(isCut ? "; the file seems to be cut" : "")")
  }
}
