/// A call of the policy, visible in the tasks that answer it.
///
/// A request to the same manager from such a task would wait for its own answer.
final class PolicyCall: Sendable {
  @TaskLocal private static var current: PolicyCall?

  private let hub: ObjectIdentifier
  private let isOver = Locked(false)

  private init(_ hub: Hub) { self.hub = ObjectIdentifier(hub) }

  /// Runs the code that answers a manager's question.
  static func answering<Answer: Sendable>(
    for hub: Hub, _ body: () async -> Answer
  ) async -> Answer {
    let call = PolicyCall(hub)
    // A task that outlives the handler may call the manager: no answer waits for it.
    defer { call.isOver.withLock { $0 = true } }
    return await $current.withValue(call) { await body() }
  }

  /// True in a task that is answering a question of this manager.
  static func isUnderWay(for hub: Hub) -> Bool {
    guard let current, current.hub == ObjectIdentifier(hub) else { return false }
    return !current.isOver.withLock { $0 }
  }
}

extension LocationError {
  static var waitsForItself: Self {
    Self(
      .unsupported,
      "The authorization policy called its own manager for a result that depends on its answer; "
        + "answer first, then call the manager.")
  }
}
