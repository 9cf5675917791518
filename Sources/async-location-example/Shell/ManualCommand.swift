extension Command {
  static let manual = Command(
    name: "manual",
    summary: "Prints the manual page of the tool or of a command.",
    words: " [COMMAND]",
    options: [],
    notes: """
      The page is for man: \(Help.name) manual watch | man -l - shows it. Without COMMAND it is
      the page of the tool, which names those of the commands.
      """,
    read: { arguments, words throws(UsageError) in
      try arguments.refuseWords(words, after: 1)
      guard let word = words.first else { return }
      guard let topic = Command(named: word) else {
        let shown = Escaping.escape(word, limit: 60)
        throw UsageError("unknown command '\(shown)'", command: arguments.command)
      }
      arguments.topic = topic.name
    },
    run: { tool, arguments in
      let page = ManualPage(command: arguments.topic.flatMap(Command.init(named:)))
      try await tool.context.output.write(page.text)
      return .done
    })
}
