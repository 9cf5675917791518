extension Invocation {
  /// Parses the command line after the program's name.
  ///
  /// Options may precede or follow the command. A value is the next word or follows `=`. If an
  /// option is repeated, the last one counts.
  static func parse(_ words: [String]) throws(UsageError) -> Self {
    var (positionals, given) = ([String](), [(option: Option, value: String)]())
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "-o" || word.hasPrefix("-o=") {
        let long = Option.output.flag + word.dropFirst(2)
        given.append(try option(long, &rest, of: positionals.first.flatMap(Command.init(named:))))
      } else if word == "-h" {
        given.append((.help, ""))
      } else if word == "--" {
        positionals += rest
        rest = []
      } else if word.hasPrefix("-"), word != "-", !beginsWithNumber(word) {
        given.append(try option(word, &rest, of: positionals.first.flatMap(Command.init(named:))))
      } else {
        positionals.append(word)
      }
    }
    return try invocation(positionals, given)
  }

  private static func option(
    _ word: String, _ rest: inout ArraySlice<String>, of command: Command?
  ) throws(UsageError) -> (option: Option, value: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard word.hasPrefix("--"), let option = Option(rawValue: String(parts[0].dropFirst(2))) else {
      let flags = Option.allCases.filter { command?.options.contains($0) ?? true }.map(\.flag)
      throw UsageError(
        "unknown option '\(shown(parts[0]))'\(hint(String(parts[0]), flags))", command: command)
    }
    guard let placeholder = option.placeholder else {
      if parts.count > 1 {
        throw UsageError("\(option.flag) takes no value", command: command)
      }
      return (option, "")
    }
    if parts.count > 1 {
      guard !parts[1].isEmpty else { throw missing(option, placeholder, command) }
      return (option, String(parts[1]))
    }
    // If the next word looks like an option, the value is missing.
    guard let value = rest.first, !value.isEmpty, !value.hasPrefix("--") else {
      throw missing(option, placeholder, command)
    }
    rest.removeFirst()
    return (option, value)
  }

  private static func invocation(
    _ positionals: [String], _ given: [(option: Option, value: String)]
  ) throws(UsageError) -> Self {
    var words = positionals[...]
    let requestsHelp = given.contains { $0.option == .help }
    if words.first == "help" {
      words.removeFirst()
      guard let topic = words.first else { return .help(nil) }
      return .help(try command(topic))
    }
    if requestsHelp { return .help(try words.first.map(command)) }
    if given.contains(where: { $0.option == .version }) { return .version }
    guard let name = words.popFirst() else {
      throw UsageError(
        "a command is needed: \(Command.allCases.map(\.name).joined(separator: ", "))")
    }
    let command = try command(name)
    var arguments = Arguments(command: command)
    try command.read(&arguments, Array(words))
    for (option, value) in given {
      guard command.options.contains(option) else {
        let others = option.commands.map(\.name)
        let list = others.dropLast().joined(separator: ", ") + (others.count > 1 ? " and " : "")
        throw UsageError(
          "\(command.name) does not take \(option.flag); "
            + "\(list)\(others.last ?? "") \(others.count == 1 ? "does" : "do")",
          command: command)
      }
      try arguments.set(option, value)
    }
    try arguments.readPorts(given.filter { $0.option == .port }.map(\.value))
    try arguments.check(Set(given.map(\.option)))
    return .run(arguments)
  }

  /// Whether a word begins like a negative coordinate.
  private static func beginsWithNumber(_ word: String) -> Bool {
    word.dropFirst().first.map { ("0"..."9").contains($0) || $0 == "." } ?? false
  }

  private static func command(_ name: String) throws(UsageError) -> Command {
    guard let command = Command(named: name) else {
      let known = Command.allCases.map(\.name) + ["help"]
      throw UsageError("unknown command '\(shown(name))'\(hint(name, known))")
    }
    return command
  }

  private static func missing(
    _ option: Option, _ placeholder: String, _ command: Command?
  ) -> UsageError {
    UsageError("\(option.flag) needs a value: \(option.flag) \(placeholder)", command: command)
  }

  private static func hint(_ word: String, _ names: [String]) -> String {
    NearestName.find(word, in: names).map { "; did you mean \($0)?" } ?? ""
  }

  private static func shown(_ word: some StringProtocol) -> String {
    Escaping.escape(String(word), limit: 60)
  }
}
