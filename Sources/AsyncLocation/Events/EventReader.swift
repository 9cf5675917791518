/// Reads events from a subscriber's buffer: as an `AsyncStream`, or one by one with their stamps.
///
/// If an authorization event was evicted from a full buffer, the reader creates it again: every
/// event follows the authorization under which it occurred.
final class EventReader: Sendable {
  private struct State: Sendable {
    var authorization: Authorization?
    /// The event that follows an authorization event created by the reader.
    var next: QueuedEvent?
  }

  private let subscription: Subscription<QueuedEvent>
  private let gate: DeliveryGate
  private let state = Locked(State())

  init(_ subscription: Subscription<QueuedEvent>, _ gate: DeliveryGate) {
    (self.subscription, self.gate) = (subscription, gate)
  }

  func stream() -> AsyncStream<LocationEvent> { AsyncStream { await self.next()?.event } }

  /// Returns the next event and its delivery stamp. Runs on the caller's actor.
  func next() async -> (event: LocationEvent, stamp: DeliveryStamp)? {
    if let kept = state.withLock({ $0.next.take() }) {
      if gate.admits(kept.stamp), !Task.isCancelled { return (kept.event, kept.stamp) }
      gate.count(Tally(dropped: 1))
    }
    guard let queued = try? await subscription.next() else { return nil }
    let missed = state.withLock { state -> Authorization? in
      guard let authorization = queued.authorization, authorization != state.authorization else {
        return nil
      }
      state.authorization = authorization
      if case .didChangeAuthorization = queued.event { return nil }
      state.next = queued
      return authorization
    }
    guard let missed else { return (queued.event, queued.stamp) }
    return (.didChangeAuthorization(missed), .unrestricted)
  }
}
