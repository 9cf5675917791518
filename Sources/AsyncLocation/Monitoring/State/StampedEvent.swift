/// An event of a monitor, and the permission under which it was made.
struct StampedEvent: Sendable {
  let event: Monitor.Event
  /// True when a consumer may have received the event.
  var isOffered = false
  /// Unrestricted for an event without a determined state, which does not reveal where the device
  /// is.
  let stamp: DeliveryStamp

  /// - Parameter stamp: The permission under which the event was made. Ignored for an event without
  ///   a determined state.
  init(_ event: Monitor.Event, isOffered: Bool = false, _ stamp: DeliveryStamp) {
    (self.event, self.isOffered) = (event, isOffered)
    self.stamp = event.hasDeterminedState ? stamp : .unrestricted
  }

  var stored: StoredEvent { StoredEvent(event, isOffered: isOffered) }

  /// A copy that reports that earlier events were discarded.
  var afterDiscarded: Self { Self(stored.afterDiscarded.event, isOffered: isOffered, stamp) }

  /// Whether the event has a location or a refinement.
  var revealsPlace: Bool { event.revealsPlace }

  /// The event without its location and refinement. Its state remains.
  var withheld: Self { Self(event.withheld, isOffered: isOffered, stamp) }
}

extension Monitor.Event {
  /// Whether the event's state reveals on which side of a boundary the device is.
  var hasDeterminedState: Bool { state.isDetermined }

  /// Whether the device crossed a boundary.
  var isCrossing: Bool { state.isChange(from: previousState) }

  /// The event with unknown states, and without its location and refinement. Its diagnostics
  /// remain.
  var undetermined: Self {
    Self(
      identifier: identifier, number: number, state: .unknown, previousState: .unknown, date: date,
      diagnostics: diagnostics)
  }

  /// The event without its previous state, unless its new state is determined. The previous state
  /// may date from before a withdrawal.
  var withoutPreviousState: Self {
    guard !hasDeterminedState, previousState.isDetermined else { return self }
    return Self(
      identifier: identifier, number: number, state: state, previousState: .unknown, date: date,
      diagnostics: diagnostics, isRepeated: isRepeated)
  }

  var withoutRefinement: Self {
    guard refinement != nil else { return self }
    return Self(
      identifier: identifier, number: number, state: state, previousState: previousState,
      date: date, location: location, diagnostics: diagnostics, isRepeated: isRepeated)
  }

  fileprivate var revealsPlace: Bool { location != nil || refinement != nil }

  /// The event without its location and refinement, marked as withheld. Its state remains.
  var withheld: Self {
    guard revealsPlace else { return self }
    return Self(
      identifier: identifier, number: number, state: state, previousState: previousState,
      date: date, diagnostics: diagnostics.union(.locationWithheld), isRepeated: isRepeated)
  }
}

extension Monitor.Record {
  var withoutRefinement: Self { Self(condition: condition, lastEvent: lastEvent.withoutRefinement) }
}
