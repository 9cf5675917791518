import AsyncLocation

extension Command {
  static let headings = Command(
    name: "headings",
    summary: "Shows headings as they arrive, until interrupted.",
    isEndless: true,
    options: [.receiving, .replay, [.transport, .device, .count]],
    meanings: [.backend: Option.sourceOfAllKinds],
    notes: """
      One line for each heading that differs by a degree or more, with these columns:
      \(Help.rows(HeadingLine.columns.map { ($0.name, $0.meaning) }))
      With --format json: one heading per line, as the library encodes it. Needs full accuracy.
      """,
    check: { arguments, _ throws(UsageError) in try arguments.requireMoreThanLocations() },
    run: { tool, arguments in
      try await FollowCommand<Heading>(arguments, tool.context).run(tool.openSource(arguments))
    })
}

/// The `headings` and `sky` commands: print each element as a line.
struct FollowCommand<Element: Sendable & Encodable>: Sendable {
  typealias Output = @Sendable (Element) async throws -> Void

  let following: Following
  let text: @Sendable (Element) -> String
  /// The buffering policy of the manager's streams.
  let buffering: BufferingPolicy
  /// Calls the closure with each element of a manager's stream until it ends.
  let each: @Sendable (LocationManager, Output) async throws -> Void

  /// Returns when the requested count has arrived or the source ends; throws on an error.
  func run(_ source: NamedBackend) async throws -> ExitCode {
    let context = following.context
    return try await withLocationManager(
      backend: source.backend, configuration: LocationManager.Configuration(buffering: buffering),
      clock: context.clock
    ) { manager in
      try await following.run(
        manager.connectionStates,
        dropped: { Int(clamping: await manager.statistics.elementsDropped) }
      ) { output in
        try await withThrowingTaskGroup(of: Bool.self) { group in
          group.addTask {
            try await each(manager) { element in
              switch context.presentation.shape {
              case .json: try await output(JSONLine.line(element))
              case .table, .lines: try await output(text(element))
              }
            }
            return true
          }
          group.addTask {
            try await refuseReducedAccuracy(manager)
            return false
          }
          for try await isEnd in group where isEnd { break }
          group.cancelAll()
        }
      }
    }
  }

  /// Throws when accuracy is reduced, because no element arrives then.
  private func refuseReducedAccuracy(_ manager: LocationManager) async throws {
    for await authorization in manager.authorizationUpdates
    where authorization.isAuthorized && authorization.accuracy == .reduced {
      let reason = authorization.reason.map { " \($0)" } ?? ""
      throw LocationError(
        .denied, "Accuracy is reduced, and \(following.name) need full accuracy.\(reason)")
    }
  }
}

extension FollowCommand<Heading> {
  init(_ arguments: Arguments, _ context: CommandContext) {
    let buffering = BufferingPolicy.newest(Losses.bound / MemoryLayout<Heading>.stride)
    self.init(
      following: Following(arguments: arguments, context: context, name: "headings"),
      text: { HeadingLine.line($0) },
      buffering: buffering,
      each: { manager, output in
        let options = HeadingOptions(device: arguments.subscribedDevice, buffering: buffering)
        for try await heading in manager.headings(options) { try await output(heading) }
      })
  }
}

extension FollowCommand<SatelliteView> {
  /// The buffering policy for views of about 64 satellites.
  static var skyBuffering: BufferingPolicy {
    .newest(Losses.bound / (64 * MemoryLayout<Satellite>.stride))
  }

  init(_ arguments: Arguments, _ context: CommandContext) {
    let presentation = context.presentation
    let size = context.windowSize
    self.init(
      following: Following(
        arguments: arguments, context: context, name: "views of the sky"),
      text: { view in
        guard presentation.shape == .table else { return SkyLine.line(view) }
        let window = size()
        let table = SkyTable(glyphs: presentation.glyphs)
        return table.lines(view, width: window.columns - 1, height: max(3, window.rows - 1))
          .map { $0.text(color: presentation.color) }.joined(separator: "\n") + "\n"
      },
      buffering: Self.skyBuffering,
      each: { manager, output in
        for try await view in manager.satellites { try await output(view) }
      })
  }
}
