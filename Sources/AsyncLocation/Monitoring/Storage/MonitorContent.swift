/// The content of a monitor in memory, to which changes are applied.
struct MonitorContent: Sendable {
  private var conditions: [ExactText: StoredCondition] = [:]
  /// The events by number.
  private var events: [UInt64: StoredEvent] = [:]
  private(set) var lastNumber: UInt64 = 0

  init(_ stored: StoredMonitor = StoredMonitor()) {
    for condition in stored.conditions { conditions[ExactText(condition.identifier)] = condition }
    for event in stored.events { events[event.event.number] = event }
    lastNumber = stored.lastNumber
  }

  /// The content, with the conditions in the order of their identifiers.
  var stored: StoredMonitor {
    StoredMonitor(
      conditions: conditions.sorted { $0.key < $1.key }.map(\.value),
      events: events.values.sorted { $0.event.number < $1.event.number },
      lastNumber: lastNumber)
  }

  mutating func apply(_ changes: [MonitorChange]) {
    for change in changes { apply(change) }
  }

  private mutating func apply(_ change: MonitorChange) {
    switch change {
    case .add(let condition):
      conditions[ExactText(condition.identifier)] = condition
    case .remove(let identifier):
      conditions[ExactText(identifier)] = nil
    case .event(let event):
      lastNumber = max(lastNumber, event.number)
      events[event.number] = StoredEvent(event)
      conditions[ExactText(event.identifier)]?.state = event.state
      conditions[ExactText(event.identifier)]?.candidate = nil
    case .candidate(let identifier, let candidate):
      conditions[ExactText(identifier)]?.candidate = candidate
    case .offer(let number):
      events[number]?.isOffered = true
    case .finish(let number):
      guard let event = events.removeValue(forKey: number)?.event,
        conditions[ExactText(event.identifier)]?.lastEvent.map({ $0.number < number }) ?? true
      else { return }
      conditions[ExactText(event.identifier)]?.lastEvent = event.withoutLocation
    case .discard(let number):
      events = events.filter { $0.key > number || $0.value.isOffered }
      if let next = events.filter({ !$0.value.isOffered }).keys.min() {
        events[next] = events[next]?.afterDiscarded
      }
    }
  }
}
