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
    private var batch: RingBuffer<Element>

    fileprivate init(_ subscription: Subscription<Element>, limit: Int) {
      self.subscription = subscription
      batch = RingBuffer(limit: limit)
    }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Element? {
      if !batch.isEmpty {
        if !Task.isCancelled { return batch.popFirst() }
        batch.removeAll()
      }
      guard try await subscription.next(into: &batch, isolation: actor) else { return nil }
      return batch.popFirst()
    }
  }
}

@available(*, unavailable)
extension Updates.Iterator: Sendable {}
