import AsyncLocation

@testable import async_location_example

/// Reports that a test supplies, and how they end.
struct CannedReports: AsyncSequence, Sendable {
  typealias Failure = LocationError

  var reports: [ShownReport] = []
  var states: [ConnectionState] = []
  var error: LocationError?
  var dropped = 0
  /// Whether the sequence waits after the last report until its task is cancelled.
  var isEndless = false

  var source: ReportSource {
    let (stream, sink) = AsyncStream.makeStream(of: ConnectionState.self)
    for state in states { sink.yield(state) }
    if !isEndless { sink.finish() }
    return ReportSource(reports: self, states: stream, dropped: { dropped })
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: reports[...], canned: self) }

  struct Iterator: AsyncIteratorProtocol {
    var rest: ArraySlice<ShownReport>
    let canned: CannedReports

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(LocationError) -> ShownReport? {
      if let report = rest.popFirst() { return report }
      if let error = canned.error { throw error }
      if canned.isEndless { for await _ in AsyncStream<Never>.makeStream().stream {} }
      return nil
    }
  }
}
