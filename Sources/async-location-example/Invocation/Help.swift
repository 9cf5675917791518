/// The texts of `--help`.
enum Help {
  static let name = "async-location-example"
  static let version = "0.1.0"

  static func text(_ command: Command?) -> String {
    command.map(page) ?? overview
  }

  private static let overview = """
    Shows the location: from gpsd, NMEA 0183, GeoClue, an MQTT broker or a recording.

    Usage: \(name) COMMAND [OPTIONS]

    Commands:
    \(rows(Command.allCases.map { ($0.name, $0.summary) }))

    See '\(name) COMMAND --help' for the options of a command.
    Without a receiver, try '\(name) watch --backend replay --rate 10'.

    \(statuses)
    """

  private static func page(_ command: Command) -> String {
    let table = rows(
      command.describedOptions.map {
        ($0.flag + ($0.placeholder.map { " " + $0 } ?? ""), $0.summary)
      })
    return """
      \(command.summary)

      Usage: \(name) \(command.name)\(command.words) [OPTIONS]

      Options:
      \(table)

      \(command.notes)

      \(statuses)
      """
  }

  /// For commands that use a broker.
  static let brokerStatuses = """
    Status 2 when a file of credentials or certificates cannot be used, 3 when the broker refuses this
    client, its user name or password, 1 when TLS fails or the broker's certificate is refused.
    """

  static let statuses = """
    Exit status: 0 done, 1 failed, 2 usage, 3 no permission, 4 timed out; 129, 130 or 143 when a signal
    (SIGHUP, SIGINT, SIGTERM) arrived before the command was done. Another signal, half a second after
    the first or later, ends it at once.
    """

  /// Formats rows in two columns. After a left text of more than 24 characters, the right text is
  /// on the next line.
  static func rows(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).filter { $0 <= 24 }.max() ?? 0
    return rows.map { left, right in
      left.count > width
        ? "  \(left)\n  " + String(repeating: " ", count: width) + "  \(right)"
        : "  " + TextWidth.pad(left, width) + "  \(right)"
    }.joined(separator: "\n")
  }
}
