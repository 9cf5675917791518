/// The time at which a report reached its manager, on that manager's monotonic clock.
struct Arrival: Sendable, BitwiseCopyable {
  /// The duration since the timeline's origin.
  let instant: Duration
  /// The timeline that ``instant`` was read from. Never ``TimelineID/none``.
  let timeline: TimelineID

  init(instant: Duration, timeline: TimelineID) {
    (self.instant, self.timeline) = (instant, timeline)
  }

  init(timeline: Timeline, instant: Duration) {
    self.init(instant: instant, timeline: TimelineTable.shared.identifier(of: timeline))
  }

  /// Nil when the clock is no longer in the table.
  var age: Duration? { TimelineTable.shared.timeline(of: timeline).map { $0.now() - instant } }
}
