/// Locations that waited for a subscriber, oldest first. Indices begin at 0.
///
/// Where all of them arrived together, a batch lends the memory in which the manager wrote them, which
/// all subscribers share: iterating, ``withSpan(_:)`` and slicing copy nothing but the elements that
/// are looked at. Keeping a batch keeps all that arrived together, also what a filter left out.
public struct LocationBatch: RandomAccessCollection, Sendable, Hashable {
  private let locations: ArraySlice<Location>

  init(slice: ArraySlice<Location>) { locations = slice }

  /// Creates a batch, for tests. Batches of a manager have at least one location.
  public init(_ locations: some Sequence<Location>) { self.locations = ArraySlice(locations) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { locations.count }
  public subscript(position: Int) -> Location { locations[locations.startIndex + position] }

  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Location>) throws -> Result
  ) rethrows -> Result? {
    unsafe try locations.withContiguousStorageIfAvailable(body)
  }

  /// Calls a closure with the locations in contiguous memory, which is lent for the call.
  ///
  /// - Throws: What the closure throws.
  public func withSpan<Result, Failure: Error>(
    _ body: (Span<Location>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(locations.span)
  }
}

extension LocationBatch: CustomStringConvertible {
  public var description: String {
    "LocationBatch(\(count == 1 ? "1 location" : "\(count) locations"))"
  }
}

/// The locations that one subscriber gets, in batches; see ``LocationManager/batches(_:)``.
///
/// Each call of `next()` takes everything that waits at that moment: what arrived in one piece, or
/// more while the subscriber was busy, up to the bound of its ``Buffering``. Otherwise it behaves as
/// ``LocationUpdates`` does; permission is checked when a batch is taken.
public struct LocationBatches: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Location>

  init(_ subscription: Subscription<Location>) { self.subscription = subscription }

  /// How many locations were delivered and not read, as ``LocationUpdates/dropped`` counts them.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes a subscription's locations batch by batch.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Location>

    fileprivate init(_ subscription: Subscription<Location>) { self.subscription = subscription }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> LocationBatch? {
      try await subscription.nextBatch(isolation: actor).map { LocationBatch(slice: $0) }
    }
  }
}

@available(*, unavailable)
extension LocationBatches.Iterator: Sendable {}
