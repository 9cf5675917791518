/// A line of a table: pieces of text, each with a role that determines its color.
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

  /// Adds spaces up to a column, at least one if the line has text.
  mutating func pad(to column: Int) {
    append(String(repeating: " ", count: max(pieces.isEmpty ? 0 : 1, column - columns)))
  }

  /// The line truncated to a number of columns; an ellipsis marks the truncation.
  func cut(to width: Int, ellipsis: String) -> Self {
    guard columns > width else { return self }
    var (result, left) = (Self(), max(0, width - 1))
    for (text, role) in pieces {
      let part = TextWidth.prefix(text, columns: left)
      result.append(part, role)
      left -= TextWidth.columns(part)
      if part.utf8.count < text.utf8.count { break }
    }
    if width > 0 { result.append(ellipsis) }
    return result
  }

  /// The line as terminal output.
  func text(color: Bool) -> String {
    pieces.map { color ? $0.role.colored($0.text) : $0.text }.joined()
  }

  static func == (left: Self, right: Self) -> Bool {
    left.pieces.elementsEqual(right.pieces) { $0 == $1 }
  }

  func hash(into hasher: inout Hasher) {
    for piece in pieces { hasher.combine(piece.text) }
  }
}

extension StyledLine.Role {
  /// The parameters of ECMA-48's SGR sequence.
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
