/// Buffered locations of a subscriber, oldest first. Indices begin at 0.
///
/// When all locations arrived together, a batch refers to the storage that all subscribers share:
/// iterating, ``withSpan(_:)`` and slicing copy only the elements that are accessed. Keeping a
/// batch keeps all locations that arrived together, including those that a filter rejected.
public struct LocationBatch: RandomAccessCollection, Sendable, Hashable {
  private let locations: ArraySlice<Location>

  init(slice: ArraySlice<Location>) { locations = slice }

  /// Creates a batch, for tests. A batch from a manager has at least one location.
  public init(_ locations: some Sequence<Location>) { self.locations = ArraySlice(locations) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { locations.count }
  public subscript(position: Int) -> Location { locations[locations.startIndex + position] }

  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Location>) throws -> Result
  ) rethrows -> Result? {
    unsafe try locations.withContiguousStorageIfAvailable(body)
  }

  /// Calls a closure with the locations in contiguous memory, which is valid only during the call.
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

/// One subscriber's locations in batches; see ``LocationManager/batches(_:)``.
///
/// Each call of `next()` takes all locations buffered at that moment: those that arrived together,
/// or more if the subscriber was busy, up to the limit of its ``UpdateOptions/buffering``.
/// Otherwise it behaves as ``LocationUpdates`` does. Permission is checked when a batch is taken.
public struct LocationBatches: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Location>

  init(_ subscription: Subscription<Location>) { self.subscription = subscription }

  /// The number of locations that were delivered and never read, as in ``Updates/dropped``.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes the locations of a subscription batch by batch.
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
