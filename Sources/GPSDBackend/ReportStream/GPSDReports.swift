public import AsyncLocation

/// gpsd's reports as one subscriber gets them; see ``GPSDBackend/reports(_:)``.
///
/// They come in the order in which gpsd sent them, all receivers together. While the subscriber is
/// busy the newest wait, up to the bound of its options; older ones make room and are counted.
///
/// The sequence throws `LocationError` when permission is refused, withdrawn or reduced, at once
/// and without what waited; and when gpsd cannot be used for good, after what came before.
/// Cancelling the iterating task ends the sequence for all of its iterators, without an error.
/// Dropping it and its iterators closes the connection. Iterators of one sequence share its
/// elements.
public struct GPSDReports: AsyncSequence, Sendable {
  public typealias Element = ReceivedReport
  public typealias Failure = LocationError

  private let subscription: ReportSubscription
  private let counters: Locked<GPSDStatistics>

  init(
    _ subscription: ReportSubscription, _ counters: Locked<GPSDStatistics>,
    _ connectionStates: AsyncStream<ConnectionState>
  ) {
    (self.subscription, self.counters) = (subscription, counters)
    self.connectionStates = connectionStates
  }

  /// How the connection stands, from the first attempt on; the newest 16 wait. There is one stream:
  /// iterate it once. It ends with the sequence.
  public let connectionStates: AsyncStream<ConnectionState>

  /// How many reports made room for newer ones, since the subscriber was slower than gpsd and the
  /// buffer full. They are missing before the report that is read next.
  public var dropped: Int { subscription.dropped }

  /// How many waiting reports were given up unread, since permission or the reading ended.
  public var withheld: Int { subscription.withheld }

  /// What this subscription received, and what went wrong last. Sentences count as malformed lines.
  public var statistics: GPSDStatistics { counters.withLock { $0 } }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Takes a subscription's reports one by one.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: ReportSubscription

    fileprivate init(_ subscription: ReportSubscription) { self.subscription = subscription }

    // Inlinable: where a report waits, no call that may suspend is made, and the report, which is
    // large, is copied once.
    @inlinable
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> ReceivedReport? {
      repeat {
        if !Task.isCancelled, let report = takeWaiting() { return report }
      } while try await waitForMore(isolation: actor)
      return nil
    }

    @usableFromInline
    func takeWaiting() -> ReceivedReport? { subscription.take() }

    @usableFromInline
    func waitForMore(isolation actor: isolated (any Actor)?) async throws(LocationError) -> Bool {
      try await subscription.waitForMore(isolation: actor)
    }
  }
}

@available(*, unavailable)
extension GPSDReports.Iterator: Sendable {}
