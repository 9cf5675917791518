/// The manual page of the tool or of a command, in the macros of man(7). Pure.
struct ManualPage: Sendable {
  /// Nil for the page of the tool.
  let command: Command?

  var text: String { (command.map(page) ?? overview).joined(separator: "\n") + "\n" }

  private var overview: [String] {
    header(Help.name, summary: "the location from gpsd, from other sources or from a recording")
      + [
        ".SH SYNOPSIS", ".B \(escaped(Help.name))", ".I COMMAND", "[", ".I OPTIONS", "]",
        ".SH COMMANDS",
      ]
      + Command.allCases.flatMap { command in
        [".TP", ".BR \(escaped("\(Help.name)-\(command.name)")) (1)", escaped(command.summary)]
      } + status
  }

  private func page(_ command: Command) -> [String] {
    header("\(Help.name)-\(command.name)", summary: command.summary)
      + [
        ".SH SYNOPSIS", ".B \(escaped("\(Help.name) \(command.name)"))",
        escaped((command.words + " [OPTIONS]").trimmingPrefix(" ")), ".SH OPTIONS",
      ]
      + command.describedOptions.flatMap { option in
        let flag = "\\fB\(escaped(option.flag))\\fR"
        let value = option.placeholder.map { " \\fI\(escaped($0))\\fR" } ?? ""
        return [".TP", flag + value, escaped(option.summary)]
      } + [".SH DESCRIPTION"] + paragraphs(command.notes) + status
      + [".SH SEE ALSO", ".BR \(escaped(Help.name)) (1)"]
  }

  private func header(_ name: String, summary: String) -> [String] {
    let end = summary.last == "." ? summary.dropLast() : summary[...]
    return [
      ".TH \"\(escaped(name.uppercased()))\" 1 \"\" \"AsyncLocation \(Help.version)\"", ".SH NAME",
      "\(escaped(name)) \\- \(escaped(end.prefix(1).lowercased() + end.dropFirst()))",
    ]
  }

  private var status: [String] { [".SH EXIT STATUS"] + paragraphs(Help.statuses) }

  /// The lines of a text of the help. Those that are indented are a table, which is not filled.
  private func paragraphs(_ text: String) -> [String] {
    var (lines, isTable) = ([String](), false)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") != isTable {
        isTable.toggle()
        lines += isTable ? [".PP", ".nf"] : [".fi", ".PP"]
      }
      lines.append(line.isEmpty ? ".PP" : escaped(line))
    }
    return isTable ? lines + [".fi"] : lines
  }

  /// A text without a meaning for troff.
  private func escaped(_ text: some StringProtocol) -> String {
    let text = String(text).replacing(#"\"#, with: #"\e"#).replacing("-", with: #"\-"#)
    return text.hasPrefix(".") || text.hasPrefix("'") ? #"\&"# + text : text
  }
}
