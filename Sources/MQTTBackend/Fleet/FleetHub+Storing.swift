import AsyncLocation
import FoundationEssentials
import LocationFleet

extension FleetHub {
  // MARK: The writer

  /// Sets the closures that control the writer.
  ///
  /// - Parameters:
  ///   - wake: Wakes the writer for pending changes.
  ///   - finish: Makes the writer store the remaining changes and end.
  func beginStoring(
    wake: @escaping @Sendable () -> Void, finish: @escaping @Sendable () -> Void
  ) {
    decide { state, _ in
      (state.storing.wakeWriter, state.storing.finishWriter) = (wake, finish)
    }
  }

  /// Removes and returns the pending changes.
  func takeBatch() -> FleetBatch? { decide { state, _ in state.storing.journal?.take() } }

  /// Offers the events of a stored batch, and confirms its locations.
  func stored(_ batch: FleetBatch) {
    let confirmed = decide { state, wakes in
      state.stored(batch.changes, through: batch.position, waking: &wakes)
      return state.storing.confirmations.stored(batch.changes)
    }
    steps.take()
    publications.confirm(confirmed.changed, removing: confirmed.erased)
  }

  func storingFailed(_ error: LocationError) {
    decide { $0.storingFailed(error, waking: &$1) }
    steps.take()
  }

  /// Handles a storage that has lost its content.
  ///
  /// - Returns: The whole content to store again, and the batch with all pending changes added.
  func storageLost(
    _ error: LocationError, _ batch: FleetBatch
  ) -> (whole: [FleetStorageChange], batch: FleetBatch) {
    decide { $0.storageLost(error, batch, waking: &$1) }
  }

  /// Ends the fleet because another server has taken over its storage. No more events are offered.
  func supersede(_ error: LocationError) {
    let now = time()
    decide { $0.supersede(error, at: now, waking: &$1) }
    close(error)
  }

  /// Ends the storing.
  ///
  /// - Parameter lost: The batch that could not be stored; nil if there is none.
  func endStoring(losing lost: FleetBatch?) {
    decide { $0.endStoring(losing: lost, waking: &$1) }
    steps.finish()
  }

  /// Wakes the writer if changes are pending. Called with no lock held.
  func wakeWriter() {
    let wake = decide { state, _ in state.storing.wakeForChanges }
    wake?()
  }

  /// Returns when all changes that were decided before the call are stored.
  func waitUntilStored() async throws {
    let position = decide { state, _ in state.storing.journal?.position }
    guard let position else { throw Self.noStorage }
    wakeWriter()
    await steps.wait { [self] in isStored(position) }
    guard !isStored(position) else { return }
    try Task.checkCancellation()
    throw storingEnd
  }

  /// Returns when all events that were decided before the call are finished. Also returns when the
  /// storage fails, the fleet ends or the task is cancelled.
  func waitUntilEventsAreFinished() async {
    let last = decide { state, _ in state.storing.journal.map { ($0.position, $0.lastNumber) } }
    guard let (position, number) = last else { return }
    wakeWriter()
    await steps.wait { [self] in
      decide { state, _ in
        state.end != nil || state.storing.problem != nil
          || isStored(position, in: state) && !state.storing.queue.hasEvent(through: number)
      }
    }
  }

  private func isStored(_ position: FleetJournal.Position, in state: FleetState) -> Bool {
    state.storing.journal.map { $0.stored >= position } ?? true
  }

  private func isStored(_ position: FleetJournal.Position) -> Bool {
    decide { state, _ in isStored(position, in: state) }
  }

  /// Ends the writer if the fleet has ended.
  func finishStoring() {
    let finish = decide { state, _ in state.end == nil ? nil : state.storing.finishWriter }
    finish?()
    steps.take()
  }

  // MARK: Events that no consumer has finished

  /// Waits for the next event, and until its offer is stored: an event that was offered before a
  /// restart is delivered as repeated.
  ///
  /// - Parameter finished: The number of the event that the caller has handled.
  /// - Returns: Nil after the fleet was shut down, and when the task is cancelled.
  /// - Throws: The error with which the fleet ended.
  func nextEvent(finishing finished: UInt64?) async throws -> FleetEvent? {
    guard decide({ state, _ in state.storing.journal != nil }) else { throw Self.noStorage }
    if let finished { decide { state, _ in state.storing.finish(finished) } }
    while true {
      let (event, position) = decide { state, _ in state.storing.takeEvent() }
      wakeWriter()
      if let event {
        await steps.wait { [self] in isStored(position) }
        let isInFlight = decide { state, _ in state.storing.queue.isInFlight(event.number) }
        // The event is not taken any more if its device was forgotten meanwhile.
        if isInFlight, isStored(position), !Task.isCancelled { return event }
        requeue(event)
      }
      if Task.isCancelled { return nil }
      if let end = decide({ state, _ in state.end }) {
        guard end.code == .shutDown else { throw end }
        return nil
      }
      await steps.wait { [self] in
        decide { state, _ in state.end != nil || !state.storing.queue.isEmpty }
      }
    }
  }

  func requeue(_ event: FleetEvent) {
    decide { state, _ in state.storing.queue.requeue(event.number) }
    steps.take()
  }

  private var storingEnd: LocationError {
    decide { state, _ in state.storing.problem ?? state.end }
      ?? LocationError(.shutDown, "The fleet was shut down.")
  }

  private static var noStorage: LocationError {
    LocationError(
      .unsupported, "The fleet has no storage; create it with Fleet(configuration, storage:).")
  }
}
