/// An event of a monitor, and the permission under which it was made.
struct StampedEvent: Sendable {
  let event: Monitor.Event
  /// True when a consumer may have received it.
  var isOffered = false
  /// Unrestricted for an event that does not reveal where the device is.
  let stamp: DeliveryStamp

  /// - Parameter stamp: The permission under which the event was made if it reveals a position.
  init(_ event: Monitor.Event, isOffered: Bool = false, _ stamp: DeliveryStamp) {
    (self.event, self.isOffered) = (event, isOffered)
    self.stamp = event.isPosition ? stamp : .unrestricted
  }

  var stored: StoredEvent { StoredEvent(event, isOffered: isOffered) }

  /// The event after others that were discarded.
  var afterDiscarded: Self { Self(stored.afterDiscarded.event, isOffered: isOffered, stamp) }

  /// Whether the event has more than a state.
  var tellsPlace: Bool { event.tellsPlace }

  /// The event without what needs the permission. Its state remains.
  var withheld: Self { Self(event.withheld, isOffered: isOffered, stamp) }
}

extension Monitor.Event {
  /// Whether the event reveals where the device is.
  var isPosition: Bool { state.isDetermined }

  /// Whether the device crossed a boundary.
  var isCrossing: Bool { state.isChange(from: previousState) }

  /// The event with nothing but its diagnostics.
  var undetermined: Self {
    Self(
      identifier: identifier, number: number, state: .unknown, previousState: .unknown, date: date,
      diagnostics: diagnostics)
  }

  /// The event without the state before it, unless it reports a state itself. The former state may
  /// be of before a withdrawal.
  var withoutFormerState: Self {
    guard !isPosition, previousState.isDetermined else { return self }
    return Self(
      identifier: identifier, number: number, state: state, previousState: .unknown, date: date,
      diagnostics: diagnostics, isRepeated: isRepeated)
  }

  /// The event without what narrows its condition.
  var withoutRefinement: Self {
    guard refinement != nil else { return self }
    return Self(
      identifier: identifier, number: number, state: state, previousState: previousState,
      date: date, location: location, diagnostics: diagnostics, isRepeated: isRepeated)
  }

  fileprivate var tellsPlace: Bool { location != nil || refinement != nil }

  /// The event without what needs a permission that is gone. Its state remains.
  var withheld: Self {
    guard tellsPlace else { return self }
    return Self(
      identifier: identifier, number: number, state: state, previousState: previousState,
      date: date, diagnostics: diagnostics.union(.locationWithheld), isRepeated: isRepeated)
  }
}

extension Monitor.Record {
  /// The record without what narrows its condition.
  var withoutRefinement: Self { Self(condition: condition, lastEvent: lastEvent.withoutRefinement) }
}
