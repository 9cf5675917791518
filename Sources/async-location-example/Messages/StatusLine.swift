/// A line on standard error that is replaced in place, and messages above it. A service manager is
/// notified of the line.
actor StatusLine {
  private let context: CommandContext
  private var isShown = false
  private var status: String?

  init(_ context: CommandContext) { self.context = context }

  /// Prints a message in place of the line.
  func printMessage(_ text: String) async {
    // A single write, since another message may be written between two.
    let clearing = isShown ? "\r\u{1B}[K" : ""
    isShown = false
    await context.printMessage(text, after: clearing)
  }

  /// Replaces the line. Without a terminal and a service manager, does nothing.
  func show(_ text: String) async {
    if let service = context.service, text != status {
      status = text
      service.notify(.status(text))
    }
    guard context.showsProgress else { return }
    let width = max(1, context.windowSize().columns - 1)
    let line = TextWidth.prefix(Escaping.escape(text), columns: width)
    isShown = true
    try? await context.errors.write("\r" + line + "\u{1B}[K")
  }
}
