/// The output format, from the arguments and the environment. Pure.
struct Presentation: Hashable, Sendable {
  enum Shape: Hashable, Sendable { case table, lines, json }

  let shape: Shape
  let color: Bool
  let glyphs: Glyphs

  init(_ arguments: Arguments, environment: [String: String], isTerminal: Bool) {
    let canMoveCursor = Self.canMoveCursor(environment: environment, isTerminal: isTerminal)
    shape =
      switch arguments.format {
      case .json: .json
      case .text: canMoveCursor ? .table : .lines
      }
    color =
      switch arguments.color {
      case .always: true
      case .never: false
      case .auto: canMoveCursor && (environment["NO_COLOR"] ?? "").isEmpty
      }
    // POSIX's order of precedence for the character set.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    let charset = (locale ?? "").uppercased()
    glyphs = charset.contains("UTF-8") || charset.contains("UTF8") ? .unicode : .ascii
  }

  /// Whether the output is a terminal that can move its cursor; false for a dumb one.
  static func canMoveCursor(environment: [String: String], isTerminal: Bool) -> Bool {
    let terminal = environment["TERM"] ?? ""
    return isTerminal && terminal != "dumb" && !terminal.isEmpty
  }
}
