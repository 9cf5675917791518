#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A token of an XML document. Its name and its text are in ``XMLTokens``, so that a token
/// allocates no memory.
struct XMLToken: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// An attribute with its value; precedes the start of its element.
    case attribute
    /// An element begins.
    case start
    /// An element ends. The text is its content, if it has no child elements.
    case end
    /// A part of the text of ``XMLTokenizer/listElement``. The end of the element has the rest.
    case piece
    /// As ``end``, but the text is longer than ``XMLTokenizer/maximumText``, and missing.
    case endOfLongText
  }

  let kind: Kind
  /// The index of the name.
  let name: Int
  let text: Range<Int>
  /// The place of the last start tag.
  let line, column: Int
}

/// A name and its namespace, which is empty if the name has none.
struct XMLName: Hashable, Sendable {
  let namespace: String
  let local: String
}

/// The tokens of a chunk of a document.
struct XMLTokens: Sendable {
  fileprivate(set) var list: [XMLToken] = []
  /// The concatenated texts.
  fileprivate var bytes: [UInt8] = []
  fileprivate var names = XMLNames()

  func name(of token: XMLToken) -> XMLName { names[token.name] }

  func localName(of token: XMLToken) -> String { names[token.name].local }

  /// Calls `body` with the text of a token.
  func withText<Result>(of token: XMLToken, _ body: (Span<UInt8>) -> Result) -> Result {
    body(bytes.span.extracting(token.text))
  }
}

/// The names of a document. The first ones are kept for all tokens, since a document has few.
struct XMLNames: Sendable {
  /// The separator of the parts of a name; no name contains it.
  static let separator: UInt8 = 0x20
  /// The number of names that are kept and searched.
  private static let capacity = 32

  private var names: [XMLName] = []
  private var keys: [[UInt8]] = []

  subscript(_ index: Int) -> XMLName { names[index] }

  mutating func index(of key: UnsafeRawBufferPointer) -> Int {
    for (index, known) in keys.enumerated() where known.count == key.count {
      // SAFETY: both have `known.count` bytes.
      if let bytes = key.baseAddress, unsafe memcmp(known, bytes, known.count) == 0 {
        return index
      }
    }
    let text = unsafe String(decoding: key, as: UTF8.self)
    let parts = text.utf8.lastIndex(of: Self.separator).map { separator in
      XMLName(
        namespace: String(text[..<separator]),
        local: String(text[text.utf8.index(after: separator)...]))
    }
    names.append(parts ?? XMLName(namespace: "", local: text))
    if keys.count < Self.capacity { keys.append(Array(text.utf8)) }
    return names.count - 1
  }

  /// Whether there are names that are not kept.
  var hasExcessNames: Bool { names.count > keys.count }

  /// Removes the names that are neither kept nor in a list of indices, and returns the new indices
  /// of that list.
  mutating func retain(_ indices: [Int]) -> [Int] {
    var next = Array(names[..<keys.count])
    let moved = indices.map { index -> Int in
      guard index >= keys.count else { return index }
      next.append(names[index])
      return next.count - 1
    }
    names = next
    return moved
  }
}

/// Collects the tokens of an element's beginning, its text and its end.
struct XMLTokenCollector: Sendable {
  private(set) var tokens = XMLTokens()
  /// The names of the open elements.
  private var open: [Int] = []
  /// The index where the text of the open element begins.
  private var textStart = 0
  private var isTextTooLong = false
  private var (line, column) = (1, 1)

  /// The number of open elements.
  var depth: Int { open.count }

  mutating func start(
    _ name: UnsafePointer<CChar>, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?,
    line: Int, column: Int
  ) {
    (self.line, self.column) = (line, column)
    if var next = unsafe attributes {
      while let name = unsafe next[0], let value = unsafe next[1] {
        let first = tokens.bytes.count
        unsafe tokens.bytes += UnsafeRawBufferPointer(start: value, count: strlen(value))
        append(.attribute, unsafe index(of: name), text: first..<tokens.bytes.count)
        unsafe next += 2
      }
    }
    open.append(unsafe index(of: name))
    append(.start, open[open.count - 1], text: 0..<0)
    resetText()
  }

  /// Appends to the text of the open element. Beyond the maximum, the text of a list is passed on
  /// in pieces, and another text is dropped.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !isTextTooLong else { return }
    if tokens.bytes.count - textStart + bytes.count > XMLTokenizer.maximumText, !endPiece() {
      isTextTooLong = true
      return
    }
    unsafe tokens.bytes += bytes
  }

  /// Appends a token with the text of a list so far; returns false if the open element is no list.
  @discardableResult
  mutating func endPiece() -> Bool {
    guard let name = open.last, tokens.names[name].local == XMLTokenizer.listElement else {
      return false
    }
    append(.piece, name, text: textStart..<tokens.bytes.count)
    textStart = tokens.bytes.count
    return true
  }

  mutating func end() {
    let name = open.removeLast()
    if isTextTooLong {
      append(.endOfLongText, name, text: 0..<0)
    } else {
      append(.end, name, text: textStart..<tokens.bytes.count)
    }
    resetText()
  }

  /// Removes the handled tokens. The text of the open element may continue.
  mutating func removeTokens() {
    tokens.list.removeAll(keepingCapacity: true)
    tokens.bytes.removeFirst(textStart)
    textStart = 0
    if tokens.names.hasExcessNames {
      open = tokens.names.retain(open)
    }
  }

  private mutating func index(of name: UnsafePointer<CChar>) -> Int {
    unsafe tokens.names.index(of: UnsafeRawBufferPointer(start: name, count: strlen(name)))
  }

  private mutating func append(_ kind: XMLToken.Kind, _ name: Int, text: Range<Int>) {
    tokens.list.append(XMLToken(kind: kind, name: name, text: text, line: line, column: column))
  }

  private mutating func resetText() {
    textStart = tokens.bytes.count
    isTextTooLong = false
  }
}
