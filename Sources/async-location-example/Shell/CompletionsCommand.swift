extension Command {
  static let completions = Command(
    name: "completions",
    summary: "Prints the script with which a shell completes command lines.",
    words: " bash|zsh|fish",
    options: [],
    notes: """
      In bash, eval "$(\(Help.name) completions bash)" completes in this session; for all
      sessions, put that line into ~/.bashrc, or the script into
      /etc/bash_completion.d/\(Help.name). In zsh, put the script into a folder of fpath as
      _\(Help.name); in fish, into ~/.config/fish/completions/\(Help.name).fish.
      """,
    read: { arguments, words throws(UsageError) in
      try arguments.refuseWords(words, after: 1)
      guard let word = words.first, let shell = Shell(rawValue: word) else {
        let names = Shell.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("completions needs a shell: \(names)", command: arguments.command)
      }
      arguments.shell = shell
    },
    run: { tool, arguments in
      try await tool.context.output.write(arguments.shell?.completions ?? "")
      return .done
    })

  /// The names and summaries of the commands, and of `help`.
  static var completedCommands: [(name: String, summary: String)] {
    allCases.map { ($0.name, $0.summary) } + [("help", "Shows the help of a command.")]
  }

  static var completedNames: [String] { completedCommands.map(\.name) }
}
