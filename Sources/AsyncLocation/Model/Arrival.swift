/// When a report reached its manager, on that manager's monotonic clock.
struct Arrival: Sendable {
  /// Nil for ``Timeline/continuous``: reports are copied often, and each copy of a reference counts.
  private let timeline: Timeline?
  /// Since the timeline's origin.
  let instant: Duration

  init(timeline: Timeline, instant: Duration) {
    self.timeline = timeline === Timeline.continuous ? nil : timeline
    self.instant = instant
  }

  var age: Duration { (timeline ?? .continuous).now() - instant }
}
