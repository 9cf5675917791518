/// The events of a monitor that no consumer has finished.
///
/// A consumer takes an event and then finishes it or gives it back. Events are taken in the order
/// of their numbers, each by one consumer at a time.
final class MonitorEventQueue: Sendable {
  fileprivate struct State: Sendable {
    /// Sorted by number.
    var waiting = RingQueue<StampedEvent?>(vacancy: nil)
    /// Given back by consumers, sorted by number; taken first.
    var returned: [StampedEvent] = []
    /// Taken and not finished, by number.
    var inFlight: [UInt64: StampedEvent] = [:]
    /// True until permission for the events of an earlier process is determined.
    var isHeld: Bool
    var isEnded = false
    /// Events that were added after the end. They are delivered when the monitor is opened again.
    var late = RingQueue<StampedEvent?>(vacancy: nil)
    /// The signals of the consumers that wait for an event.
    var signals: [(id: UInt64, signal: Signal)] = []
    /// Whether events with a place were added since the last check of all events.
    var hasUncheckedPlaces = false
    /// The number of events that no consumer has taken, including those that were given back.
    var buffered: Int { returned.count + waiting.count }
  }

  private let ids = IDSource()
  private let state: Locked<State>
  /// Observes the queue for a test kit.
  private let probe: StreamProbe?

  /// Creates a queue of the events that were stored.
  ///
  /// - Parameter isHeld: True if events can be taken only after ``release()`` or the end of the
  ///   queue.
  init(_ events: [StampedEvent], isHeld: Bool = false, _ probe: StreamProbe? = nil) {
    state = Locked(State(isHeld: isHeld))
    self.probe = probe
    _ = push(events, limit: .max)
  }

  /// The events that are waiting or taken, in order.
  var unfinished: [StoredEvent] {
    state.withLock { state in
      var events = (state.returned + state.inFlight.values).map {
        StoredEvent($0.event, isOffered: true)
      }
      for queue in [state.waiting, state.late] {
        for position in 0..<queue.count {
          if let event = queue.slots[queue.slot(position)] { events.append(event.stored) }
        }
      }
      return events.sorted { $0.event.number < $1.event.number }
    }
  }

  // MARK: Permission

  /// Lets consumers take events, if they were held until permission is determined.
  func release() {
    let signals = state.withLock { state -> [Signal] in
      guard state.isHeld else { return [] }
      state.isHeld = false
      return takeSignals(&state)
    }
    for signal in signals { signal.resume() }
  }

  /// Whether events with a place were added since ``withhold(unless:)``.
  var hasUncheckedPlaces: Bool { state.withLock(\.hasUncheckedPlaces) }

  /// Withholds the locations of unfinished events.
  ///
  /// - Parameter isAllowed: Whether permission still covers an event with a stamp.
  /// - Returns: Whether any location was withheld.
  func withhold(unless isAllowed: (DeliveryStamp) -> Bool) -> Bool {
    state.withLock { state in
      var isChanged = false
      state.hasUncheckedPlaces = false
      func checked(_ event: StampedEvent) -> StampedEvent {
        guard event.revealsPlace, !isAllowed(event.stamp) else { return event }
        isChanged = true
        return event.withheld
      }
      state.returned = state.returned.map(checked)
      state.inFlight = state.inFlight.mapValues(checked)
      for queue in [\MonitorEventQueue.State.waiting, \.late] {
        for position in 0..<state[keyPath: queue].count {
          let slot = state[keyPath: queue].slot(position)
          state[keyPath: queue].slots[slot] = state[keyPath: queue].slots[slot].map(checked)
        }
      }
      return isChanged
    }
  }

  // MARK: Producer

  /// Adds events. Events that are added after the end cannot be taken and stay unfinished.
  ///
  /// - Parameter limit: The largest number of waiting events. If this limit is exceeded, the oldest
  ///   events are discarded, and the next event reports this.
  /// - Returns: The number of the last event that was discarded; nil if none was.
  func push(_ events: [StampedEvent], limit: Int) -> UInt64? {
    let (discarded, signals) = state.withLock { state -> (UInt64?, [Signal]) in
      let queue = state.isEnded ? \State.late : \.waiting
      for event in events {
        state[keyPath: queue].append(event)
        if event.revealsPlace { state.hasUncheckedPlaces = true }
      }
      var discarded: UInt64?
      while state[keyPath: queue].count > limit, let event = state[keyPath: queue].popFirst() {
        discarded = event?.event.number
      }
      if discarded != nil {
        let first = state[keyPath: queue].slot(0)
        state[keyPath: queue].slots[first] = state[keyPath: queue].slots[first]?.afterDiscarded
      }
      return (discarded, takeSignals(&state))
    }
    for signal in signals { signal.resume() }
    return discarded
  }

