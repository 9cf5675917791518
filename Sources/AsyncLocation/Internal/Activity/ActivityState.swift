/// Decides whether all work of a manager is at rest.
struct ActivityState: Sendable {
  typealias Endpoint = LocationManager.Endpoint
  typealias StreamID = UInt64

  struct Stream: Sendable {
    let endpoint: Endpoint
    var isOpen = true
    var buffered = 0
    /// The tasks that have iterated the stream and have not seen its end.
    var readers: Set<TaskIdentity> = []
  }

  private(set) var streams: [StreamID: Stream] = [:]
  private(set) var calls: [Endpoint: Int] = [:]
  /// The number of pieces of work in progress, except those that wait for the test.
  private var units = 0
  /// The endpoints whose work sleeps on a clock that no test advances, keyed by the number of the
  /// sleep.
  private var clockWaits: [UInt64: Endpoint] = [:]
  /// The waiting tasks, and the number of events that each waits for.
  private var waits: [TaskIdentity: Int] = [:]

  // MARK: Work

  mutating func begin() { units += 1 }
  mutating func end() { units -= 1 }

  mutating func waitsOnClock(_ id: UInt64, _ endpoint: Endpoint) { clockWaits[id] = endpoint }
  /// A sleep ended. A second call has no effect.
  mutating func clockWaitEnded(_ id: UInt64) { clockWaits[id] = nil }

  mutating func waits(_ task: TaskIdentity) { waits[task, default: 0] += 1 }

  mutating func wakes(_ task: TaskIdentity) {
    let count = waits[task, default: 0] - 1
    waits[task] = count > 0 ? count : nil
  }

  // MARK: Calls and streams

  mutating func callBegan(_ endpoint: Endpoint) { calls[endpoint, default: 0] += 1 }

  mutating func callEnded(_ endpoint: Endpoint) {
    let count = calls[endpoint, default: 0] - 1
    calls[endpoint] = count > 0 ? count : nil
  }

  mutating func opened(_ id: StreamID, _ endpoint: Endpoint) {
    streams[id] = Stream(endpoint: endpoint)
  }

  /// The stream has ended. Its readers may not have seen the end yet.
  mutating func ended(_ id: StreamID) { streams[id]?.isOpen = false }

  /// The stream was released.
  mutating func closed(_ id: StreamID) { streams[id] = nil }

  mutating func buffers(_ count: Int, in id: StreamID) { streams[id]?.buffered = count }

  mutating func reads(_ task: TaskIdentity, from id: StreamID) {
    streams[id]?.readers.insert(task)
  }

  mutating func didReadEnd(_ task: TaskIdentity, of id: StreamID) {
    streams[id]?.readers.remove(task)
  }

  // MARK: Rest

  /// True when no work is in progress and every reader of a stream waits.
  ///
  /// A reader that waits has an empty buffer: it reads all buffered elements before it waits, and a
  /// new element ends the wait.
  var isAtRest: Bool { !hasWork && busyStreams.isEmpty }

  /// If the only remaining work sleeps on clocks that no test advances: the endpoints of this work,
  /// sorted by name. Otherwise empty.
  var endpointsOnClocks: [Endpoint] {
    guard hasWork, units == clockWaits.count, busyStreams.isEmpty else { return [] }
    return Set(clockWaits.values).sorted { $0.rawValue < $1.rawValue }
  }

  var hasWork: Bool { units > 0 }

  /// The streams whose readers are busy, sorted by name.
  var busyStreams: [Endpoint] {
    streams.values.filter(isBusy).map(\.endpoint).sorted { $0.rawValue < $1.rawValue }
  }

  /// The number of tasks that read streams of an endpoint.
  func readers(of endpoint: Endpoint) -> Int {
    streams.values.reduce(0) { $0 + ($1.endpoint == endpoint ? $1.readers.count : 0) }
  }

  private func isBusy(_ stream: Stream) -> Bool { stream.readers.contains { waits[$0] == nil } }
}
