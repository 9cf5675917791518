import AsyncLocation

/// Prints the events of a monitor.
actor FencePrinter {
  private let context: CommandContext
  private let monitor: Monitor
  private let printsFirstStates: Bool
  /// The identifiers of the conditions that have not expired.
  private var remaining: Set<String>
  private var messages = FenceMessages()
  private var permissionMessages = ConnectionMessages()
  private(set) var losses: FenceLosses
  /// Whether a condition's state was determined.
  private(set) var hasMonitored = false

  /// - Parameter printsFirstStates: Whether to print the first state of a condition, which is not
  ///   a change.
  init(
    context: CommandContext, monitor: Monitor, fences: Set<String>, printsFirstStates: Bool,
    isNew: Bool
  ) {
    (self.context, self.monitor) = (context, monitor)
    self.printsFirstStates = printsFirstStates
    remaining = fences
    losses = FenceLosses(isNew: isNew)
  }

  /// Prints events until they end or all conditions have expired. Throws the error of `writeLine`;
  /// after ``CountReached``, the messages of the last event are printed first.
  func run(_ writeLine: Following.WriteLine) async throws {
    var events = monitor.events.makeAsyncIterator()
    while let event = await events.next() {
      let isPrinted = printsFirstStates || !event.isFirstState
      losses.record(event)
      if event.state != .unmonitored { hasMonitored = true }
      var end: CountReached?
      do {
        // The event is printed before its messages, since permission may be withdrawn while they
        // are written.
        if isPrinted { try await writeLine(line(event)) }
      } catch let reached as CountReached {
        end = reached
      }
      for message in messages.nextMessages(
        event, isPrinted: isPrinted, storageProblem: await monitor.storageProblem)
      {
        await context.printMessage(message)
      }
      if let end {
        await finish(&events)
        throw end
      }
      if isPrinted, event.endsItsArea {
        remaining.remove(event.identifier)
        if remaining.isEmpty { return await finish(&events) }
      }
    }
  }

  /// Prints a message about a change of permission if monitoring continues. If monitoring stops,
  /// the events report the reason.
  func handle(_ authorization: Authorization) async {
    let message = permissionMessages.nextMessage(for: authorization)
    guard let message, FencesCommand.refusal(authorization) == nil else { return }
    await context.printMessage(message)
  }

  /// Marks the last event as handled, so that it is not repeated: requests the next event in a
  /// cancelled task, which does not wait for an event.
  private func finish(_ events: inout Monitor.Events.Iterator) async {
    withUnsafeCurrentTask { $0?.cancel() }
    _ = await events.next()
  }

  private func line(_ event: Monitor.Event) throws -> String {
    switch context.presentation.shape {
    case .json: try JSONLine.line(event)
    case .table, .lines: FenceLine.line(event, context.presentation.glyphs)
    }
  }
}

extension Monitor.Event {
  /// Whether the event is the first that determines the condition's state.
  fileprivate var isFirstState: Bool { previousState == .unknown && state != .unmonitored }

  /// Whether the area has expired, and no other area has replaced it under its name.
  var endsItsArea: Bool {
    diagnostics.contains(.conditionExpired) && !diagnostics.contains(.conditionReplaced)
  }
}
