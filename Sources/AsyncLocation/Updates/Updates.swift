/// The locations that one subscriber gets; see ``LocationManager/updates(_:)``.
public typealias LocationUpdates = Updates<Location>
/// The headings that one subscriber gets; see ``LocationManager/headings(_:)``.
public typealias HeadingUpdates = Updates<Heading>

/// One subscription to a manager's reports, from the moment it was made.
///
/// Iterating takes what has arrived since, in the order of arrival, a batch at a time and without
/// leaving the caller's actor. While the subscriber is busy the newest elements wait, up to the
/// bound of its ``Buffering``; a batch that the loop has taken is no longer subject to it.
///
/// The sequence ends when its manager shuts down or its source ends; it throws ``LocationError``
/// when permission is refused or withdrawn, or the source fails for good, after everything that was
/// delivered before. Cancelling the iterating task ends the loop without an error. Dropping the
/// sequence and its iterators unsubscribes. Iterators of one sequence share its elements.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Element>
  private let limit: Int

  init(_ subscription: Subscription<Element>, limit: Int) {
    self.subscription = subscription
    self.limit = limit
  }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription, limit: limit) }

  /// Takes a subscription's elements one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Element>
    @usableFromInline var batch: RingBuffer<Element>

    fileprivate init(_ subscription: Subscription<Element>, limit: Int) {
      self.subscription = subscription
      batch = RingBuffer(limit: limit)
    }

    // Inlinable: most elements are taken from a batch that is here already, and a call by way of
    // generic code would cost more than the taking.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Element? {
      if batch.isEmpty || Task.isCancelled {
        guard try await nextBatch(isolation: actor) else { return nil }
      }
      return batch.popFirst()
    }

    @usableFromInline
    mutating func nextBatch(
      isolation actor: isolated (any Actor)?
    ) async throws(LocationError) -> Bool {
      if !batch.isEmpty { batch.removeAll() }
      return try await subscription.next(into: &batch, isolation: actor)
    }
  }
}

@available(*, unavailable)
extension Updates.Iterator: Sendable {}
