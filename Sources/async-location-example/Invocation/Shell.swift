/// A shell that completes the tool's command lines.
enum Shell: String, Hashable, Sendable, CaseIterable {
  case bash, zsh, fish
}
