import LocationFleet

/// The stored events that no consumer has finished. Pure.
///
/// A consumer takes an event and either finishes it or returns it. Events are taken in the order of
/// their numbers, each by one consumer at a time.
struct FleetEventQueue: Sendable {
  /// The events that no consumer has taken, in the order of their numbers.
  private var waiting: ArraySlice<FleetEvent>
  /// The events that consumers have returned, in the order of their numbers. They are taken first.
  private var returned: [FleetEvent] = []
  /// The events that were taken and not finished, by number.
  private var inFlight: [UInt64: FleetEvent] = [:]

  init(_ events: [FleetEvent] = []) { waiting = events[...] }

  var isEmpty: Bool { waiting.isEmpty && returned.isEmpty }

  /// All events, in the order of their numbers. Those that a consumer has taken are marked as
  /// repeated.
  var unfinished: [FleetEvent] {
    ((returned + inFlight.values.map(\.repeated)) + waiting).sorted { $0.number < $1.number }
  }

  /// Whether there is an event with this number or a lower one.
  func hasEvent(through number: UInt64) -> Bool {
    // Both are in the order of their numbers.
    [returned.first, waiting.first].contains { $0.map { $0.number <= number } ?? false }
      || inFlight.keys.contains { $0 <= number }
  }

  /// Adds stored events.
  ///
  /// - Parameter limit: The maximum number of waiting events.
  /// - Returns: The numbers of the oldest events beyond the limit, which are discarded.
  mutating func append(_ events: [FleetEvent], limit: Int) -> [UInt64] {
    waiting += events
    let excess = waiting.prefix(max(0, waiting.count - limit)).map(\.number)
    waiting = waiting.dropFirst(excess.count)
    return excess
  }

  /// Takes the next event; nil if there is none.
  mutating func take() -> FleetEvent? {
    let event = returned.isEmpty ? waiting.popFirst() : returned.removeFirst()
    if let event { inFlight[event.number] = event }
    return event
  }

  /// Removes an event that a consumer has handled; returns false if no taken event has the number.
  mutating func finish(_ number: UInt64) -> Bool { inFlight.removeValue(forKey: number) != nil }

  /// Whether a consumer has taken the event with a number.
  func isInFlight(_ number: UInt64) -> Bool { inFlight[number] != nil }

  /// Returns an unfinished event to the queue.
  mutating func requeue(_ number: UInt64) {
    guard let event = inFlight.removeValue(forKey: number) else { return }
    let index = returned.firstIndex { $0.number > number } ?? returned.count
    returned.insert(event.repeated, at: index)
  }

  /// Removes the events of a device.
  mutating func erase(_ device: FleetDevice.ID) {
    waiting.removeAll { $0.device == device }
    returned.removeAll { $0.device == device }
    inFlight = inFlight.filter { $1.device != device }
  }
}
