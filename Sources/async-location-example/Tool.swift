import AsyncLocation

/// Runs a command to its end and says how it went.
struct Tool: Sendable {
  let surroundings: Surroundings
  /// Where locations come from; called once.
  let source: @Sendable (Arguments) throws -> Source
  /// Which receivers there are.
  let receivers: @Sendable (Arguments) async throws -> [Receiver]

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
      case .authorization:
        return try await AuthorizationCommand(arguments: arguments, surroundings: surroundings)
          .run()
      case .devices:
        return try await DevicesCommand(arguments: arguments, surroundings: surroundings)
          .run { try await receivers(arguments) }
      }
    } catch {
      let code = await end(with: error)
      // Watching without a count owes nothing: an interrupt is how it ends.
      let isDone = code == nil && arguments.command == .watch && arguments.count == nil
      return isDone ? .done : code
    }
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
