extension Monitor {
  /// A monitor's events; see ``Monitor/events``. The sequence retains the monitor, so releasing the
  /// monitor elsewhere does not close it.
  public struct Events: AsyncSequence, Sendable {
    public typealias Failure = Never

    let monitor: Monitor

    public func makeAsyncIterator() -> Iterator { Iterator(monitor: monitor) }

    /// Returns the events one at a time.
    public struct Iterator: AsyncIteratorProtocol {
      private let handled: HandledEvent

      fileprivate init(monitor: Monitor) { handled = HandledEvent(monitor: monitor) }

      public mutating func next(
        isolation actor: isolated (any Actor)? = #isolation
      ) async -> Event? {
        let finished = handled.event.take()
        let next = await handled.monitor.nextEvent(finishing: finished)
        // Checked here, because permission may be withdrawn while the caller's actor is busy.
        handled.event = next.map(handled.monitor.readable)
        return handled.event
      }
    }
  }

  /// The event that a loop is handling. Releasing the iterator, such as by leaving the loop,
  /// returns the event to the queue.
  private final class HandledEvent {
    let monitor: Monitor
    var event: Event?

    init(monitor: Monitor) { self.monitor = monitor }

    deinit {
      if let event { monitor.requeue(event) }
    }
  }
}

@available(*, unavailable)
extension Monitor.Events.Iterator: Sendable {}
