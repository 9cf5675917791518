/// Decides whether a crossing may reveal which state it ends. Performs no I/O.
///
/// A crossing reveals the state before it. If that was determined under a permission that was
/// withdrawn since, it may be reported only to subscribers that have read it then.
struct ToldStates: Sendable {
  /// The number of events that each subscriber has missed, by its identifier.
  typealias Losses = [UInt64: UInt64]

  private struct State: Sendable {
    /// The permission under which it was determined.
    let stamp: DeliveryStamp
    /// The losses of the subscribers before they were notified; nil if none was notified.
    var losses: Losses?
  }

  /// By the keys of the conditions.
  private var states: [String: State] = [:]

  mutating func determined(_ key: String, under stamp: DeliveryStamp) {
    states[key] = State(stamp: stamp)
  }

  /// The state is about to be pushed to the subscribers.
  mutating func told(_ key: String, having losses: Losses) { states[key]?.losses = losses }

  mutating func remove(_ key: String) { states[key] = nil }

  /// Whether a crossing may begin at the last state.
  ///
  /// - Parameters:
  ///   - losses: The losses of the subscribers by now, withdrawn events included. One that joined
  ///     since, or that has missed any event since, may not have read the state.
  ///   - isAllowed: Whether permission still covers what has a stamp.
  func mayCross(
    from key: String, having losses: @autoclosure () -> Losses,
    _ isAllowed: (DeliveryStamp) -> Bool
  ) -> Bool {
    guard let state = states[key], !isAllowed(state.stamp) else { return true }
    guard let told = state.losses else { return false }
    return losses().allSatisfy { told[$0.key] == $0.value }
  }
}
