/// Decides whether a crossing may be reported after a withdrawal of permission. Performs no I/O.
///
/// A crossing reveals the state before it. If that state was determined under a permission that was
/// withdrawn since, the crossing may be reported only if all subscribers have read the state.
struct ReportedStates: Sendable {
  /// The number of events that each subscriber has missed, by its identifier.
  typealias Losses = [UInt64: UInt64]

  private struct State: Sendable {
    /// The permission under which the state was determined.
    let stamp: DeliveryStamp
    /// The losses of the subscribers before the state was pushed to them; nil if it was not pushed.
    var losses: Losses?
  }

  /// The states by the keys of the conditions.
  private var states: [String: State] = [:]

  /// Records the permission under which a state was determined.
  mutating func determined(_ key: String, under stamp: DeliveryStamp) {
    states[key] = State(stamp: stamp)
  }

  /// Records that the state is about to be pushed to the subscribers.
  mutating func pushed(_ key: String, having losses: Losses) { states[key]?.losses = losses }

  mutating func remove(_ key: String) { states[key] = nil }

  /// Whether a crossing from the last state may be reported.
  ///
  /// - Parameters:
  ///   - losses: The current losses of the subscribers, including withdrawn events. A subscriber
  ///     that joined since, or missed an event since, may not have read the state.
  ///   - isAllowed: Whether permission still covers data with a stamp.
  func mayCross(
    from key: String, having losses: @autoclosure () -> Losses,
    _ isAllowed: (DeliveryStamp) -> Bool
  ) -> Bool {
    guard let state = states[key], !isAllowed(state.stamp) else { return true }
    guard let pushed = state.losses else { return false }
    return losses().allSatisfy { pushed[$0.key] == $0.value }
  }
}
