/// The locations that one subscriber gets; see ``LocationManager/updates(_:)``.
///
/// Iterating takes what arrived since the subscription was made, in the order of arrival and without
/// leaving the caller's actor. While the subscriber is busy the newest locations wait, up to the
/// bound of its ``Buffering``. What was not taken when a loop is left stays for the next iterator.
/// Iterators of one sequence share its elements: each is given once.
///
/// Once permission is withdrawn no call of `next()` gives a location that arrived before; once
/// accuracy is reduced, none that is precise. What waited is discarded and counted in ``dropped``.
///
/// The sequence ends when its manager shuts down or its source ends; it throws ``LocationError``
/// when permission is refused or withdrawn, or the source fails for good, after everything else that
/// was delivered before. Cancelling a task that iterates ends the sequence without an error, for all
/// of its iterators: nothing arrives any more, and what waits may still be read. Dropping the sequence
/// and its iterators unsubscribes.
public struct LocationUpdates: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Location>

  init(_ subscription: Subscription<Location>) { self.subscription = subscription }

  /// How many locations were delivered and not read: they made room for newer ones, or permission for
  /// them was withdrawn. They are missing from what the sequence gives.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes a subscription's locations one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Location>

    fileprivate init(_ subscription: Subscription<Location>) { self.subscription = subscription }

    // Inlinable: where a location waits, no call that may suspend is made.
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
