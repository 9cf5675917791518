/// The numbers of elements that a buffer has discarded and contains.
package struct BufferCounts: Sendable {
  /// Elements discarded because the buffer was full.
  package var evicted = 0
  /// Elements made under a permission that was withdrawn.
  package var withdrawn = 0
  /// Elements that wait to be read.
  package var waiting = 0

  package init() {}

  init(evicted: Int, withdrawn: Int, waiting: Int) {
    (self.evicted, self.withdrawn, self.waiting) = (evicted, withdrawn, waiting)
  }
}

/// The share of a buffer that elements may fill.
package enum BufferShare: Sendable {
  case all, half
}

/// Connects the hub to one subscriber: a bounded queue, its end, and the waiting consumers.
///
/// The hub pushes an array that all subscribers share and wakes at most one consumer, after it
/// releases its lock. A woken consumer checks the queue again, so a late or unnecessary wake is
/// harmless. Consumers share the elements: each element is taken once.
///
/// Elements made under a permission that was withdrawn since are discarded and counted as dropped.
@usableFromInline
package final class BoundedChannel<Element: Sendable>: Sendable {
  @usableFromInline typealias Segment = SegmentQueue<Element>.Segment

  enum End: Sendable {
    case open, finished
    case failed(LocationError)
  }

  @usableFromInline
  struct State: Sendable {
    @usableFromInline var queue: SegmentQueue<Element>
    var end = End.open
    var dropped: UInt64 = 0
    /// The number of dropped elements that were discarded because the buffer was full.
    var evicted: UInt64 = 0
    @usableFromInline var waiting: [(id: UInt64, signal: Signal)] = []
    /// Observes the channel for a test kit.
    @usableFromInline var probe: StreamProbe?

    /// Removes the consumer that has waited longest, and returns its signal.
    @usableFromInline
    mutating func wakeFirst() -> Signal {
      let (id, signal) = waiting.removeFirst()
      probe?.wakes(id)
      return signal
    }

    /// Removes all waiting consumers, and returns their signals.
    mutating func wakeAll() -> [Signal] {
      defer { waiting = [] }
      return waiting.map { waiter in
        probe?.wakes(waiter.id)
        return waiter.signal
      }
    }
  }

  @usableFromInline let state: Locked<State>
  /// Nil for elements that need no permission.
  @usableFromInline let gate: DeliveryGate?
  /// False if replacing an unread element with a newer one does not count as a loss.
  private let countsEvictions: Bool

  convenience init(_ buffering: BufferingPolicy, gate: DeliveryGate? = nil) {
    self.init(limit: buffering.limit, gate: gate)
  }

  /// Creates a channel that buffers at most `limit` elements, the newest ones.
  package init(limit: Int, gate: DeliveryGate? = nil) {
    state = Locked(State(queue: SegmentQueue(.count(limit))))
    self.gate = gate
    countsEvictions = true
  }

  /// Creates a channel for a consumer that needs only the latest element.
  init(latestOf _: Element.Type) {
    state = Locked(State(queue: SegmentQueue(.count(1))))
    gate = nil
    countsEvictions = false
  }

  /// Creates a channel that buffers the newest elements that fit into a number of bytes, at least
  /// one.
  ///
  /// - Parameter cost: Returns the size of an element in bytes. Must return the same value every
  ///   time.
  package init(
    bytes: Int, gate: DeliveryGate? = nil, cost: @escaping @Sendable (borrowing Element) -> Int
  ) {
    state = Locked(State(queue: SegmentQueue(.bytes(bytes, cost: cost))))
    self.gate = gate
    countsEvictions = true
  }

  /// The number of elements dropped: evicted by newer ones, or withdrawn with permission.
  package var dropped: UInt64 { state.withLock { $0.dropped } }

  /// The number of elements that were discarded because the buffer was full, which are among the
  /// dropped elements.
  var evicted: UInt64 { state.withLock { $0.evicted } }

  /// The counts of discarded and waiting elements, at one moment.
  package var counts: BufferCounts {
    state.withLock { state in
      BufferCounts(
        evicted: Int(clamping: state.evicted),
        withdrawn: Int(clamping: state.dropped - state.evicted), waiting: state.queue.count)
    }
  }

  /// The number of buffered elements.
  package var count: Int { state.withLock { $0.queue.count } }

  /// The error with which the channel ended, until a consumer has thrown it.
  var failure: LocationError? {
    state.withLock { if case .failed(let error) = $0.end { error } else { nil } }
  }

  /// The number of segments that fit into the allocated memory.
  var capacity: Int { state.withLock { $0.queue.capacity } }

  /// Attaches the probe of a test kit. Called before the channel is read.
  func observe(_ probe: StreamProbe) {
    state.withLock { state in
      state.probe = probe
      probe.buffers(state.queue.count)
    }
  }

  // MARK: Producer

  /// Appends all elements of an array, which is shared, not copied. After the end it appends
  /// nothing, and counts only withdrawn elements, because a subscriber that left misses none.
  ///
  /// - Parameter share: With `half`, elements that would fill more than half of the buffer are
  ///   dropped; the rest is reserved for more important elements.
  /// - Returns: The number of new elements, and the number of dropped elements: those that did not
  ///   fit, and older ones that were evicted.
  package func push(
    _ elements: [Element], _ stamp: DeliveryStamp = .unrestricted,
    filling share: BufferShare = .all, waking wakes: inout Wakes
  ) -> Tally {
    push(elements, ElementRuns(elements.indices), stamp, filling: share, waking: &wakes)
  }

  /// Appends some elements of an array, as ``push(_:_:filling:waking:)`` does.
  ///
  /// - Parameter retire: Receives each evicted segment. It may retain objects of the program, so
  ///   the caller releases it after its lock.
  func push(
    _ elements: [Element], _ runs: ElementRuns, _ stamp: DeliveryStamp,
    filling share: BufferShare = .all, waking wakes: inout Wakes,
    retire: (Segment) -> Void = { _ in }
  ) -> Tally {
    guard !runs.isEmpty else { return Tally() }
    let (tally, signal) = state.withLock { state -> (Tally, Signal?) in
      var tally = Tally(delivered: UInt64(runs.count))
      // Checked before the end, because a withdrawal of permission also ends the channel: earlier
      // elements that are pushed afterwards count as dropped.
      guard gate?.admits(stamp) ?? true else {
        tally.dropped = tally.delivered
        state.dropped += tally.dropped
        return (tally, nil)
      }
      guard case .open = state.end else { return (Tally(), nil) }
      runs.visit { range in
        let evicted =
          share == .all || state.queue.hasRoomInHalf(for: range.count)
          ? state.queue.append(elements, range, stamp, retire: retire) : range.count
        if countsEvictions { tally.dropped += UInt64(evicted) }
      }
      state.dropped += tally.dropped
      state.evicted += tally.dropped
      state.probe?.buffers(state.queue.count)
      return (tally, state.waiting.isEmpty ? nil : state.wakeFirst())
    }
    if let signal = signal { wakes.add(signal) }
    return tally
  }

  /// Discards elements made under a permission that was withdrawn, and returns their number as
  /// dropped.
  package func discardWithdrawn() -> Tally {
    guard let gate else { return Tally() }
    let (tally, removed) = state.withLock { Self.discardWithdrawn(gate, &$0) }
    withExtendedLifetime(removed) {}
    return tally
  }

  @usableFromInline
  static func discardWithdrawn(
    _ gate: DeliveryGate, _ state: inout State
  ) -> (Tally, [Segment]) {
    let removed = state.queue.remove { !gate.admits($0) }
    let tally = Tally(dropped: removed.reduce(0) { $0 + UInt64($1.count) })
    state.dropped += tally.dropped
    state.probe?.buffers(state.queue.count)
    return (tally, removed)
  }

  /// Ends the channel after its buffered elements. Only the first end counts.
  package func finish(_ error: LocationError? = nil, waking wakes: inout Wakes) {
    let signals = state.withLock { state -> [Signal] in
      guard case .open = state.end else { return [] }
      state.end = error.map(End.failed) ?? .finished
      return state.wakeAll()
    }
    wakes.add(signals)
  }

  /// Ends the channel immediately and discards its buffered elements.
  ///
  /// - Returns: The number of discarded elements.
  @discardableResult
  package func abandon() -> Int {
    let (removed, signals) = state.withLock { state in
      let removed = state.queue.remove { _ in true }  // Freed with no lock held.
      if case .open = state.end { state.end = .finished }
      state.probe?.buffers(0)
      return (removed, state.wakeAll())
    }
    for signal in signals { signal.resume() }
    return removed.reduce(0) { $0 + $1.count }
  }

  // MARK: Consumer

  /// Takes the next element if there is one, without the cost of a suspending call.
  // Inlinable: a backend's element type is unknown to this module, and unspecialized generic code
  // would dominate the cost.
  @inlinable
  package func take() -> Element? {
    var element: Element?
    let other = withQueue(discardingAll: false) { state in state.queue.popFirst(into: &element) }
    other?.resume()
    return element
  }

  /// Takes the next element with the permission under which it was made.
  func takeStamped() -> (element: Element, stamp: DeliveryStamp)? {
    var element: Element?
    var stamp = DeliveryStamp.unrestricted
    let other = withQueue(discardingAll: false) { state in
      stamp = state.queue.stamp
      return state.queue.popFirst(into: &element)
    }
    other?.resume()
    return element.map { ($0, stamp) }
  }

  /// Takes the next element, and waits for it if necessary. Nil at the end and when the task is
  /// cancelled.
  @inlinable
  package func next(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Element? {
    repeat {
      if !Task.isCancelled, let element = take() { return element }
    } while try await waitForMore(isolation: isolation)
    return nil
  }

  /// Waits until there may be an element to take.
  ///
  /// It does not return the element, because each frame of a waiting task would then reserve space
  /// for one.
  ///
  /// - Returns: False at the end and when the task is cancelled.
  @usableFromInline
  package func waitForMore(isolation: isolated (any Actor)?) async throws(LocationError) -> Bool {
    guard !Task.isCancelled else {
      passOn()
      return false
    }
    if try hasEnded() { return false }
    await wait(isolation: isolation)
    return true
  }

  /// Takes all buffered elements that were made under the same permission as the oldest; nil if
  /// there are none.
  ///
  /// - Returns: A slice of the shared array if one segment holds all these elements, otherwise a
  ///   slice of a copy.
  func takeAll() -> (elements: ArraySlice<Element>, stamp: DeliveryStamp)? {
    var segments: [Segment] = []
    _ = withQueue(discardingAll: true) { state in
      let stamp = state.queue.stamp
      while state.queue.stamp == stamp, let segment = state.queue.popSegment() {
        segments.append(segment)
      }
      return nil
    }
    guard let first = segments.first else { return nil }
    guard segments.count > 1 else { return (first.elements[first.range], first.stamp) }
    return (ArraySlice(segments.flatMap { $0.elements[$0.range] }), first.stamp)
  }

  /// Discards withdrawn elements, then calls a closure that takes from the queue.
  ///
  /// - Parameters:
  ///   - discardingAll: If false, nothing is discarded while permission covers the next element.
  ///   - take: Returns the segment that it emptied, which is released with no lock held.
  /// - Returns: Another consumer to wake if elements remain.
  @inlinable @inline(__always)
  func withQueue(discardingAll: Bool, _ take: (inout State) -> Segment?) -> Signal? {
    let (other, discarded, retired) = state.withLock { state in
      var discarded: (Tally, [Segment])?
      if let gate, discardingAll || !gate.admits(state.queue.stamp) {
        discarded = Self.discardWithdrawn(gate, &state)
      }
      let retired = take(&state)
      if let probe = state.probe {
        probe.buffers(state.queue.count)
        probe.didRead()
      }
      return (Self.wakeAnother(&state), discarded, retired)
    }
    withExtendedLifetime((discarded, retired)) {}
    if let discarded { gate?.count(discarded.0) }
    return other
  }

  /// Removes another waiting consumer if elements remain, and returns its signal.
  @inlinable
  static func wakeAnother(_ state: inout State) -> Signal? {
    guard !state.waiting.isEmpty, !state.queue.isEmpty else { return nil }
    return state.wakeFirst()
  }

  /// Passes the wake of a consumer that was woken and then cancelled to another consumer.
  private func passOn() {
    let other = state.withLock { Self.wakeAnother(&$0) }
    other?.resume()
  }

  /// True when the channel has ended and its queue is empty. The error is thrown once.
  private func hasEnded() throws(LocationError) -> Bool {
    let end = state.withLock { state -> End in
      guard state.queue.isEmpty else { return .open }
      defer { if case .failed = state.end { state.end = .finished } }
      return state.end
    }
    switch end {
    case .open: return false
    case .finished: return true
    case .failed(let error): throw error
    }
  }

  /// Returns when there may be an element to take, or when the task is cancelled.
  private func wait(isolation: isolated (any Actor)?) async {
    let id = waiterIDs.next()
    await withTaskCancellationHandler {
      await Signal.wait(isolation: isolation) { signal in
        let (isWaiting, probe) = state.withLock { state -> (Bool, StreamProbe?) in
          // Checked under the lock, so that a later cancellation finds the waiter.
          guard case .open = state.end, state.queue.isEmpty, !Task.isCancelled else {
            return (false, nil)
          }
          state.waiting.append((id, signal))
          state.probe?.waits(id)
          return (true, state.probe)
        }
        if !isWaiting { signal.resume() }
        probe?.resumeWaiters()
      }
    } onCancel: {
      let signal = state.withLock { state -> Signal? in
        guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
          return nil  // Already woken, so already resumed.
        }
        state.probe?.wakes(id)
        return state.waiting.remove(at: index).signal
      }
      if let signal = signal { signal.resume() }
    }
  }
}

private let waiterIDs = IDSource()
