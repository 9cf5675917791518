/// A line on standard error that is replaced in place, and messages above it.
actor StatusLine {
  private let context: CommandContext
  private var isShown = false

  init(_ context: CommandContext) { self.context = context }

  /// Prints a message in place of the line.
  func printMessage(_ text: String) async {
    // A single write, since another message may be written between two.
    let clearing = isShown ? "\r\u{1B}[K" : ""
    isShown = false
    await context.printMessage(text, after: clearing)
  }

  /// Replaces the line; does nothing unless standard error is a terminal.
  func show(_ text: String) async {
    guard context.showsProgress else { return }
    let width = max(1, context.windowSize().columns - 1)
    let line = TextWidth.prefix(Escaping.escape(text), columns: width)
    isShown = true
    try? await context.errors.write("\r" + line + "\u{1B}[K")
  }
}
