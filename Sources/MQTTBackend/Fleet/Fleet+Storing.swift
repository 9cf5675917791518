public import AsyncLocation
public import LocationFleet

extension Fleet {
  /// The events of conditions that no consumer has finished, from this process and earlier ones. Needs a
  /// storage.
  ///
  /// An event is finished when its consumer asks for the next one. Leaving the loop before gives it back.
  /// An event that a consumer received and did not finish, for example in a process that was killed, comes
  /// again, with ``/LocationFleet/FleetEvent/isRepeated``; so each event is handled at least once, and its number identifies
  /// it. Events come in the order of their numbers, each to one consumer at a time.
  ///
  /// Reading it connects the fleet. While the storage cannot be written, no event comes.
  public var unfinishedEvents: FleetUnfinishedEvents { FleetUnfinishedEvents(lifetime: lifetime) }

  /// Where the devices were, as far as it is stored; nil without a storage.
  public var history: FleetHistory? { lifetime.writer.map { FleetHistory($0.source) } }

  /// Returns when everything that was received or changed before the call is stored.
  ///
  /// - Throws: `CancellationError` when the task is cancelled. ``/AsyncLocation/LocationError`` with
  ///   `unsupported` without a storage, and if the fleet ends before.
  public func waitUntilStored() async throws { try await hub.waitUntilStored() }

  /// Returns when a consumer of ``unfinishedEvents`` has finished all events of what was received before
  /// the call; also when the storage fails, the fleet ends or the task is cancelled.
  package func waitUntilEventsAreFinished() async { await hub.waitUntilEventsAreFinished() }

  /// Why the storage cannot be written; nil if it can, and without one.
  public var storageProblem: LocationError? { hub.decide { state, _ in state.storing.problem } }

  /// Why the storage lacks something that was stored before, such as a damaged file that was set aside when the
  /// fleet was created or since; nil if it lacks nothing.
  public var storageLoss: LocationError? { hub.decide { state, _ in state.storing.loss } }
}

/// The events of a fleet that no consumer has finished; see ``Fleet/unfinishedEvents``. It keeps the fleet
/// running.
///
/// It ends after ``Fleet/shutdown()`` and when its task is cancelled. It throws
/// ``/AsyncLocation/LocationError`` with `unsupported` if the fleet has no storage, and the error of a
/// broker that refuses the connection permanently.
public struct FleetUnfinishedEvents: AsyncSequence, Sendable {
  public typealias Element = FleetEvent

  let lifetime: FleetLifetime

  public func makeAsyncIterator() -> Iterator { Iterator(lifetime) }

  /// Takes events one by one.
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

  /// The event that a loop handles. Leaving the loop gives it back.
  private final class HandledEvent {
    let lifetime: FleetLifetime
    var event: FleetEvent?

    init(_ lifetime: FleetLifetime) { self.lifetime = lifetime }

    deinit {
      if let event { lifetime.hub.giveBack(event) }
    }
  }
}

@available(*, unavailable)
extension FleetUnfinishedEvents.Iterator: Sendable {}
