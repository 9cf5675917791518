package import AsyncLocation
package import FoundationEssentials

/// The events that are assembled from reports, and the clocks for the next report.
package struct EventBatch {
  package var events: [BackendEvent] = []
  /// The arrival of the next report on a monotonic clock. Used for timeouts and epoch deadlines.
  package var arrival = Duration.zero
  /// The host's time. Called only if the receiver's time is missing or doubtful.
  let hostTime: @Sendable () -> Date

  package init(hostTime: @escaping @Sendable () -> Date) { self.hostTime = hostTime }
}
