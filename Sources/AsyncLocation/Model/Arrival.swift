/// When a report reached its manager, on that manager's monotonic clock.
struct Arrival: Sendable {
  let timeline: Timeline
  /// Since the timeline's origin.
  let instant: Duration

  var age: Duration { timeline.now() - instant }
}
