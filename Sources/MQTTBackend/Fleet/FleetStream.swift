public import AsyncLocation

/// The locations of all devices for one subscriber; see ``Fleet/updates``.
public typealias FleetUpdates = FleetStream<FleetUpdate>

/// The changes of the devices for one subscriber; see ``Fleet/changes``.
public typealias FleetChanges = FleetStream<FleetChange>

/// The changes of conditions for one subscriber; see ``Fleet/events``.
public typealias FleetEvents = FleetStream<FleetEvent>

/// One subscriber's elements: ``FleetUpdates``, ``FleetChanges`` or ``FleetEvents``.
///
/// Iterating returns what arrived since the subscription was made, in the order of arrival, without
/// leaving the caller's actor. While the subscriber is busy, the newest elements are buffered, up to
/// ``FleetLimits/buffering``; others are not delayed by it. Elements that remain when a loop exits
/// are kept for the next iterator. Iterators of one sequence share its elements: each element is
/// returned once.
///
/// The sequence ends after ``Fleet/shutdown()``, and throws
/// ``/AsyncLocation/LocationError`` when the broker refuses the connection permanently, after all
/// buffered elements. Cancelling a task that iterates ends the sequence without an error, for all
/// its iterators. Releasing the sequence and its iterators unsubscribes.
public struct FleetStream<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Element>

  init(_ subscription: Subscription<Element>) { self.subscription = subscription }

  /// The number of elements that were delivered and never read, because newer ones evicted them.
  public var dropped: Int { subscription.dropped }

  /// The same elements in batches: each call of `next()` takes all that are buffered. They are
  /// shared with this sequence.
  public var batches: FleetBatches<Element> { FleetBatches(subscription) }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes the elements of a subscription one by one.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let subscription: Subscription<Element>

    fileprivate init(_ subscription: Subscription<Element>) { self.subscription = subscription }

    // Inlinable, so that a buffered element is returned without a suspending call.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Element? {
      repeat {
        if !Task.isCancelled, let element = subscription.channel.take() { return element }
      } while try await subscription.waitForMore(isolation: actor)
      return nil
    }
  }
}

@available(*, unavailable)
extension FleetStream.Iterator: Sendable {}
