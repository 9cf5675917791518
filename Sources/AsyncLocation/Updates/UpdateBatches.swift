/// Buffered locations of one subscriber; see ``LocationManager/batches(_:)``.
public typealias LocationBatch = UpdateBatch<Location>

/// One subscriber's locations in batches; see ``LocationManager/batches(_:)``.
public typealias LocationBatches = UpdateBatches<Location>

/// Buffered elements of one subscriber, oldest first: ``LocationBatch``. Indices begin at 0.
///
/// When all elements arrived together, a batch refers to the storage that all subscribers share:
/// iterating, ``withSpan(_:)`` and slicing copy only the elements that are accessed. Retaining a
/// batch retains all elements that arrived together, including those that a filter rejected.
public struct UpdateBatch<Element: Sendable>: RandomAccessCollection, Sendable {
  @usableFromInline let elements: ArraySlice<Element>
  /// The permission under which the elements were made. Ignored by `==`.
  package let stamp: DeliveryStamp

  init(slice: ArraySlice<Element>, _ stamp: DeliveryStamp) {
    (elements, self.stamp) = (slice, stamp)
  }

  /// The first elements and the remaining ones, as two batches with the same permission.
  package func split(at count: Int) -> (Self, Self) {
    let middle = elements.startIndex + count
    return (Self(slice: elements[..<middle], stamp), Self(slice: elements[middle...], stamp))
  }

  /// Creates a batch, for tests. A batch from a stream has at least one element.
  public init(_ elements: some Sequence<Element>) {
    self.init(slice: ArraySlice(elements), .unrestricted)
  }

  // Inlinable, so that callers access the elements without generic calls.
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { elements.count }
  @inlinable public subscript(position: Int) -> Element { elements[elements.startIndex + position] }

  @inlinable
  public func withContiguousStorageIfAvailable<Result>(
    _ body: (UnsafeBufferPointer<Element>) throws -> Result
  ) rethrows -> Result? {
    unsafe try elements.withContiguousStorageIfAvailable(body)
  }

  /// Calls a closure with the elements in contiguous memory, which is valid only during the call.
  ///
  /// - Throws: The error that the closure throws.
  @inlinable
  public func withSpan<Result, Failure: Error>(
    _ body: (Span<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(elements.span)
  }
}

extension UpdateBatch: Equatable where Element: Equatable {
  public static func == (left: Self, right: Self) -> Bool { left.elements == right.elements }
}

extension UpdateBatch: Hashable where Element: Hashable {
  public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension UpdateBatch: CustomStringConvertible {
  public var description: String {
    "UpdateBatch<\(Element.self)>(\(count == 1 ? "1 element" : "\(count) elements"))"
  }
}

/// One subscriber's elements in batches: ``LocationBatches``.
///
/// Each call of `next()` returns all elements buffered at that moment: those that arrived together,
/// or more if the subscriber was busy, up to the limit of its buffer. Elements before and after a
/// change of permission or accuracy are in two batches. Otherwise the sequence behaves as
/// ``Updates`` does. Permission is checked when `next()` takes a batch from the buffer.
public struct UpdateBatches<Element: Sendable>: AsyncSequence, Sendable {
  public typealias Failure = LocationError

  private let subscription: Subscription<Element>

  package init(_ subscription: Subscription<Element>) { self.subscription = subscription }

  /// The number of elements that were delivered and never read, as in ``Updates/dropped``.
  public var dropped: Int { subscription.dropped }

  /// The counts of discarded and waiting elements.
  package var counts: BufferCounts { subscription.channel.counts }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Returns the elements of a subscription in batches.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription<Element>

    fileprivate init(_ subscription: Subscription<Element>) { self.subscription = subscription }

    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> UpdateBatch<Element>? {
      try await subscription.nextBatch(isolation: actor).map { UpdateBatch(slice: $0, $1) }
    }
  }
}

@available(*, unavailable)
extension UpdateBatches.Iterator: Sendable {}
