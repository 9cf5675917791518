public import AsyncLocation
public import LocationFleet

extension Fleet {
  /// The events of conditions that no consumer has finished, from this process and earlier ones.
  /// Requires a storage.
  ///
  /// An event is finished when its consumer requests the next one. If the consumer leaves the loop
  /// before, the event is returned to the queue. An event that a consumer received and did not
  /// finish, for example because the process was killed, is delivered again with
  /// ``/LocationFleet/FleetEvent/isRepeated``. So each event is handled at least once, unless it is
  /// discarded beyond ``FleetLimits/unfinishedEvents``. Its number identifies it. Events are
  /// delivered in the order of their numbers, each to one consumer at a time.
  ///
  /// Reading the sequence connects the fleet. While the storage cannot be written, no events are
  /// delivered.
  public var unfinishedEvents: FleetUnfinishedEvents { FleetUnfinishedEvents(lifetime: lifetime) }

  /// The stored location history of the devices; nil without a storage.
  public var history: FleetHistory? { lifetime.writer.map { FleetHistory($0.source) } }

  /// Returns when everything that was received or changed before the call is stored, except
  /// locations that wait for an earlier one; see ``FleetLimits/gapTimeout``.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; ``/AsyncLocation/LocationError``
  ///   with `unsupported` without a storage; and if the fleet ends before everything is stored, the
  ///   problem of the storage or else the error with which the fleet ended.
  public func waitUntilStored() async throws { try await hub.waitUntilStored() }

  /// Returns when consumers of ``unfinishedEvents`` have finished all events of messages received
  /// before the call, except of locations that wait for an earlier one. Also returns when the storage fails, the fleet ends or the task is cancelled.
  package func waitUntilEventsAreFinished() async { await hub.waitUntilEventsAreFinished() }

  /// Why the storage cannot be written; nil if it can be written, and without a storage.
  public var storageProblem: LocationError? { hub.decide { state, _ in state.storing.problem } }

  /// Why stored content was lost when the fleet was created or later, such as a damaged file that
  /// was set aside; nil if none was lost.
  public var storageLoss: LocationError? { hub.decide { state, _ in state.storing.loss } }
}

/// The events of a fleet that no consumer has finished; see ``Fleet/unfinishedEvents``. The
/// sequence keeps the fleet running.
///
/// It ends after ``Fleet/shutdown()`` and when the iterating task is cancelled. It throws
/// ``/AsyncLocation/LocationError`` with `unsupported` if the fleet has no storage, and otherwise
/// the error that ended the fleet, such as a permanent refusal by the broker.
public struct FleetUnfinishedEvents: AsyncSequence, Sendable {
  public typealias Element = FleetEvent

  let lifetime: FleetLifetime

  public func makeAsyncIterator() -> Iterator { Iterator(lifetime) }

  /// Receives events one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let handled: HandledEvent

    init(_ lifetime: FleetLifetime) { handled = HandledEvent(lifetime) }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws -> FleetEvent? {
      handled.lifetime.connection.start()
      let finished = exchange(&handled.event, with: nil)
      handled.event = try await handled.lifetime.hub.nextEvent(finishing: finished?.number)
      return handled.event
    }
  }

  /// The event that a loop is handling. Deallocation returns an unfinished event to the queue.
  private final class HandledEvent {
    let lifetime: FleetLifetime
    var event: FleetEvent?

    init(_ lifetime: FleetLifetime) { self.lifetime = lifetime }

    deinit {
      if let event { lifetime.hub.requeue(event) }
    }
  }
}

@available(*, unavailable)
extension FleetUnfinishedEvents.Iterator: Sendable {}
