/// The completions of zsh, for a folder of its `fpath` or to be sourced.
enum ZshCompletions {
  static let script = """
    #compdef \(Help.name)
    # zsh completion for \(Help.name), as its command `completions zsh` prints it.
    _async_location_example() {
      local context state state_descr line
      typeset -A opt_args
      _arguments -C '(- *)--help[Shows help]' '(- *)--version[Shows the version]' \\
        '1:command:->command' '*:: :->rest'
      case $state in
        command)
          local -a commands=(
    \(commands)
          )
          _describe -t commands command commands ;;
        rest)
          case $words[1] in
            help) _values command \(Command.allCases.map(\.name).joined(separator: " ")) ;;
    \(Command.allCases.map(branch).joined(separator: "\n"))
          esac ;;
      esac
    }
    if [[ $funcstack[1] == _\(Help.name) ]]; then
      _async_location_example "$@"
    else
      compdef _async_location_example \(Help.name)
    fi

    """

  private static var commands: String {
    Command.completedCommands
      .map { "        " + Shell.quoted("\($0.name):\(escaped($0.summary, ":"))") }
      .joined(separator: "\n")
  }

  private static func branch(_ command: Command) -> String {
    var lines = command.describedOptions.map { option in
      let summary = "[\(escaped(option.summary, "]"))]"
      guard let placeholder = option.placeholder, let value = option.completion else {
        return option.flag + summary
      }
      return "\(option.flag)=\(summary):\(escaped(placeholder, ":")):\(action(value))"
    }
    let words = action(command.wordCompletion)
    if words != " " { lines.append("*:word:\(words)") }
    return """
              \(command.name))
                _arguments \\
      \(lines.map { "            \(Shell.quoted($0))" }.joined(separator: " \\\n")) ;;
      """
  }

  private static func action(_ value: CompletedValue) -> String {
    switch value {
    case .files: "_files"
    case .words(let words): "(\(words.joined(separator: " ")))"
    case .unknown: " "
    }
  }

  private static func escaped(_ text: String, _ special: String) -> String {
    text.replacing(#"\"#, with: #"\\"#).replacing(special, with: #"\"# + special)
  }
}
