/// What a monitor has stored, for changes in place. Defines what each change means.
struct MonitorContent: Sendable {
  private var conditions: [String: StoredCondition] = [:]
  private var events: [StoredEvent] = []
  private var lastNumber: UInt64 = 0

  init(_ stored: StoredMonitor = StoredMonitor()) {
    for condition in stored.conditions { conditions[condition.identifier] = condition }
    events = stored.events
    lastNumber = stored.lastNumber
  }

  /// The content, with the conditions in the order of their identifiers.
  var stored: StoredMonitor {
    StoredMonitor(
      conditions: conditions.values.sorted { $0.identifier < $1.identifier }, events: events,
      lastNumber: lastNumber)
  }

  mutating func apply(_ changes: [MonitorChange]) {
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: MonitorChange) {
    switch change {
    case .add(let condition):
      conditions[condition.identifier] = condition
    case .remove(let identifier):
      conditions[identifier] = nil
    case .event(let event):
      lastNumber = max(lastNumber, event.number)
      events.append(StoredEvent(event))
      conditions[event.identifier]?.state = event.state
      conditions[event.identifier]?.candidate = nil
    case .candidate(let identifier, let candidate):
      conditions[identifier]?.candidate = candidate
    case .offer(let number):
      if let index = index(number) { events[index].isOffered = true }
    case .finish(let number):
      guard let index = index(number) else { return }
      let event = events.remove(at: index).event
      conditions[event.identifier]?.lastEvent = event.withoutLocation
    case .discard(let number):
      events.removeAll { $0.event.number <= number }
    }
  }

  /// The index of an event. The events are sorted, and most changes concern the first.
  private func index(_ number: UInt64) -> Int? {
    events.firstIndex { $0.event.number == number }
  }
}
