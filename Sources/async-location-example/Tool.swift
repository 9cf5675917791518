import AsyncLocation

/// Runs a command to its end and says how it went.
struct Tool: Sendable {
  let surroundings: Surroundings
  /// Where locations come from; called once.
  let source: @Sendable (Arguments) throws -> Source
  /// Which receivers there are.
  let receivers: @Sendable (Arguments) async throws -> [Receiver]
  /// gpsd's reports; called once.
  let reports: @Sendable (Arguments) throws -> ReportSource
  /// What gpsd says before anybody watches it.
  let survey: @Sendable (Arguments) async throws -> Evidence.Survey

  /// A backend, and what people call it.
  struct Source: Sendable {
    let name: String
    let backend: any LocationBackend
  }

  /// The status; nil when cancelled before what was asked for was done.
  func run(_ arguments: Arguments) async -> ExitCode? {
    do {
      switch arguments.command {
      case .watch:
        return try await WatchCommand(arguments: arguments, surroundings: surroundings)
          .run(source(arguments))
      case .once:
        return try await OnceCommand(arguments: arguments, surroundings: surroundings)
          .run(source(arguments))
      case .headings:
        return try await FollowCommand<Heading>(arguments, surroundings).run(source(arguments))
      case .sky:
        return try await FollowCommand<SatelliteView>(arguments, surroundings)
          .run(source(arguments))
      case .doctor:
        return try await DoctorCommand(arguments: arguments, surroundings: surroundings)
          .run {
            try source(arguments)
          } survey: {
            try await survey(arguments)
          }
      case .authorization:
        return try await AuthorizationCommand(arguments: arguments, surroundings: surroundings)
          .run()
      case .devices:
        return try await DevicesCommand(arguments: arguments, surroundings: surroundings)
          .run { try await receivers(arguments) }
      case .reports:
        return try await ReportsCommand(arguments: arguments, surroundings: surroundings)
          .run(reports(arguments))
      }
    } catch let incomplete as IncompleteOutput {
      let code = await status(incomplete.cause, arguments)
      return code == .done ? .failed : code
    } catch {
      return await status(error, arguments)
    }
  }

  private func status(_ error: any Error, _ arguments: Arguments) async -> ExitCode? {
    let code = await end(with: error)
    // Watching without a count owes nothing: an interrupt is how it ends.
    let isDone = code == nil && arguments.command.isEndless && arguments.count == nil
    return isDone ? .done : code
  }

  private func end(with error: any Error) async -> ExitCode? {
    switch error {
    case OutputError.closed: return .done  // The reader has what it wanted.
    case OutputError.interrupted: return nil
    case OutputError.failed(let number):
      await surroundings.say("the output cannot be written: \(SystemError.text(number))")
      return .failed
    case _ where Task.isCancelled || error is CancellationError: return nil
    case let error as LocationError:
      await surroundings.say(Reason.text(error))
      return ExitCode(error)
    default:
      await surroundings.say(Reason.text(error))
      return .failed
    }
  }
}
