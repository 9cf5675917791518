/// A command of the tool.
struct Command: Sendable {
  let name: String
  let summary: String
  /// The text of the help for the words and the required options after the command.
  let words: String
  /// Whether the command runs until interrupted unless `--count` is given.
  let isEndless: Bool
  /// Whether the command writes a recording in a format that can be chosen.
  let writesRecordings: Bool
  /// The options that the command accepts.
  let options: Set<Option>
  /// The placeholders and summaries of options that mean something else here.
  let meanings: [Option: (placeholder: String, summary: String)]
  /// The text of the help after the options.
  let notes: String
  /// Reads the words after the command.
  let read: @Sendable (inout Arguments, [String]) throws(UsageError) -> Void
  /// Rejects options that are missing or have no effect.
  let check: @Sendable (Arguments, Set<Option>) throws(UsageError) -> Void
  /// Runs the command and returns its exit status.
  let run: @Sendable (Tool, Arguments) async throws -> ExitCode

  init(
    name: String, summary: String, words: String = "", isEndless: Bool = false,
    writesRecordings: Bool = false, options: [Set<Option>],
    meanings: [Option: (placeholder: String, summary: String)] = [:], notes: String,
    read: @escaping @Sendable (inout Arguments, [String]) throws(UsageError) -> Void = {
      arguments, words throws(UsageError) in
      try arguments.refuseWords(words, after: 0)
    },
    check: @escaping @Sendable (Arguments, Set<Option>) throws(UsageError) -> Void = { _, _ in },
    run: @escaping @Sendable (Tool, Arguments) async throws -> ExitCode
  ) {
    (self.name, self.summary, self.words, self.notes) = (name, summary, words, notes)
    (self.isEndless, self.writesRecordings) = (isEndless, writesRecordings)
    self.options = options.reduce([.help, .version]) { $0.union($1) }
    self.meanings = meanings
    (self.read, self.check, self.run) = (read, check, run)
  }
}

extension Command: CaseIterable {
  static let allCases: [Command] = [
    .watch, .once, .headings, .sky, .fences, .place, .reports, .devices, .authorization, .doctor,
    .record, .convert, .plot, .stats, .publish, .fleet, .history, .completions, .manual,
  ]

  init?(named name: String) {
    guard let command = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = command
  }
}

extension Command: Hashable {
  static func == (one: Self, other: Self) -> Bool { one.name == other.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Command: CustomStringConvertible {
  var description: String { name }
}
