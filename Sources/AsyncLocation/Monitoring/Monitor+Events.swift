extension Monitor {
  /// A monitor's events; see ``Monitor/events``. It keeps the monitor open.
  public struct Events: AsyncSequence, Sendable {
    public typealias Failure = Never

    let monitor: Monitor

    public func makeAsyncIterator() -> Iterator { Iterator(monitor: monitor) }

    /// Takes events one by one.
    public struct Iterator: AsyncIteratorProtocol {
      private let handled: HandledEvent

      fileprivate init(monitor: Monitor) { handled = HandledEvent(monitor: monitor) }

      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Event? {
        let finished = handled.event.take()
        let next = await handled.monitor.nextEvent(finishing: finished)
        // Here, since permission may go while the caller's actor is busy.
        handled.event = next.map(handled.monitor.readable)
        return handled.event
      }
    }
  }

  /// The event that a loop handles. Leaving the loop gives it back.
  private final class HandledEvent {
    let monitor: Monitor
    var event: Event?

    init(monitor: Monitor) { self.monitor = monitor }

    deinit {
      if let event { monitor.giveBack(event) }
    }
  }
}

@available(*, unavailable)
extension Monitor.Events.Iterator: Sendable {}
