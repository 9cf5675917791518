/// The texts of `--help`.
enum Help {
  static let name = "async-location-example"
  static let version = "0.1.0"

  static func text(_ command: Command?) -> String {
    command.map(page) ?? overview
  }

  private static let overview = """
    Shows where you are, from gpsd or from a recorded drive.

    Usage: \(name) COMMAND [OPTIONS]

    Commands:
    \(rows(Command.allCases.map { ($0.rawValue, $0.summary) }))

    See '\(name) COMMAND --help' for the options of a command.
    No receiver at hand? Try '\(name) watch --backend replay --rate 10'.

    \(statuses)
    """

  private static func page(_ command: Command) -> String {
    let options = Option.allCases.filter { $0.commands.contains(command) && $0 != .version }
    let table = rows(
      options.map { option in
        (option.flag + (option.placeholder.map { " " + $0 } ?? ""), option.summary)
      })
    return """
      \(command.summary)

      Usage: \(name) \(command.rawValue) [OPTIONS]

      Options:
      \(table)

      \(notes(command))

      \(statuses)
      """
  }

  private static func notes(_ command: Command) -> String {
    switch command {
    case .watch:
      """
      In a terminal: a table, redrawn in place. Elsewhere, or when TERM is dumb: one line for
      each location, of these columns, '-' where nothing is known:
      \(rows(LocationLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one location a line, as the library encodes it, absent members left out.
      Locations go to standard output, all else to standard error. Without --count an interrupt
      (Ctrl-C) is the way to end, with status 0.
      """
    case .once:
      """
      Without --timeout it waits 60 seconds. If only locations worse than --accuracy arrive, it
      prints the best of them at the end of that time.
      """
    case .headings:
      """
      One line for each heading that differs by a degree or more, of these columns:
      \(rows(HeadingLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one heading a line, as the library encodes it. Needs full accuracy.
      """
    case .sky:
      """
      In a terminal: a table for each report. Elsewhere one line, of these columns:
      \(rows(SkyLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one view a line, as the library encodes it. Needs full accuracy.
      """
    case .doctor:
      """
      Checks library, daemon, permission, receivers, sky, fix and time, and says for each: ok,
      warning, problem, or skipped. With --format json: one object a line, of check, result,
      finding and, if there is, advice. Never tells where you are. Watches for up to 10 seconds
      unless --timeout says otherwise. Status 0 when there is no problem, 3 when permission is one,
      else 1.
      """
    case .devices:
      """
      In text: path, driver, model, whether gpsd has it open, and the rate of its reports.
      gpsd opens some only when they are watched. Waits 5 seconds unless --timeout says otherwise.
      """
    case .authorization:
      """
      With --policy: what the file says of the client at this moment, and which line says it. Status 3
      when nothing is granted, so that a script can ask.
      """
    case .reports:
      """
      In text: the class, the receiver ('-' when the report names none) and the line as gpsd sent
      it. With --format json: one report a line, with the fields and units of gpsd's documentation
      that were understood. TOFF and PPS come when --class names them. Reports hold positions as
      they are: they need permission with full accuracy.
      Reports go to standard output, all else to standard error. Without --count an interrupt
      (Ctrl-C) is the way to end, with status 0.
      32 MB of reports wait for a reader that is slow. Beyond that the oldest are dropped: how many
      is said on standard error, and the status is 1.
      """
    }
  }

  private static let statuses = """
    Exit status: 0 done, 1 failed, 2 usage, 3 no permission, 4 timed out; 130 or 143 when a signal
    came before what was asked for was done.
    """

  /// Two columns; text that does not fit in the second column goes on the next line.
  private static func rows(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).filter { $0 <= 24 }.max() ?? 0
    return rows.map { left, right in
      left.count > width
        ? "  \(left)\n  " + String(repeating: " ", count: width) + "  \(right)"
        : "  " + TextWidth.pad(left, width) + "  \(right)"
    }.joined(separator: "\n")
  }
}
