/// One subscriber's locations; see ``LocationManager/updates(_:)``.
///
/// Iterating returns the locations that arrived since the subscription was made, in the order of
/// arrival, without leaving the caller's actor. While the subscriber is busy, the newest locations
/// are buffered, up to the limit of its ``UpdateOptions/buffering``. Locations that remain when a
/// loop exits are kept for the next iterator. Iterators of one sequence share its elements: each
/// element is returned once.
///
/// After permission is withdrawn, `next()` returns no location that arrived before; after accuracy
/// is reduced, no precise one. Such buffered locations are discarded and counted in ``dropped``.
///
/// The sequence ends when its manager shuts down or its source ends. It throws ``LocationError``
/// when permission is refused or withdrawn, or when the source fails permanently, after all
/// buffered locations. Cancelling a task that iterates ends the sequence without an error, for all
/// its iterators: no more locations arrive, but buffered ones may still be read. Releasing the
/// sequence and its iterators unsubscribes.
public struct LocationUpdates: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Location>

  init(_ subscription: Subscription<Location>) { self.subscription = subscription }

  /// The number of locations that were delivered and never read: they were evicted by newer ones,
  /// or permission was withdrawn. The sequence does not return them.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes the locations of a subscription one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Location>

    fileprivate init(_ subscription: Subscription<Location>) { self.subscription = subscription }

    // Inlinable, so that a buffered location is returned without a suspending call.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Location? {
      repeat {
        if !Task.isCancelled, let location = takeWaiting() { return location }
      } while try await waitForMore(isolation: actor)
      return nil
    }

    @usableFromInline
    func takeWaiting() -> Location? { subscription.channel.take() }

    @usableFromInline
    func waitForMore(isolation actor: isolated (any Actor)?) async throws(LocationError) -> Bool {
      try await subscription.waitForMore(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension LocationUpdates.Iterator: Sendable {}
