import LocationFleet

/// The stored events that no consumer has finished. Pure.
///
/// A consumer takes an event and finishes it, or gives it back. Events are taken in the order of their
/// numbers, each by one consumer at a time.
struct FleetEventQueue: Sendable {
  /// In the order of their numbers.
  private var waiting: ArraySlice<FleetEvent>
  /// Given back by consumers, in the order of their numbers; taken first.
  private var returned: [FleetEvent] = []
  /// Taken and not finished, by number.
  private var taken: [UInt64: FleetEvent] = [:]

  init(_ events: [FleetEvent] = []) { waiting = events[...] }

  var isEmpty: Bool { waiting.isEmpty && returned.isEmpty }

  /// All events, in the order of their numbers.
  var unfinished: [FleetEvent] {
    ((returned + taken.values.map(\.repeated)) + waiting).sorted { $0.number < $1.number }
  }

  /// Whether there is an event up to a number.
  func hasEvent(through number: UInt64) -> Bool {
    // Each in the order of its numbers.
    [returned.first, waiting.first].contains { $0.map { $0.number <= number } ?? false }
      || taken.keys.contains { $0 <= number }
  }

  /// Adds events that are stored.
  ///
  /// - Parameter limit: The number of events that may wait.
  /// - Returns: The numbers of the oldest events, which are discarded.
  mutating func append(_ events: [FleetEvent], limit: Int) -> [UInt64] {
    waiting += events
    let excess = waiting.prefix(max(0, waiting.count - limit)).map(\.number)
    waiting = waiting.dropFirst(excess.count)
    return excess
  }

  /// Takes the next event; nil if none waits.
  mutating func take() -> FleetEvent? {
    let event = returned.isEmpty ? waiting.popFirst() : returned.removeFirst()
    if let event { taken[event.number] = event }
    return event
  }

  /// Removes an event that a consumer has handled; returns false if it has none of the number.
  mutating func finish(_ number: UInt64) -> Bool { taken.removeValue(forKey: number) != nil }

  /// Whether a consumer has the event of a number.
  func isTaken(_ number: UInt64) -> Bool { taken[number] != nil }

  /// Returns an event that was not finished.
  mutating func giveBack(_ number: UInt64) {
    guard let event = taken.removeValue(forKey: number) else { return }
    let index = returned.firstIndex { $0.number > number } ?? returned.count
    returned.insert(event.repeated, at: index)
  }

  /// Removes the events of a device.
  mutating func erase(_ device: FleetDevice.ID) {
    waiting.removeAll { $0.device == device }
    returned.removeAll { $0.device == device }
    taken = taken.filter { $1.device != device }
  }
}
