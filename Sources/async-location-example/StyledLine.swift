/// A line of a table: pieces of text with a role each, cut to a width before colors go in.
struct StyledLine: Hashable, Sendable {
  enum Role: Hashable, Sendable { case plain, title, label, good, warning, bad }

  private(set) var pieces: [(text: String, role: Role)] = []

  init() {}

  init(_ text: String, _ role: Role = .plain) { append(text, role) }

  mutating func append(_ text: String, _ role: Role = .plain) {
    if !text.isEmpty { pieces.append((text, role)) }
  }

  mutating func append(_ other: Self) { pieces += other.pieces }

  var columns: Int { pieces.reduce(0) { $0 + TextWidth.columns($1.text) } }

  /// Adds spaces up to a column; at least one, when there is text already.
  mutating func pad(to column: Int) {
    append(String(repeating: " ", count: max(pieces.isEmpty ? 0 : 1, column - columns)))
  }

  /// The line as the terminal takes it, at most `width` columns wide, a cut marked.
  func text(width: Int, color: Bool, ellipsis: String) -> String {
    guard width > 0 else { return "" }
    let isCut = columns > width
    var left = isCut ? width - 1 : width
    var result = ""
    for (text, role) in pieces where left > 0 {
      let part = TextWidth.prefix(text, columns: left)
      left -= TextWidth.columns(part)
      result += color ? role.colored(part) : part
      if part.utf8.count < text.utf8.count { break }
    }
    return isCut ? result + ellipsis : result
  }

  static func == (left: Self, right: Self) -> Bool {
    left.pieces.elementsEqual(right.pieces) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    for piece in pieces { hasher.combine(piece.text) }
  }
}

extension StyledLine.Role {
  /// ECMA-48's graphic rendition.
  private var parameters: String? {
    switch self {
    case .plain: nil
    case .title: "1"
    case .label: "2"
    case .good: "32"
    case .warning: "33"
    case .bad: "31"
    }
  }

  func colored(_ text: String) -> String {
    parameters.map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
  }
}
