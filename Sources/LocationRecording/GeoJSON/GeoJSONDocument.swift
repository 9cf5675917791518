/// Reads GeoJSON (RFC 7946) from bytes in any pieces, one document after the other. Pure.
///
/// Each byte is read once. The members of an object may have any order: the type or the times of a
/// feature may follow its coordinates, so a feature is held until its end, in at most
/// ``maximumHeld`` bytes.
struct GeoJSONDocument: Sendable {
  /// The approximate number of bytes of memory that a feature may need.
  static let maximumHeld = 256 << 20

  private let acceptsGeometry: Bool
  private let maximumHeld: Int
  private var json = JSONTokenizer()
  private var content: DocumentAssembly

  /// - Parameters:
  ///   - acceptsGeometry: Whether a document may be a geometry alone.
  ///   - maximumHeld: The approximate number of bytes of memory that a feature may need.
  init(acceptsGeometry: Bool, maximumHeld: Int = maximumHeld) {
    (self.acceptsGeometry, self.maximumHeld) = (acceptsGeometry, maximumHeld)
    content = DocumentAssembly(acceptsGeometry: acceptsGeometry)
  }

  /// Whether only white space of the document was read.
  var isAtStart: Bool { json.isAtStart }
  /// Whether the document has ended.
  var isComplete: Bool { content.isComplete }
  var cost: ReadingCost { ReadingCost(processed: json.processed, held: content.heldCount) }
  /// The structure after the bytes so far, with which a caller can track that of further bytes
  /// without checking them.
  var structure: JSONStructure { json.structure }
  /// The place of the next byte.
  var place: TextPlace { json.place }
  /// The line of the document's first token; before it, the current line.
  var firstLine: Int { content.place?.line ?? json.place.line }

  /// Reads up to the next part, the end of the document or the end of the bytes.
  ///
  /// - Parameter index: As for ``JSONTokenizer/next(_:at:)``.
  mutating func read(
    _ bytes: Span<UInt8>, at index: inout Int
  ) throws(GeoJSON.Fault) -> GeoJSON.Part? {
    while let token = try token(bytes, at: &index) {
      let part = try content.handle(token)
      guard content.heldCount <= maximumHeld else {
        throw GeoJSON.Fault(
          feature: nil, problem: .tooLarge(mebibytes: maximumHeld >> 20), place: token.place)
      }
      if part != nil || isComplete { return part }
    }
    return nil
  }

  /// Handles the end of the bytes.
  ///
  /// - Throws: A fault if the document is not complete.
  mutating func finish() throws(GeoJSON.Fault) {
    let token: JSONToken?
    do throws(JSONTokenizer.Fault) { token = try json.finish() } catch {
      throw GeoJSON.Fault(error)
    }
    if let token { _ = try content.handle(token) }
  }

  /// Closes the open objects and arrays of a damaged or truncated document, and drops an open
  /// position.
  ///
  /// - Returns: The feature that was open, if it can be read.
  mutating func close() -> GeoJSON.Feature? {
    guard !isComplete else { return nil }
    content.dropOpenPosition()
    for kind in json.closingTokens {
      let part = try? content.handle(JSONToken(kind: kind, place: json.place))
      if case .feature(.success(let feature))? = part { return feature }
    }
    return nil
  }

  /// Skips a byte that is not part of the document.
  mutating func skip(_ byte: UInt8) { json.skip(byte) }

  /// Prepares to read another document.
  mutating func restart() {
    json.restart()
    content = DocumentAssembly(acceptsGeometry: acceptsGeometry)
  }

  private mutating func token(
    _ bytes: Span<UInt8>, at index: inout Int
  ) throws(GeoJSON.Fault) -> JSONToken? {
    do throws(JSONTokenizer.Fault) {
      return try json.next(bytes, at: &index)
    } catch {
      throw GeoJSON.Fault(error)
    }
  }
}

extension GeoJSON.Fault {
  init(_ fault: JSONTokenizer.Fault) {
    self.init(
      feature: nil,
      problem: .invalidJSON(
        line: fault.place.line, column: fault.place.column, reason: fault.problem.description),
      place: fault.place)
  }
}

extension JSONTokenizer.Fault.Problem: CustomStringConvertible {
  /// The error and the change that resolves it.
  var description: String {
    switch self {
    case .syntax: "not valid JSON; correct it"
    case .cut: "not valid JSON; the file seems to be cut"
    case .tooDeep: "nested more than \(JSONTokenizer.maximumDepth) levels deep; flatten it"
    case .invalidText: "a text has an invalid escape or is not UTF-8; correct it"
    case .invalidNumber: "a number is too large or too long; correct it"
    }
  }
}
