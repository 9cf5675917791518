/// The headings that one subscriber gets; see ``LocationManager/headings(_:)``.
///
/// Buffers, ends, throws and shares its elements as ``LocationUpdates`` does.
public struct HeadingUpdates: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Heading>

  init(_ subscription: Subscription<Heading>) { self.subscription = subscription }

  /// How many headings were delivered and not read: they made room for newer ones, or permission for
  /// them was withdrawn. They are missing from what the sequence gives.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes a subscription's headings one by one.
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
