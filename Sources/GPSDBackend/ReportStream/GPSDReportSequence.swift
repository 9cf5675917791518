public import AsyncLocation

/// The sequence of gpsd's reports for one subscriber; see ``GPSDBackend/reports(_:)``.
///
/// Reports arrive in the order in which gpsd sent them, with all receivers interleaved. While the
/// subscriber is busy, the newest reports are buffered up to the limit in the options. Older
/// reports are dropped and counted.
///
/// The sequence throws `LocationError` in three cases. If no report can match the options, it
/// throws immediately. If permission is refused, withdrawn or reduced, it throws immediately and
/// discards buffered reports. If gpsd becomes permanently unusable, it throws after the buffered
/// reports. Cancelling the iterating task ends the sequence for all of its iterators, without an
/// error. Releasing the sequence and its iterators closes the connection. Iterators of one sequence
/// share its elements.
public struct GPSDReportSequence: AsyncSequence, Sendable {
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

  /// The states of the connection since the first attempt. The newest 16 states are buffered. There
  /// is only one stream: iterate it once. It ends with the sequence.
  public let connectionStates: AsyncStream<ConnectionState>

  /// The number of reports dropped because the subscriber was slower than gpsd and the buffer was
  /// full. They precede the report that is read next.
  public var dropped: Int { subscription.dropped }

  /// The number of buffered reports discarded because permission or the iteration ended.
  public var withheld: Int { subscription.withheld }

  /// The counters and the last error of this subscription. NMEA sentences count as malformed lines.
  public var statistics: GPSDStatistics { counters.withLock { $0 } }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription) }

  /// Iterates over the reports of a subscription.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: ReportSubscription

    fileprivate init(_ subscription: ReportSubscription) { self.subscription = subscription }

    // Inlinable: if a report is buffered, no call that may suspend is made, and the large report is
    // copied only once.
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
extension GPSDReportSequence.Iterator: Sendable {}
