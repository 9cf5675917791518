import Foundation
import Glibc
import TestSupport
import Testing

@testable import async_location_example

/// The table of `fleet` in a terminal, beside a real broker with 60 devices.
@Suite(
  .needsBroker, .enabled(if: TerminalProcess.isInstalled, "script is not installed"), .inTurn)
struct FleetTerminalTests {
  private static func broker() async throws -> RealBroker {
    let broker = try await RealBroker()
    try await RawPublisher(to: broker.port).publish(
      (10..<70).map { number in
        RawPublisher.Message(
          "owntracks/jane/\(number)",
          #"{"_type":"location","lat":47,"lon":8,"tst":1700000000,"acc":5,"vel":\#(number)}"#,
          isRetained: true)
      })
    return broker
  }

  private static func command(_ broker: RealBroker) -> String {
    "fleet --broker mqtt://127.0.0.1:\(broker.port)"
  }

  /// Runs the tool, and prints the terminal's settings before and after it, its process identifier
  /// and its exit status.
  private static func script(_ command: String) -> String {
    #"""
    ulimit -c 0; stty -a | tr '\n' ' '; echo BEFORE; tty
    sh -c 'echo "process $$ " >&2; exec "$0" \#(command)' "$TOOL"
    echo "status $?"; stty -a | tr '\n' ' '; echo AFTER
    """#
  }

  /// The last settings of the terminal in an output before a mark, without its speed.
  private static func settings(_ output: String, before mark: String) -> Substring? {
    output.split(separator: mark).first?.split(separator: "speed ").last
  }

  /// Whether a terminal is in canonical mode (input by line), as a shell sets it.
  private static func isCanonical(_ terminal: String) async throws -> Bool {
    try await onThread {
      let descriptor = open(terminal, O_RDONLY | O_NOCTTY | O_CLOEXEC)
      defer { close(descriptor) }
      var settings = termios()
      try #require(tcgetattr(descriptor, &settings) == 0)
      return settings.c_lflag & tcflag_t(ICANON) != 0
    }
  }

  @Test("keys scroll and sort the table, and q ends it; the terminal is as before")
  func keys() async throws {
    let broker = try await Self.broker()
    let terminal = try TerminalProcess(Self.script(Self.command(broker)), beside: broker)
    let start = await terminal.read(until: "BEFORE")
    await terminal.read(until: "devices 1–19 of 60")
    for (keys, text) in [
      ("\u{1B}[6~", "devices 20–38 of 60"), ("\u{1B}[F", "devices 42–60 of 60"),
      ("\u{1B}[5~", "devices 23–41 of 60"), ("g", "devices 1–19 of 60"), ("s", "Presence ↑"),
      ("sss", "Speed ↑"), ("r", "Speed ↓"), ("\u{1B}OB", "▸"),
    ] {
      terminal.press(keys)
      await terminal.read(until: text)
    }
    terminal.press("q")
    let end = await terminal.read(until: "AFTER")
    #expect(end.contains("status 0"))
    let (before, after) = (
      Self.settings(start, before: "BEFORE"), Self.settings(end, before: "AFTER")
    )
    #expect(before != nil && before == after)
    #expect(await terminal.end() == 0)
  }

  @Test(
    "a signal restores the terminal",
    arguments: [SIGINT: 0, SIGTERM: 0, SIGHUP: 0, SIGQUIT: 128 + SIGQUIT])
  func signals(_ signal: Int32, status: Int32) async throws {
    let broker = try await Self.broker()
    let terminal = try TerminalProcess(Self.script(Self.command(broker)), beside: broker)
    let start = await terminal.read(until: "BEFORE")
    let output = await terminal.read(until: "devices 1–19 of 60")
    let id = try #require(output.firstMatch(of: /process (\d+)\s/).flatMap { pid_t($0.1) })
    kill(id, signal)
    let end = await terminal.read(until: "AFTER")
    #expect(end.contains("status \(status)"))
    #expect(end.contains(Painter.showCursor))
    let (before, after) = (
      Self.settings(start, before: "BEFORE"), Self.settings(end, before: "AFTER")
    )
    #expect(before != nil && before == after)
    #expect(await terminal.end() == 0)
  }

  @Test("the terminal is restored while the tool is stopped, and taken again afterwards")
  func suspends() async throws {
    let broker = try await Self.broker()
    let terminal = try TerminalProcess(Self.script(Self.command(broker)), beside: broker)
    var output = await terminal.read(until: "devices 1–19 of 60  arrows")
    let id = try #require(output.firstMatch(of: /process (\d+)\s/).flatMap { pid_t($0.1) })
    let path = String(try #require(output.firstMatch(of: /\/dev\/pts\/\d+/)?.0))
    #expect(try await Self.isCanonical(path) == false)
    kill(id, SIGTSTP)
    func state() throws -> Substring? {
      try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8).split(separator: ") ").last?
        .prefix(1)
    }
    while try state() != "T" { await Task.yield() }
    #expect(try await Self.isCanonical(path))
    kill(id, SIGCONT)
    await terminal.read(until: "devices 1–19 of 60  arrows")
    #expect(try await Self.isCanonical(path) == false)
    terminal.press("Gq")
    output = await terminal.read(until: "AFTER")
    #expect(output.contains("status 0"))
  }

  @Test("in the background the tool does not use the terminal until it is in the foreground")
  func background() async throws {
    let broker = try await Self.broker()
    let terminal = try TerminalProcess(
      """
      set -m; tty
      "$TOOL" \(Self.command(broker)) &
      read line; echo "read $line"
      fg %1; echo "status $?"; echo END; read line
      """, beside: broker)
    let output = await terminal.read(until: "devices 1–19 of 60")
    let path = String(try #require(output.firstMatch(of: /\/dev\/pts\/\d+/)?.0))
    #expect(!output.contains("arrows"))
    #expect(try await Self.isCanonical(path))
    // The shell receives the keys while the tool is in the background.
    terminal.press("q\n")
    await terminal.read(until: "read q")
    await terminal.read(until: "arrows")
    terminal.press("q")
    #expect(await terminal.read(until: "END").contains("status 0"))
    #expect(try await Self.isCanonical(path))
    terminal.press("\n")
    #expect(await terminal.end() == 0)
  }
}
