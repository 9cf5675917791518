/// One subscriber's headings; see ``LocationManager/headings(_:)``.
///
/// Buffers, ends, throws and shares its elements as ``LocationUpdates`` does.
public struct HeadingUpdates: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Heading>

  init(_ subscription: Subscription<Heading>) { self.subscription = subscription }

  /// The number of headings that were delivered and never read: they were evicted by newer ones, or
  /// permission was withdrawn. The sequence does not return them.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes the headings of a subscription one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Heading>

    fileprivate init(_ subscription: Subscription<Heading>) { self.subscription = subscription }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> Heading? {
      try await subscription.next(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension HeadingUpdates.Iterator: Sendable {}
