import AsyncLocation
import Glibc
import TestSupport
import Testing

@testable import async_location_example

/// The scripts of `completions`, in the shells that they are for.
@Suite(.inTurn)
struct CompletionTests {
  private static func isInstalled(_ shell: Shell) -> Bool {
    access("/usr/bin/\(shell.rawValue)", X_OK) == 0
  }

  /// Command lines without the tool's name, whose last word, which follows a space or an equals
  /// sign, is completed, and all completions.
  private static let lines: [(line: String, completions: [String])] = [
    ("re", ["record", "reports"]),
    ("watch --form", ["--format"]),
    ("watch --format ", ["json", "text"]),
    ("sky --backend ", ["gpsd", "nmea", "replay"]),
    ("publish --confirm s", ["stored"]),
    ("completions ", ["bash", "fish", "zsh"]),
    ("manual wa", ["watch"]),
    ("help conv", ["convert"]),
    // Nothing of this machine is offered where a file is no value.
    ("watch --count ", []),
    ("watch --host /tm", []),
    ("watch --port /tm", ["/tmp"]),
    ("convert /tm", ["/tmp"]),
    ("unknown re", ["record", "reports"]),
  ]

  @Test(arguments: lines)
  func bashCompletes(_ example: (line: String, completions: [String])) async throws {
    let words = example.line.split(separator: " ", omittingEmptySubsequences: false)
      .map { Shell.quoted(String($0)) }.joined(separator: " ")
    #expect(try await Self.bash("COMP_WORDS=(tool \(words))") == example.completions)
  }

  /// bash makes the equals sign a word of its own.
  @Test func bashCompletesAfterAnEqualsSign() async throws {
    #expect(try await Self.bash("COMP_WORDS=(tool watch --format =)") == ["json", "text"])
    #expect(try await Self.bash("COMP_WORDS=(tool watch --format = j)") == ["json"])
  }

  /// The completions of the last word, sorted.
  private static func bash(_ words: String) async throws -> [String] {
    let script =
      Shell.bash.completions + """
        \(words)
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _async_location_example
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    let ended = try await ChildProcess(words: ["/bin/bash", "-c", script]).end()
    #expect(ended.errors == "")
    return ended.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test(.enabled(if: isInstalled(.fish), "install fish"), arguments: lines.dropLast())
  func fishCompletes(_ example: (line: String, completions: [String])) async throws {
    let folder = try RecordingFolder()
    try folder.write(Shell.fish.completions, to: "script")
    let command = "source \(folder.path)/script; complete -C '\(Help.name) \(example.line)'"
    let ended = try await ChildProcess(
      words: ["/usr/bin/fish", "--no-config", "-c", command], environment: ["HOME=\(folder.path)"]
    ).end()
    #expect(ended.errors == "")
    let completions = ended.output.split(separator: "\n")
      .compactMap { $0.split(separator: "\t").first.map(String.init) }
    // fish marks folders.
    #expect(completions.sorted().map { $0 == "/tmp/" ? "/tmp" : $0 } == example.completions)
  }

  @Test(
    .enabled(if: isInstalled(.zsh) && TerminalProcess.isInstalled, "install zsh and script"),
    arguments: [
      ("watch --form\tjs\t", "watch --format=json"),
      ("conv\t/tm\t", "convert /tmp"),
      ("completions f\t", "completions fish"),
      ("manual fen\t", "manual fences"),
      ("publish --confirm st\t", "publish --confirm stored"),
    ])
  func zshCompletes(_ typed: String, _ line: String) async throws {
    let folder = try RecordingFolder()
    try folder.write(Shell.zsh.completions, to: "script")
    try folder.write(
      """
      PROMPT=
      autoload -U compinit
      compinit -u -D
      source \(folder.path)/script
      \(Help.name)() { print -r -- "completed: $*." }
      print rea''dy
      """, to: ".zshrc")
    let terminal = try TerminalProcess("ZDOTDIR=\(folder.path) exec zsh -i")
    await terminal.read(until: "ready")
    terminal.press("\(Help.name) \(typed)\r")
    await terminal.read(until: "completed: ")
    let completed = await terminal.read(until: ".")
    #expect(completed == line + ".")
    terminal.press("exit\r")
    _ = await terminal.end()
  }
}
