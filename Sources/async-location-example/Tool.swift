import AsyncLocation
import MQTTBackend

/// Runs a command and returns its exit status.
struct Tool: Sendable {
  let context: CommandContext
  /// Creates the source of locations; called once.
  let source: @Sendable (Arguments) async throws -> NamedBackend
  /// Lists the receivers.
  let receivers: @Sendable (Arguments) async throws -> [Receiver]
  /// Creates the source of gpsd's reports; called once.
  let reports: @Sendable (Arguments) throws -> ReportSource
  /// Creates the storage of monitors, for the path of a state file if there is one.
  let storage: @Sendable (String?) async throws -> any MonitorStorage
  /// Creates the geocoder; called once.
  let geocoder: @Sendable (Arguments) throws -> any Geocoder
  /// Returns the broker's configuration from the arguments, with credentials.
  let broker: @Sendable (Arguments) async throws -> MQTTConfiguration
  /// Creates the storage of publications, for the path of a file if there is one.
  let publications: @Sendable (String?) async throws -> any PublicationStorage
  /// Queries gpsd for `doctor`, before watching starts.
  let survey: @Sendable (Arguments) async throws -> Evidence.Survey

  /// Runs the command and prints its error. Returns nil if the command was interrupted, unless an
  /// interrupt is its normal end.
  func run(_ arguments: Arguments) async -> ExitCode? {
    do {
      return try await arguments.command.run(self, arguments)
    } catch let incomplete as IncompleteOutput {
      let code = await status(incomplete.cause, arguments)
      // A command whose output is incomplete never succeeds.
      return code == .done ? .failed : code
    } catch {
      return await status(error, arguments)
    }
  }

  /// Opens the source of locations and prints its notice.
  func openSource(_ arguments: Arguments) async throws -> NamedBackend {
    let source = try await source(arguments)
    if let notice = source.notice { await context.printMessage(notice) }
    return source
  }

  private func status(_ error: any Error, _ arguments: Arguments) async -> ExitCode? {
    let code = await end(with: error)
    // Without a count, an interrupt is the normal end of an endless command.
    let isDone = code == nil && arguments.command.isEndless && arguments.count == nil
    return isDone ? .done : code
  }

  /// Prints the message of an error. Returns the exit status; nil for an interrupt.
  private func end(with error: any Error) async -> ExitCode? {
    switch error {
    case OutputError.closed: return .done  // The reader needs no more output.
    case OutputError.interrupted: return nil
    case OutputError.failed(let number):
      await context.printMessage("the output cannot be written: \(SystemError.text(number))")
      return .failed
    case is CancellationError: return nil
    // An error of an interrupted command counts as the interrupt, unless data could not be stored.
    case let error as LocationError where Task.isCancelled && error.code != .storageUnavailable:
      return nil
    case let error as UsageError:
      await context.printMessage(error.message)
      return .usage
    case let error as LocationError:
      await context.printMessage(Reason.text(error))
      return ExitCode(error)
    default:
      await context.printMessage(Reason.text(error))
      return .failed
    }
  }
}
