public import AsyncLocation

/// Buffered elements of a subscriber, oldest first. Indices begin at 0.
///
/// When all elements arrived together, a batch refers to the storage that all subscribers share:
/// iterating, ``withSpan(_:)`` and slicing copy only the elements that are accessed.
public struct FleetBatch<Element: Sendable>: RandomAccessCollection, Sendable {
  private let elements: ArraySlice<Element>

  init(slice: ArraySlice<Element>) { elements = slice }

  /// Creates a batch, for tests. A batch from a fleet has at least one element.
  public init(_ elements: some Sequence<Element>) { self.elements = ArraySlice(elements) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(position: Int) -> Element { elements[elements.startIndex + position] }

  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    unsafe try elements.withContiguousStorageIfAvailable(body)
  }

  /// Calls a closure with the elements in contiguous memory, which is valid only during the call.
  ///
  /// - Throws: What the closure throws.
  public func withSpan<Result, Failure: Error>(
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(elements.span)
  }
}

extension FleetBatch: Equatable where Element: Equatable {}
extension FleetBatch: Hashable where Element: Hashable {}

extension FleetBatch: CustomStringConvertible {
  public var description: String {
    "FleetBatch(\(count == 1 ? "1 element" : "\(count) elements"))"
  }
}

/// One subscriber's elements in batches; see ``FleetStream/batches``.
///
/// Each call of `next()` takes all elements buffered at that moment: those that arrived together, or
/// more if the subscriber was busy. Otherwise it behaves as ``FleetStream`` does.
public struct FleetBatches<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Element>

  init(_ subscription: Subscription<Element>) { self.subscription = subscription }

  /// The number of elements that were delivered and never read, as in ``FleetStream/dropped``.
  public var dropped: Int { subscription.dropped }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes the elements of a subscription batch by batch.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Element>

    fileprivate init(_ subscription: Subscription<Element>) { self.subscription = subscription }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> FleetBatch<Element>? {
      try await subscription.nextBatch(isolation: actor).map { FleetBatch(slice: $0) }
    }
  }
}

@available(*, unavailable)
extension FleetBatches.Iterator: Sendable {}
