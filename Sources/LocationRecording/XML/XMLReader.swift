import AsyncLocation

/// Reads a format that is XML. Keeps expat's buffer, one point, and the content that the document
/// holds for later points in memory.
struct XMLReader<Document: XMLDocument>: FormatReader {
  private let tokenizer: XMLTokenizer
  private var document: Document

  /// - Parameters:
  ///   - isUTF8: Whether the content is UTF-8, regardless of the encoding that it declares.
  ///   - start: The place of the first byte, after removed bytes.
  init(_ document: Document, isUTF8: Bool, at start: TextPlace = TextPlace()) {
    (self.document, tokenizer) = (document, XMLTokenizer(isUTF8: isUTF8, at: start))
  }

  var cost: ReadingCost {
    var cost = tokenizer.cost
    cost.held += document.heldBytes
    return cost
  }

  var line: Int { tokenizer.line }

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    try read(bytes, isFinal: false, into: &output)
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    try read([], isFinal: true, into: &output)
    document.finish(into: &output)
  }

  mutating func outputReadable(into output: inout RecordingOutput) {
    tokenizer.endPiece { document.handle($0, into: &output) }
    document.finish(into: &output)
  }

  private mutating func read(
    _ bytes: [UInt8], isFinal: Bool, into output: inout RecordingOutput
  ) throws(RecordingError) {
    do throws(RecordingError) {
      try tokenizer.read(bytes, isFinal: isFinal) { document.handle($0, into: &output) }
    } catch {
      // An error of the document takes precedence over an error of the XML.
      throw document.error ?? error
    }
    if let error = document.error { throw error }
  }
}

extension [UInt8] {
  /// Removes white space before an XML declaration. XML forbids it, but Strava writes it.
  ///
  /// - Returns: The place where the document begins.
  mutating func removeLeadingSpace() -> TextPlace {
    var place = TextPlace()
    let end = firstIndex { !$0.isWhiteSpace } ?? count
    for index in 0..<end {
      place.column += 1
      // A carriage return and a line feed are one line end.
      let isLineEnd =
        self[index] == 10 || self[index] == 13 && (index + 1 == end || self[index + 1] != 10)
      if isLineEnd { place = TextPlace(line: place.line + 1, column: 1) }
    }
    removeFirst(end)
    return place
  }
}

/// Creates the points of a document from its tokens. Pure.
protocol XMLDocument {
  /// The error of the document as a whole.
  var error: RecordingError? { get }
  /// The number of bytes held for later points.
  var heldBytes: Int { get }
  /// Handles an attribute of the element that begins next.
  mutating func handleAttribute(_ token: XMLToken, _ tokens: XMLTokens)
  mutating func begin(_ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput)
  /// Handles a part of a long text; see ``XMLToken/Kind/piece``.
  mutating func handlePiece(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput)
  mutating func end(_ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput)
  /// Handles the end of the content, also if it is truncated or damaged.
  mutating func finish(into output: inout RecordingOutput)
}

extension XMLDocument {
  var heldBytes: Int { 0 }

  mutating func handlePiece(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {}

  mutating func finish(into output: inout RecordingOutput) {}

  mutating func handle(_ tokens: XMLTokens, into output: inout RecordingOutput) {
    for token in tokens.list {
      guard error == nil else { return }
      switch token.kind {
      case .attribute: handleAttribute(token, tokens)
      case .start: begin(token, tokens, into: &output)
      case .piece: handlePiece(token, tokens, into: &output)
      case .end, .endOfLongText: end(token, tokens, into: &output)
      }
    }
  }
}
