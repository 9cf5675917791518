/// The completions of bash.
enum BashCompletions {
  static let script = """
    # bash completion for \(Help.name), as its command `completions bash` prints it.
    _async_location_example() {
      local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= index
      # bash makes the equals sign of an option a word.
      if [[ $word == '=' ]]; then
        word=
      elif [[ $previous == '=' ]]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
      fi
      for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
          \(names)) command=${COMP_WORDS[index]}; break ;;
        esac
      done
      local words= files=
      case $command in
        '') words=\(Shell.quoted(Command.completedNames.joined(separator: " "))) ;;
        help) words=\(Shell.quoted(Command.allCases.map(\.name).joined(separator: " "))) ;;
    \(Command.allCases.map(branch).joined(separator: "\n"))
      esac
      if [[ $files ]]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      fi
    }
    complete -F _async_location_example \(Help.name)

    """

  private static var names: String {
    Command.completedNames.joined(separator: " | ")
  }

  /// What completes the words after a command.
  private static func branch(_ command: Command) -> String {
    var cases: [(flags: [String], action: String)] = []
    for option in command.describedOptions {
      guard let value = option.completion else { continue }
      let action = action(value)
      if let index = cases.firstIndex(where: { $0.action == action }) {
        cases[index].flags.append(option.flag)
      } else {
        cases.append(([option.flag], action))
      }
    }
    let flags = command.describedOptions.map(\.flag).joined(separator: " ")
    let otherWord = action(command.wordCompletion)
    return """
          \(command.name))
            case $previous in
      \(cases.map { "        \($0.flags.joined(separator: " | "))) \($0.action) ;;" }
        .joined(separator: "\n"))
              *) if [[ $word == -* ]]; then words=\(Shell.quoted(flags)); else \(otherWord); fi ;;
            esac
            ;;
      """
  }

  private static func action(_ value: CompletedValue) -> String {
    switch value {
    case .files: "files=1"
    case .words(let words): "words=\(Shell.quoted(words.joined(separator: " ")))"
    case .unknown: ":"
    }
  }
}
