import AsyncLocation
import FoundationEssentials
import Glibc
import Synchronization

@main
enum Example {
  private static let stopped = Atomic<Int32>(0)

  static func main() async {
    Signals.block()
    exit(await run(Array(CommandLine.arguments.dropFirst())).status)
  }

  private static func run(_ words: [String]) async -> ExitCode {
    let (output, errors) = (FileOutput(STDOUT_FILENO), FileOutput(STDERR_FILENO))
    do throws(UsageError) {
      switch try Invocation.parse(words) {
      case .run(let arguments): return await run(arguments, output, errors)
      case .help(let command): return await print(Help.text(command), output)
      case .version: return await print("\(Help.name) \(Help.version)", output)
      }
    } catch {
      let topic = error.command.map { $0.rawValue + " " } ?? ""
      try? await errors.write(
        words.isEmpty
          ? Help.text(nil) + "\n"
          : "\(Help.name): \(error.message)\nSee '\(Help.name) \(topic)--help'.\n")
      return .usage
    }
  }

  private static func print(_ text: String, _ output: FileOutput) async -> ExitCode {
    do {
      try await output.write(text + "\n")
      return .done
    } catch {
      return error == .closed ? .done : .failed
    }
  }

  private static func run(
    _ arguments: Arguments, _ output: FileOutput, _ errors: FileOutput
  ) async -> ExitCode {
    let presentation = Presentation(
      arguments, environment: ProcessInfo.processInfo.environment,
      isTerminal: Window.isTerminal(STDOUT_FILENO))
    // A few: only the newest size matters.
    let (events, window) = AsyncStream.makeStream(
      of: Signals.WindowEvent.self, bufferingPolicy: .bufferingNewest(4))
    let tool = Tool(
      surroundings: Surroundings(
        output: output, errors: errors, presentation: presentation, clock: .continuous,
        windowSize: { Window.size(STDOUT_FILENO) }, windowEvents: events),
      source: Sources.source, receivers: Sources.receivers)
    let run = Task { await tool.run(arguments) }
    Signals.wait(
      stop: { signal in
        guard stopped.exchange(signal, ordering: .relaxed) == 0 else {
          // Twice means now.
          if presentation.shape == .table { _ = write(STDOUT_FILENO, Painter.showCursor, 6) }
          _exit(ExitCode.interrupted(signal: signal).status)
        }
        run.cancel()
        output.hurry()
        errors.hurry()
      }, window: { window.yield($0) })
    if let code = await run.value { return code }
    // Watching without a count has no other end.
    if arguments.command == .watch, arguments.count == nil { return .done }
    return .interrupted(signal: stopped.load(ordering: .relaxed))
  }
}
