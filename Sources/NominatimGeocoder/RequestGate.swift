import AsyncLocation

/// Delays or refuses requests as a ``RequestPacer`` decides.
final class RequestGate: Sendable {
  enum Refusal: Error, Equatable {
    /// The server refuses requests for this duration.
    case refused(for: Duration)
    case crowded
  }

  /// The gate of all requests of this process to the servers of the OpenStreetMap Foundation, which
  /// allow one request a second.
  static let openStreetMap = RequestGate(
    interval: .seconds(1), Timeline(ContinuousClock()))

  /// The clock for request times and delays.
  let timeline: Timeline
  private let pacer: Locked<RequestPacer>

  init(interval: Duration, _ timeline: Timeline) {
    self.timeline = timeline
    pacer = Locked(RequestPacer(interval: interval))
  }

  /// Waits until a request may be sent.
  ///
  /// - Throws: ``Refusal``, immediately or if the server refuses requests during the wait, or
  ///   `CancellationError`.
  func pass(before deadline: Duration) async throws {
    let now = timeline.now()
    let instant: Duration
    switch pacer.withLock({ $0.requested(at: now, before: deadline) }) {
    case .refused(let until): throw Refusal.refused(for: until - now)
    case .crowded: throw Refusal.crowded
    case .at(let turn): instant = turn
    }
    do {
      if instant > now { try await timeline.sleep(until: instant) }
      try Task.checkCancellation()
      let wakeTime = timeline.now()
      if let until = pacer.withLock({ $0.refusal(at: wakeTime) }) {
        throw Refusal.refused(for: until - wakeTime)
      }
    } catch {
      pacer.withLock { $0.cancelled(instant) }
      throw error
    }
  }

  /// Refuses requests for a time that the server stated.
  func refuse(for wait: Duration) {
    let until = timeline.now().addingSaturated(wait)
    pacer.withLock { $0.refused(until: until) }
  }
}
