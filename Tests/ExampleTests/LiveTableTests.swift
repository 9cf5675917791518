import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct LiveTableTests {
  private struct Shown {
    let keys = TestKeys()
    let output: TestOutput
    let table: LiveTable

    init(limit: Int = .max) {
      output = TestOutput(limit: limit)
      let bench = Bench(MockBackend(), shape: .table, output: output, keyboard: keys)
      table = LiveTable(bench.tool.context)
    }
  }

  private actor Pressed {
    private(set) var keys: [Key] = []

    func press(_ key: Key) { keys.append(key) }

    var lines: [StyledLine] { [StyledLine("pressed \(keys.count)")] }
  }

  /// The clock stands still, so that only keys cause frames.
  @Test("a key is shown at once, and q ends the table as an interrupt does")
  func readsKeys() async throws {
    let shown = Shown()
    let pressed = Pressed()
    let run = Task {
      try await shown.table.run({ _ in await pressed.lines }, press: { await pressed.press($0) })
    }
    await shown.output.wait(for: "pressed 0")
    #expect(shown.keys.isAcquired)
    shown.keys.press(.down)
    await shown.output.wait(for: "pressed 1")
    shown.keys.press(.character("x"))
    await shown.output.wait(for: "pressed 2")
    shown.keys.press(.character("q"))
    await #expect(throws: CancellationError.self) { try await run.value }
    #expect(await pressed.keys == [.down, .character("x")])
    try await shown.table.finish { _ in await pressed.lines }
    #expect(!shown.keys.isAcquired)
    #expect(await shown.output.text.hasSuffix("\r\n\u{1B}[?25h"))
  }

  @Test("the terminal is restored when nothing can be written")
  func restoresTheTerminal() async throws {
    let shown = Shown(limit: 0)
    await #expect(throws: OutputError.closed) { try await shown.table.run({ _ in [] }) }
    #expect(shown.keys.isAcquired)
    await #expect(throws: OutputError.closed) { try await shown.table.finish { _ in [] } }
    #expect(!shown.keys.isAcquired)
  }

  @Test("q ends watch with status 0, and with that of an interrupt before its count")
  func endsWatch() async throws {
    for (line, code) in [("watch", ExitCode.done), ("watch --count 5", nil)] {
      let keys = TestKeys()
      let bench = Bench(MockBackend(), shape: .table, keyboard: keys)
      let run = Task { try await bench.run(line) }
      await bench.output.wait(for: "mock")
      keys.press(.character("q"))
      #expect(try await run.value == code)
      #expect(!keys.isAcquired)
    }
  }
}
