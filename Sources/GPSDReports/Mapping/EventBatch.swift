package import AsyncLocation
package import FoundationEssentials

/// The events of reports that arrived together, and the clocks at that time.
package struct EventBatch {
  package var events: [BackendEvent] = []
  /// The time of arrival on a monotonic clock. Silent receivers are detected with it.
  package var arrival: Duration
  /// The host's time. Called only if the receiver's time is missing or doubtful.
  package let hostTime: @Sendable () -> Date

  package init(arrival: Duration = .zero, hostTime: @escaping @Sendable () -> Date) {
    (self.arrival, self.hostTime) = (arrival, hostTime)
  }
}
