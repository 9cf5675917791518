/// What a shell completes the value of an option, or a word, with.
enum CompletedValue: Hashable, Sendable {
  case files
  case words([String])
  /// A shell cannot know the value.
  case unknown

  /// - Parameter placeholder: The placeholder of the value in the help: words that are one of its
  ///   alternatives are written in lower case, and others stand for a value.
  init(placeholder: String) {
    let alternatives = placeholder.split(separator: "|").map(String.init)
    if alternatives.count > 1, alternatives.allSatisfy(Self.isWord) {
      self = .words(alternatives)
    } else {
      self = alternatives.contains(where: Self.isFile) ? .files : .unknown
    }
  }

  private static func isWord(_ alternative: String) -> Bool {
    alternative.allSatisfy { $0.isLowercase || $0 == "-" }
  }

  private static func isFile(_ alternative: String) -> Bool {
    alternative.hasPrefix("FILE") || alternative == "PATH" || alternative == "SOURCE"
  }
}

extension DescribedOption {
  /// Nil for an option without a value.
  var completion: CompletedValue? { placeholder.map(CompletedValue.init) }
}

extension Command {
  /// What the words after the command are.
  var wordCompletion: CompletedValue {
    let first = words.split(separator: " ").first.map(String.init) ?? ""
    if first == "FILE" || first.hasPrefix("IN") { return .files }
    if first == "[COMMAND]" { return .words(Command.allCases.map(\.name)) }
    return CompletedValue(placeholder: first)
  }
}
