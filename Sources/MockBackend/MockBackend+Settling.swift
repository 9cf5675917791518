public import AsyncLocation

extension MockBackend {
  /// Returns when every loop has handled the emitted events and waits for more.
  ///
  /// ```swift
  /// try backend.emit(.location(harbour), .location(pier))
  /// try await backend.settle()
  /// #expect(await tracker.latitudes == [60.16, 60.17])
  /// ```
  ///
  /// When it returns:
  ///
  /// - every event that was emitted into a run is delivered, and so are the events that the manager
  ///   derives from it, such as those of a `Monitor`;
  /// - every task that has iterated a stream of the manager waits in `next()`, has seen the end of
  ///   the stream, or waits within its loop for something that only the test can supply: a
  ///   ``ManualClock``, a ``MockGate``, this backend, or the answer of the manager to a call;
  /// - every run has started or ended, and its script has no step left, sleeps on its clock or
  ///   waits at a gate;
  /// - every request to the policy is answered or waits for the test's answer.
  ///
  /// `settle()` does not wait for a stream that no task has begun to iterate: wait until the stream
  /// is read with ``waitForReaders(of:count:)``, or start its loop with `Task.immediate`. A task
  /// whose loop was left with `break` counts as busy while its stream exists. `settle()` does not
  /// wait for streams that the calling task reads.
  ///
  /// - Throws: `LocationError` with code `unsupported` when no manager was created with this
  ///   backend, and when only calls are left that wait on a clock that no test advances, such as
  ///   `currentLocation` with the system's clock: the message names them. With code `timedOut` when
  ///   the calling task is cancelled, for example by a time limit: the message names the endpoints
  ///   whose loops are busy.
  public func settle() async throws(LocationError) {
    guard activity.hasManager else {
      throw LocationError(
        .unsupported,
        "No LocationManager uses this MockBackend, so nothing can settle; create a manager with it."
      )
    }
    guard let unsettled = await activity.waitUntilAtRest() else { return }
    let onClocks = unsettled.endpointsOnClocks.map { "'\($0)'" }
    guard onClocks.isEmpty else {
      throw LocationError(
        .unsupported,
        "settle() would wait in real time, since \(onClocks.joined(separator: " and ")) waits on a "
          + "clock that no test advances; pass 'clock:' to LocationManager, such as a ManualClock.")
    }
    let loops = unsettled.busyStreams.map { "the loop over '\($0)'" }
    let work = unsettled.hasWork ? ["the manager or its backend"] : []
    throw LocationError(
      .timedOut,
      "settle() was cancelled while \((loops + work).joined(separator: " and ")) was busy.")
  }

  /// Waits until at least `count` tasks read streams of an endpoint, or until the calling task is
  /// cancelled. A task reads a stream from its first call of `next()`, until it receives the end of
  /// the stream.
  public func waitForReaders(of endpoint: LocationManager.Endpoint, count: Int = 1) async {
    await activity.waitForReaders(of: endpoint, count: count)
  }

  /// The currently unfinished work. Assert at the end of a test that all work has ended:
  ///
  /// ```swift
  /// try await backend.settle()
  /// #expect(backend.unfinishedWork.isEmpty)
  /// ```
  public var unfinishedWork: UnfinishedWork {
    let snapshot = activity.snapshot
    return UnfinishedWork(
      openStreams: snapshot.openStreams, unreadElements: snapshot.unreadElements,
      waitingCalls: snapshot.waitingCalls, undeliveredCalls: undeliveredCalls,
      isRunning: isRunning)
  }

  /// The work that a manager and its backend have not finished. Its description lists the work by
  /// endpoint.
  public struct UnfinishedWork: Sendable, Hashable {
    /// The number of open streams by endpoint.
    public var openStreams: [LocationManager.Endpoint: Int]
    /// The number of elements that were delivered to open streams and not read, by endpoint.
    public var unreadElements: [LocationManager.Endpoint: Int]
    /// The number of calls that wait for their result, by endpoint.
    public var waitingCalls: [LocationManager.Endpoint: Int]
    /// The number of calls of `emit`, `fail` and `end` that wait for a run.
    public var undeliveredCalls: Int
    /// Whether a run of the backend is in progress.
    public var isRunning: Bool

    /// Creates a value to compare with.
    public init(
      openStreams: [LocationManager.Endpoint: Int] = [:],
      unreadElements: [LocationManager.Endpoint: Int] = [:],
      waitingCalls: [LocationManager.Endpoint: Int] = [:], undeliveredCalls: Int = 0,
      isRunning: Bool = false
    ) {
      self.openStreams = openStreams
      self.unreadElements = unreadElements
      self.waitingCalls = waitingCalls
      self.undeliveredCalls = undeliveredCalls
      self.isRunning = isRunning
    }

    /// True when nothing is open, waiting, unread or running.
    public var isEmpty: Bool { self == Self() }
  }
}

extension MockBackend.UnfinishedWork: CustomStringConvertible, CustomReflectable {
  public var description: String {
    var parts: [String] = []
    for endpoint in LocationManager.Endpoint.allCases {
      if let count = openStreams[endpoint], count > 0 {
        let unread = unreadElements[endpoint, default: 0]
        parts.append(
          "\(endpoint): \(Self.count(count, "open stream"))"
            + (unread > 0 ? " with \(Self.count(unread, "unread element"))" : ""))
      }
      if let count = waitingCalls[endpoint], count > 0 {
        parts.append("\(endpoint): \(Self.count(count, "waiting call"))")
      }
    }
    if undeliveredCalls > 0 {
      parts.append("\(Self.count(undeliveredCalls, "call")) of emit, fail or end without a run")
    }
    if isRunning { parts.append("the backend runs") }
    return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
  }

  public var customMirror: Mirror { Mirror(self, children: []) }

  private static func count(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
