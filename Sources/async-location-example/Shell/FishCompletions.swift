/// The completions of fish.
enum FishCompletions {
  static let script =
    (["# fish completion for \(Help.name), as its command `completions fish` prints it."]
    + general + Command.allCases.flatMap(lines))
    .joined(separator: "\n") + "\n"

  private static var general: [String] {
    ["\(start) -f", "\(start) -l version -d \(quoted(Option.version.summary))"]
      + Command.completedCommands.map { name, summary in
        "\(start) -n __fish_use_subcommand -a \(name) -d \(quoted(summary))"
      } + [
        "\(start) -n '__fish_seen_subcommand_from help' -a "
          + quoted(Command.allCases.map(\.name).joined(separator: " "))
      ]
  }

  private static let start = "complete -c \(Help.name)"

  private static func lines(_ command: Command) -> [String] {
    let start = "\(start) -n '__fish_seen_subcommand_from \(command.name)'"
    let words: [String] =
      switch command.wordCompletion {
      case .files: ["\(start) -F"]
      case .words(let words): ["\(start) -a \(quoted(words.joined(separator: " ")))"]
      case .unknown: []
      }
    return words
      + command.describedOptions.map { option in
        let value: String =
          switch option.completion {
          case nil: ""
          case .files: " -r -F"
          case .words(let words): " -x -a \(quoted(words.joined(separator: " ")))"
          case .unknown: " -x"
          }
        return "\(start) -l \(option.flag.dropFirst(2))\(value) -d \(quoted(option.summary))"
      }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
  }
}
