import AsyncLocation
import FoundationEssentials
import LocationRecording

/// Adds up the gaps between the segments of a track. Pure.
struct GapTotals: Hashable, Sendable {
  private(set) var count = 0
  /// In seconds. A gap with a negative duration counts as 0.
  private(set) var time = 0.0
  /// In seconds.
  private(set) var longest = 0.0
  /// In metres along the ellipsoid.
  private(set) var distance = 0.0
  private var last: Location?

  mutating func add(_ point: TrackPoint) {
    defer { last = point.location }
    guard point.beginning != nil, let last else { return }
    let gap = max(0, point.location.timestamp.timeIntervalSince(last.timestamp))
    count += 1
    time += gap
    longest = max(longest, gap)
    distance += last.distance(to: point.location)
  }
}
