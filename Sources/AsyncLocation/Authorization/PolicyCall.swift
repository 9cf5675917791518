/// A question that the policy is answering, seen from the tasks that answer it.
///
/// A call of the same manager from there would wait for permission, hence for itself.
final class PolicyCall: Sendable {
  @TaskLocal private static var current: PolicyCall?

  private let hub: ObjectIdentifier
  private let isOver = Locked(false)

  private init(_ hub: Hub) { self.hub = ObjectIdentifier(hub) }

  /// Runs what answers a question of a manager.
  static func answering<Answer: Sendable>(
    for hub: Hub, _ body: () async -> Answer
  ) async -> Answer {
    let call = PolicyCall(hub)
    // A task that the handler leaves behind may call: nobody waits for it any more.
    defer { call.isOver.withLock { $0 = true } }
    return await $current.withValue(call) { await body() }
  }

  /// True in a task that answers a question of this manager.
  static func isUnderWay(for hub: Hub) -> Bool {
    guard let current, current.hub == ObjectIdentifier(hub) else { return false }
    return !current.isOver.withLock { $0 }
  }
}

extension LocationError {
  static var waitsForItself: Self {
    Self(
      .unsupported,
      "The authorization policy asked its own manager for what needs the policy's answer; "
        + "answer first, and call the manager afterwards.")
  }
}
