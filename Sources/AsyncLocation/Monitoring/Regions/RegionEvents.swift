/// One subscriber's events of regions; see ``LocationManager/regionEvents``.
///
/// Iterating does not leave the caller's actor. Permission is checked when `next()` returns on that
/// actor, so no crossing is returned that permission no longer covers, even if the actor was busy.
/// Releasing the sequence and its iterators unsubscribes, and so does cancelling a task that
/// iterates.
public struct RegionEvents: AsyncSequence, Sendable {
  public typealias Failure = Never

  private let subscription: Subscription<RegionEvent>

  init(_ subscription: Subscription<RegionEvent>) { self.subscription = subscription }

  /// The number of events that were dropped before they were read, because the buffer was full or
  /// permission was withdrawn.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// Returns the events one at a time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: Subscription<RegionEvent>

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> RegionEvent? {
      // The channel of regions ends without an error.
      try? await subscription.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension RegionEvents.Iterator: Sendable {}
