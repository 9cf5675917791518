public import AsyncLocation
import FoundationEssentials

/// Decides where a track is interrupted, location by location, with bounded memory. Pure: performs
/// no I/O and has no clock.
///
/// ```swift
/// var segmentation = TrackSegmentation()
/// var statistics = TrackStatistics()
/// for event in events {
///   if let point = segmentation.point(for: event.event) { statistics.add(point) }
/// }
/// ```
///
/// A ``Track`` made from the same events with the same ``TrackOptions/maximumInterval`` has the
/// same segments. If the interval is nil, this type uses the pace of the locations so far, and a
/// track uses the pace of the first 10,000 locations of the recording.
public struct TrackSegmentation: Sendable, Hashable {
  private let options: TrackOptions
  private var pace = TrackPace()
  private var last: Location?
  /// Whether the fix was lost after the last location.
  private var isLost = false

  /// Creates a segmentation before its first location.
  public init(_ options: TrackOptions = TrackOptions()) { self.options = options }

  /// Continues a track after its last location; begins one if it is nil.
  init(_ options: TrackOptions, after last: Location?) {
    (self.options, self.last) = (options, last)
  }

  /// Returns the point for a location of the followed receiver; nil for another event.
  ///
  /// `BackendEvent.unavailable(_:)` interrupts the track: the next location begins a segment.
  public mutating func point(for event: BackendEvent) -> TrackPoint? {
    switch event {
    case .location(let location): return options.isFollowed(location) ? point(for: location) : nil
    case .unavailable:
      isLost = true
      return nil
    default: return nil
    }
  }

  /// Returns the point for the next location, of any receiver.
  public mutating func point(for location: Location) -> TrackPoint {
    defer {
      (last, isLost) = (location, false)
      if options.maximumInterval == nil { pace.add(location) }
    }
    return TrackPoint(location, beginning: beginning(location))
  }

  private func beginning(_ location: Location) -> TrackPoint.Beginning? {
    guard let last else { return .start }
    if location.timestampSeconds < last.timestampSeconds { return .earlierTime }
    if isLost { return .loss }
    if isGap(from: last, to: location) { return .interval }
    if ReceiverPlace(location).mayBeSame(as: ReceiverPlace(last)) { return .receiver }
    if let limit = options.maximumDistance, last.distance(to: location) > limit {
      return .distance
    }
    return nil
  }

  private func isGap(from last: Location, to location: Location) -> Bool {
    let interval = last.duration(to: location)
    return options.maximumInterval.map { interval > $0 } ?? pace.isGap(interval)
  }
}

extension Location {
  /// The time from this location to another by their timestamps.
  func duration(to other: Location) -> Duration {
    CivilTime.duration(from: timestamp, to: other.timestamp)
  }
}