  /// Ends the queue after the events that are waiting. Held events are released.
  func end() {
    let signals = state.withLock { state in
      state.isEnded = true
      state.isHeld = false
      probe?.ends()
      return takeSignals(&state)
    }
    for signal in signals { signal.resume() }
  }

  // MARK: Consumer

  /// Takes the next event; nil if none is waiting or the events are held.
  func take() -> StampedEvent? {
    state.withLock { state -> StampedEvent? in
      probe?.didRead()
      defer { probe?.buffers(state.buffered) }
      guard !state.isHeld else { return nil }
      let event: StampedEvent
      if !state.returned.isEmpty {
        event = state.returned.removeFirst()
      } else if let waiting = state.waiting.popFirst() ?? nil {
        event = StampedEvent(
          waiting.event.with([], isRepeated: waiting.isOffered), waiting.stamp)
      } else {
        return nil
      }
      state.inFlight[event.event.number] = event
      return event
    }
  }

  /// Removes an event that a consumer has handled, and returns it without data that was withheld
  /// meanwhile; nil if no consumer has taken it.
  func finish(_ event: Monitor.Event) -> StampedEvent? {
    state.withLock { $0.inFlight.removeValue(forKey: event.number) }
  }

  /// Returns an event that was not finished to the queue.
  func requeue(_ event: Monitor.Event) {
    let signals = state.withLock { state -> [Signal] in
      guard let stamped = state.inFlight.removeValue(forKey: event.number) else { return [] }
      let index =
        state.returned.firstIndex { $0.event.number > event.number } ?? state.returned.count
      state.returned.insert(
        StampedEvent(stamped.event.with([], isRepeated: true), stamped.stamp), at: index)
      return takeSignals(&state)
    }
    for signal in signals { signal.resume() }
  }

  /// Waits until there may be an event to take. Returns false if the queue has ended or the task is
  /// cancelled.
  func wait() async -> Bool {
    let id = ids.next()
    await withTaskCancellationHandler {
      await Signal.wait { signal in
        let waits = state.withLock { state in
          // Checked under the lock, so that a later cancellation finds the waiter.
          guard !state.hasEvents, !state.isEnded, !Task.isCancelled else { return false }
          state.signals.append((id, signal))
          probe?.waits(id)
          return true
        }
        if !waits { signal.resume() }
        probe?.resumeWaiters()
      }
    } onCancel: {
      let signal = state.withLock { state -> Signal? in
        guard let index = state.signals.firstIndex(where: { $0.id == id }) else { return nil }
        probe?.wakes(id)
        return state.signals.remove(at: index).signal
      }
      signal?.resume()
    }
    let isOpen = !Task.isCancelled && state.withLock { $0.hasEvents || !$0.isEnded }
    if !isOpen { probe?.didReadEnd() }
    return isOpen
  }

  private func takeSignals(_ state: inout State) -> [Signal] {
    defer { state.signals = [] }
    probe?.buffers(state.buffered)
    return state.signals.map { waiter in
      probe?.wakes(waiter.id)
      return waiter.signal
    }
  }
}

extension MonitorEventQueue.State {
  fileprivate var hasEvents: Bool { !isHeld && (!returned.isEmpty || waiting.count > 0) }
}

extension Monitor.Event {
  /// The event with more diagnostics, and marked as repeated if `isRepeated` is true.
  func with(_ added: Monitor.Diagnostics, isRepeated: Bool) -> Self {
    guard !added.isEmpty || isRepeated else { return self }
    return Self(
      identifier: identifier, number: number, state: state, previousState: previousState,
      date: date, location: location, refinement: refinement,
      diagnostics: diagnostics.union(added), isRepeated: isRepeated || self.isRepeated)
  }
}
