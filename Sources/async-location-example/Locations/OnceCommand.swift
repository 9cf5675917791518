import AsyncLocation

extension Command {
  static let once = Command(
    name: "once",
    summary: "Prints one location and ends.",
    options: [.receiving, .replay, .broker, [.transport, .device, .accuracy]],
    notes: """
      Without --timeout it waits 60 seconds. If only locations worse than --accuracy arrive, it
      prints the best of them at the end of that time.
      """,
    run: { tool, arguments in
      try await OnceCommand(arguments: arguments, context: tool.context)
        .run(tool.openSource(arguments))
    })
}

/// The `once` command: prints one location.
struct OnceCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  func run(_ source: NamedBackend) async throws -> ExitCode {
    try await withLocationManager(backend: source.backend, clock: context.clock) { manager in
      // The location is printed before the source is stopped, because permission may be withdrawn
      // while the source stops.
      let location = try await self.location(from: manager)
      // Permission may have been withdrawn while a message was written.
      guard !location.exceeds(manager.currentAuthorization) else {
        throw LocationError(.denied, "Permission to locate was withdrawn.")
      }
      switch context.presentation.shape {
      case .json: try await context.output.write(JSONLine.line(location) + "\n")
      case .table, .lines: try await context.output.write(text(location))
      }
      if location.isReduced { await context.printMessage(ConnectionMessages.reducedAccuracy) }
    }
    return .done
  }

  private func location(from manager: LocationManager) async throws -> Location {
    let states = manager.connectionStates
    let problem = LastProblem()
    return try await race(of: Location.self) { group in
      group.addTask {
        var messages = ConnectionMessages()
        for await state in states {
          await problem.set(state.problem)
          // Printed immediately, because the wait may last until the timeout.
          if state.phase == .waiting, let text = messages.nextMessage(for: state) {
            await context.printMessage(text)
          }
        }
        return nil
      }
      group.addTask {
        do {
          return try await manager.currentLocation(
            desiredAccuracy: arguments.accuracy.map(DesiredAccuracy.meters) ?? .best,
            maximumAge: .zero,
            timeout: arguments.timeout ?? .seconds(60))
        } catch let error as LocationError where error.code == .timedOut && error.cause == nil {
          throw LocationError(error.code, error.message, cause: await problem.last)
        }
      }
    }.get()
  }

  private func text(_ location: Location) -> String {
    let text = LocationText(glyphs: context.presentation.glyphs)
    let rows: [(String, String?, String?)] = [
      ("Position", text.decimal(location), text.horizontalError(location)),
      ("", text.sexagesimal(location), nil),
      ("Altitude", text.altitude(location), text.verticalError(location)),
      ("Speed", text.speed(location), text.speedError(location)),
      ("Course", text.course(location), text.courseError(location)),
      ("Climb", text.climb(location), nil),
      ("Fix", text.fix(location), nil),
      ("Time", text.time(location), nil),
      ("Receiver", text.device(location), nil),
    ]
    return rows.compactMap { label, value, error in
      value.map { TextWidth.pad(label, 12) + $0 + (error.map { "   " + $0 } ?? "") + "\n" }
    }.joined()
  }
}

/// The latest problem of a connection; nil after it is resolved.
private actor LastProblem {
  private(set) var last: LocationError?

  func set(_ problem: LocationError?) { last = problem }
}
