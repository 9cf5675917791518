import AsyncLocation
import FoundationEssentials
import Glibc

@main
enum Example {
  /// Runs the tool in a task while the main thread waits for signals. `main` is not asynchronous,
  /// because the runtime would then suspend the main thread with all signals unblocked.
  static func main() {
    openStandardDescriptors()
    Signals.block()
    let words = Array(CommandLine.arguments.dropFirst())
    let (output, errors) = (FileOutput(STDOUT_FILENO), FileOutput(STDERR_FILENO))
    // Only the newest events matter, so a small buffer suffices.
    let (events, window) = AsyncStream.makeStream(
      of: Signals.WindowEvent.self, bufferingPolicy: .bufferingNewest(4))
    let reloads = ReloadRequests()
    let keyboard = Keyboard(STDIN_FILENO)
    // The key q ends a table without a signal, with the exit status of Ctrl-C.
    let stopSignal = Locked(SIGINT)
    let service = ServiceManager(ProcessInfo.processInfo.environment, process: getpid())
    let work = Task.detached {  // Not on the main actor, whose thread waits for signals.
      let code = await Self.run(
        words, output: output, errors: errors, events: events, reloads: reloads,
        keyboard: keyboard, service: service)
      keyboard.release()
      service?.notify(.stopping)
      exit((code ?? .interrupted(signal: stopSignal.withLock { $0 })).status)
    }
    if let service { Task.detached { await service.keepAlive(.continuous) } }
    wait(
      reloads: reloads, keyboard: keyboard, window: window, stopSignal: stopSignal,
      stop: {
        service?.notify(.stopping)
        work.cancel()
        output.interrupt()
        errors.interrupt()
      })
  }

  /// Handles signals. Not a part of `main`, for which the optimizer of Swift 6.3.1 crashes.
  private static func wait(
    reloads: ReloadRequests, keyboard: Keyboard,
    window: AsyncStream<Signals.WindowEvent>.Continuation, stopSignal: Locked<Int32>,
    stop: () -> Void
  ) -> Never {
    var firstStop: ContinuousClock.Instant?
    Signals.wait(
      stop: { signal in
        if signal == SIGHUP, reloads.post() { return }
        stopSignal.withLock { $0 = signal }
        let now = ContinuousClock.now
        if let firstStop {
          // Service managers and `timeout` send two signals in quick succession. A signal more than
          // 500 ms after the first one exits immediately.
          guard firstStop.duration(to: now) > .milliseconds(500) else { return }
          restoreTerminal(keyboard)
          _exit(ExitCode.interrupted(signal: signal).status)
        }
        firstStop = now
        stop()
      },
      window: { event in
        // While a table is drawn, the drawing code leaves it before it suspends the process.
        if event == .suspended, !Window.isDrawn {
          Window.suspend()
        } else {
          window.yield(event)
        }
      },
      quit: { restoreTerminal(keyboard) })
  }

  /// Restores the terminal's settings and shows the cursor before an immediate exit.
  private static func restoreTerminal(_ keyboard: Keyboard) {
    keyboard.close()
    // A terminal that accepts no output must not delay the exit.
    var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    guard Window.isTerminal(STDOUT_FILENO), poll(&output, 1, 0) == 1 else { return }
    _ = write(STDOUT_FILENO, Painter.showCursor, Painter.showCursor.utf8.count)
  }

  /// Opens `/dev/null` for each closed standard descriptor. Otherwise the next opened file would
  /// have that descriptor, and output would be written to it. The access mode is reversed, so that
  /// reading input and writing output still fail.
  private static func openStandardDescriptors() {
    for (descriptor, mode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ]
    where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", mode)  // Takes the lowest free descriptor.
    }
  }

  /// Returns the exit status; nil when cancelled before the command was done.
  private static func run(
    _ words: [String], output: FileOutput, errors: FileOutput,
    events: AsyncStream<Signals.WindowEvent>, reloads: ReloadRequests, keyboard: Keyboard,
    service: ServiceManager?
  ) async -> ExitCode? {
    do throws(UsageError) {
      switch try Invocation.parse(words) {
      case .help(let command): return await print(Help.text(command), output)
      case .version: return await print("\(Help.name) \(Help.version)", output)
      case .run(let arguments):
        let presentation = Presentation(
          arguments, environment: ProcessInfo.processInfo.environment,
          isTerminal: Window.isTerminal(STDOUT_FILENO))
        let context = CommandContext(
          output: output, errors: errors, presentation: presentation, clock: .continuous,
          windowSize: { Window.size(STDOUT_FILENO) }, windowEvents: events,
          keyboard: keyboard, reloads: reloads, service: service,
          showsProgress: Presentation.canMoveCursor(
            environment: ProcessInfo.processInfo.environment,
            isTerminal: Window.isTerminal(STDERR_FILENO)))
        return await Tool(
          context: context, source: Sources.source, receivers: Sources.receivers,
          reports: Sources.reports, storage: Sources.monitorStorage, geocoder: Sources.geocoder,
          broker: Sources.broker, publications: Sources.publicationStorage,
          survey: Sources.survey
        ).run(arguments)
      }
    } catch {
      let topic = error.command.map { $0.name + " " } ?? ""
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
}
