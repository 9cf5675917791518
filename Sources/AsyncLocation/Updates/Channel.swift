/// What lies between the hub and one subscriber: a bounded buffer, its end, and who waits.
///
/// The hub pushes a batch under one lock and wakes at most one consumer a batch, once no lock is
/// held. A wake says only "look again", so a late or needless one does no harm.
final class Channel<Element: Sendable>: Sendable {
  private enum End {
    case open, finished
    case failed(LocationError)
  }

  private struct State {
    var buffer: RingBuffer<Element>
    var end = End.open
    var waiting: [(id: UInt64, signal: Signal)] = []
  }

  /// What a consumer finds when it looks.
  private enum Look<Found: Sendable>: Sendable {
    case found(Found)
    case nothing
    case ended(LocationError?)
  }

  private let state: Locked<State>

  init(_ buffering: Buffering) {
    state = Locked(State(buffer: RingBuffer(limit: buffering.limit)))
  }

  /// How many elements wait.
  var count: Int { state.withLock { $0.buffer.count } }

  // MARK: The hub's side

  /// Appends the elements that are for this subscriber. Does nothing after the end.
  func push(
    _ elements: [Element], waking wakes: inout Wakes,
    where admits: (borrowing Element) -> Bool = { _ in true }
  ) -> Tally {
    append(waking: &wakes) { buffer, tally in
      for index in elements.indices where admits(elements[index]) {
        Self.append(elements[index], to: &buffer, counting: &tally)
      }
    }
  }

  /// Appends what `element` makes of each report, nil meaning not for this subscriber.
  func push<Report>(
    _ reports: some Sequence<Report>, waking wakes: inout Wakes,
    making element: (Report) -> Element?
  ) -> Tally {
    append(waking: &wakes) { buffer, tally in
      for report in reports {
        if let element = element(report) {
          Self.append(element, to: &buffer, counting: &tally)
        }
      }
    }
  }

  @inline(__always)
  private static func append(
    _ element: Element, to buffer: inout RingBuffer<Element>, counting tally: inout Tally
  ) {
    tally.delivered += 1
    if buffer.append(element) { tally.dropped += 1 }
  }

  @inline(__always)
  private func append(
    waking wakes: inout Wakes, _ fill: (inout RingBuffer<Element>, inout Tally) -> Void
  ) -> Tally {
    let (tally, signal) = state.withLock { state -> (Tally, Signal?) in
      var tally = Tally()
      guard case .open = state.end else { return (tally, nil) }
      fill(&state.buffer, &tally)
      guard !state.buffer.isEmpty, !state.waiting.isEmpty else { return (tally, nil) }
      return (tally, state.waiting.removeFirst().signal)
    }
    if let signal = signal { wakes.add(signal) }
    return tally
  }

  /// Appends one element.
  func push(_ element: Element, waking wakes: inout Wakes) -> Tally {
    append(waking: &wakes) { Self.append(element, to: &$0, counting: &$1) }
  }

  /// Appends one element; the one that made room is the caller's to drop, once no lock is held.
  func push(_ element: Element, waking wakes: inout Wakes, retiring retired: inout [Element])
    -> Tally
  {
    let (tally, oldest, signal) = state.withLock { state -> (Tally, Element?, Signal?) in
      guard case .open = state.end else { return (Tally(), nil, nil) }
      let oldest = state.buffer.isFull ? state.buffer.popFirst() : nil
      _ = state.buffer.append(element)
      let tally = Tally(delivered: 1, dropped: oldest == nil ? 0 : 1)
      guard !state.waiting.isEmpty else { return (tally, oldest, nil) }
      return (tally, oldest, state.waiting.removeFirst().signal)
    }
    if let oldest { retired.append(oldest) }
    if let signal = signal { wakes.add(signal) }
    return tally
  }

  /// Ends the channel after what it holds. The first end counts.
  func finish(_ error: LocationError? = nil, waking wakes: inout Wakes) {
    let signals = state.withLock { state -> [Signal] in
      guard case .open = state.end else { return [] }
      state.end = error.map(End.failed) ?? .finished
      defer { state.waiting = [] }
      return state.waiting.map(\.signal)
    }
    wakes.add(signals)
  }

  /// Ends the channel at once: nobody is told what it still holds.
  func abandon() {
    let (_, signals) = state.withLock { state in
      // Freed by the caller, with no lock held.
      let held = state.buffer
      state.buffer = RingBuffer(limit: held.limit)
      if case .open = state.end { state.end = .finished }
      defer { state.waiting = [] }
      return (held, state.waiting.map(\.signal))
    }
    for signal in signals { signal.resume() }
  }

  // MARK: The subscriber's side

  /// Takes the next element if there is one, without the cost of a call that may wait.
  func take() -> Element? {
    let (element, other) = state.withLock { ($0.buffer.popFirst(), Self.other(&$0)) }
    other?.resume()
    return element
  }

  /// Takes the next element, waiting for one. Nil at the end, and when the task is cancelled.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Element? {
    while !Task.isCancelled {
      let (look, other) = state.withLock { state in
        (Self.look(&state) { $0.buffer.popFirst() }, Self.other(&state))
      }
      other?.resume()
      switch look {
      case .found(let element): return element
      case .ended(let error?): throw error
      case .ended(nil): return nil
      case .nothing: await wait(isolation: isolation)
      }
    }
    passOn()
    return nil
  }

  /// Exchanges an emptied buffer for one with everything that waits, waiting for something. False
  /// at the end, and when the task is cancelled.
  func next(
    into batch: inout RingBuffer<Element>, isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Bool {
    while !Task.isCancelled {
      let look = state.withLock { state in
        Self.look(&state) { state -> Void? in
          guard !state.buffer.isEmpty else { return nil }
          swap(&state.buffer, &batch)
          return ()
        }
      }
      switch look {
      case .found: return true
      case .ended(let error?): throw error
      case .ended(nil): return false
      case .nothing: await wait(isolation: isolation)
      }
    }
    passOn()
    return false
  }

  /// Another consumer that is to look, when one of several took less than there is.
  private static func other(_ state: inout State) -> Signal? {
    guard !state.buffer.isEmpty, !state.waiting.isEmpty else { return nil }
    return state.waiting.removeFirst().signal
  }

  /// A consumer that was woken and then cancelled leaves its wake to another.
  private func passOn() {
    let other = state.withLock { Self.other(&$0) }
    other?.resume()
  }

  /// Takes what there is, else the end: an error is told once.
  private static func look<Found: Sendable>(
    _ state: inout State, _ take: (inout State) -> Found?
  ) -> Look<Found> {
    if let found = take(&state) { return .found(found) }
    switch state.end {
    case .open: return .nothing
    case .finished: return .ended(nil)
    case .failed(let error):
      state.end = .finished
      return .ended(error)
    }
  }

  /// Returns when there may be something to take, or the task is cancelled.
  private func wait(isolation: isolated (any Actor)?) async {
    let id = waiterIDs.next()
    await withTaskCancellationHandler {
      await Signal.wait(isolation: isolation) { signal in
        let waits = state.withLock { state in
          // Under the lock: a cancel that comes later finds the waiter.
          guard case .open = state.end, state.buffer.isEmpty, !Task.isCancelled else {
            return false
          }
          state.waiting.append((id, signal))
          return true
        }
        if !waits { signal.resume() }
      }
    } onCancel: {
      let signal = state.withLock { state -> Signal? in
        guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
          return nil  // Woken before; that wake is the answer.
        }
        return state.waiting.remove(at: index).signal
      }
      if let signal = signal { signal.resume() }
    }
  }
}

private let waiterIDs = IDSource()
