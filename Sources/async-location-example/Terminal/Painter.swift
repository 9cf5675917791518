/// Converts frames of lines to terminal output that replaces the previous frame. Pure.
struct Painter: Sendable {
  private let color: Bool
  private var shown: [StyledLine]?

  init(color: Bool) { self.color = color }

  /// The output that shows a frame; its lines must be narrower than the window.
  mutating func paint(_ lines: [StyledLine], width: Int, height: Int) -> String {
    var text = "\r"
    if let shown {
      // A window that became narrower has wrapped the lines of the previous frame.
      let rows = shown.reduce(0) { $0 + max(1, ($1.columns + width - 1) / max(1, width)) }
      let up = min(rows, height) - 1
      if up > 0 { text += "\u{1B}[\(up)A" }
    } else {
      text = "\u{1B}[?25l\r"  // Hides the cursor.
    }
    text += lines.map { $0.text(color: color) }.joined(separator: "\u{1B}[K\r\n") + "\u{1B}[J"
    shown = lines
    return text
  }

  /// The output that restores the cursor and keeps the last frame; empty before the first frame.
  mutating func leave() -> String {
    defer { shown = nil }
    return shown == nil ? "" : "\r\n" + Self.showCursor
  }

  /// Forgets the last frame, because other text was written below it.
  mutating func forget() { shown = nil }

  static let showCursor = "\u{1B}[?25h"
}
