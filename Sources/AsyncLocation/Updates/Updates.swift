/// One subscriber's locations; see ``LocationManager/updates(_:)``.
public typealias LocationUpdates = Updates<Location>

/// One subscriber's headings; see ``LocationManager/headings(_:)``.
public typealias HeadingUpdates = Updates<Heading>

/// One subscriber's elements: ``LocationUpdates``, ``HeadingUpdates``, ``PlacemarkUpdates``, or the
/// elements of a fleet's streams.
///
/// Iterating returns the elements that arrived since the subscription was made, in the order of
/// arrival, without leaving the caller's actor. While the subscriber is busy, the newest elements
/// are buffered, up to the limit of its options. Elements that remain when a loop exits are kept
/// for the next iterator. Iterators of one sequence share its elements: each element is returned
/// once.
///
/// After permission is withdrawn, `next()` returns no element that arrived before; after accuracy
/// is reduced, it returns no precise element that arrived before. Such buffered elements are
/// discarded and counted in ``dropped``.
///
/// The sequence ends when its manager or its fleet shuts down, or its source ends. It throws
/// ``LocationError`` when permission is refused or withdrawn, or when the source fails permanently,
/// after all buffered elements. Cancelling a task that iterates ends the sequence without an error,
/// for all its iterators: no more elements arrive, but buffered ones may still be read until the
/// manager and its readers are released, since nothing observes permission afterwards. Releasing
/// the sequence and its iterators unsubscribes.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Element>

  package init(_ subscription: Subscription<Element>) { self.subscription = subscription }

  /// The number of elements that were delivered and never read: they were evicted by newer ones, or
  /// permission was withdrawn. The sequence does not return them.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Returns the elements of a subscription one at a time.
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
extension Updates.Iterator: Sendable {}
