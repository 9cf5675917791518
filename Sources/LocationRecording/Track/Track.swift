public import AsyncLocation
import FoundationEssentials

/// A path that was travelled: segments of locations, with gaps between them.
///
/// ```swift
/// let track = Track(try Recording(contentsOf: "drive.gpx"), name: "Drive")
/// print(track.statistics().length, track.gaps.count)
/// let map = try track.simplified(tolerance: 5)
/// ```
///
/// A point is a whole `Location` of 232 bytes, so a day at one location a second takes 20 MB. For
/// longer recordings use ``TrackSegmentation`` with ``TrackStatistics`` and ``RecordingWriter``,
/// which process one point at a time.
///
/// Lengths are those of geodesics on the WGS 84 ellipsoid, without heights.
public struct Track: Sendable, Hashable {
  /// One or more locations without a gap between them. Their times never decrease.
  public struct Segment: Sendable, Hashable {
    /// The locations, in the order of the recording.
    public internal(set) var locations: [Location]
    /// The reason that the segment begins.
    public internal(set) var beginning: TrackPoint.Beginning
    /// The readings of other sensors, by the indices of ``locations``: only where there is a
    /// reading, so that a track without readings needs no memory for them.
    public internal(set) var sensors: [Int: SensorReadings] = [:]

    mutating func append(_ location: Location, _ readings: SensorReadings?) {
      if let readings { sensors[locations.count] = readings }
      locations.append(location)
    }
  }

  /// The name; nil if the track has none. It may be untrusted: escape it before printing.
  public var name: String?
  /// The segments, in the order of the recording.
  public internal(set) var segments: [Segment] = []
  /// Named places besides the track, which pictures show and writers write. They affect
  /// neither the length nor the ``bounds``.
  public var waypoints: [Waypoint] = []

  /// Creates a track without segments.
  public init(name: String? = nil, waypoints: [Waypoint] = []) {
    (self.name, self.waypoints) = (name, waypoints)
  }

  /// Creates a track from the locations of any receivers, in the order of a recording.
  public init(
    _ locations: some Sequence<Location>, name: String? = nil,
    options: TrackOptions = TrackOptions()
  ) {
    self.name = name
    append(contentsOf: locations, options: options)
  }

  /// Creates a track from the locations of one receiver in a recording, with its waypoints. Where
  /// the recording states that there was no fix, a segment ends.
  ///
  /// - Parameters:
  ///   - recording: The recording that was read.
  ///   - name: Nil, the default, for the name of the recording.
  ///   - options: The receiver to follow, and the limits that interrupt the track.
  public init(
    _ recording: Recording, name: String? = nil, options: TrackOptions = TrackOptions()
  ) {
    (self.name, waypoints) = (name ?? recording.name, recording.waypoints)
    let followed = recording.locations.lazy.filter(options.isFollowed)
    var segmentation = TrackSegmentation(options.fitting(followed))
    for (index, event) in recording.events.enumerated() {
      guard var point = segmentation.point(for: event.event) else { continue }
      point.sensors = recording.sensors[index]
      append(point)
    }
  }

  /// The points in order. The first point of each segment has its beginning.
  public var points: some Sequence<TrackPoint> {
    segments.lazy.flatMap { segment in
      segment.locations.lazy.enumerated().map { index, location in
        TrackPoint(
          location, beginning: index == 0 ? segment.beginning : nil,
          sensors: segment.sensors[index])
      }
    }
  }

  /// Appends a point. It begins a segment if its `beginning` is not nil, if it is the first point,
  /// or if it is earlier than the last point.
  public mutating func append(_ point: TrackPoint) {
    let last = segments.last?.locations.last
    if let beginning = point.beginning(after: last) {
      segments.append(Segment(locations: [], beginning: beginning))
    }
    segments[segments.count - 1].append(point.location, point.sensors)
  }

  /// The number of previous locations that determine the pace of appended locations.
  private static let paceCount = 100

  /// Appends locations, and begins segments as ``TrackSegmentation`` decides. If
  /// ``TrackOptions/maximumInterval`` is nil, the pace is that of these locations and of the last
  /// 100 of the last segment.
  public mutating func append(
    contentsOf locations: some Sequence<Location>, options: TrackOptions = TrackOptions()
  ) {
    let previous = segments.last?.locations.suffix(Self.paceCount) ?? []
    let added = Array(locations)
    var segmentation = TrackSegmentation(options.fitting(previous + added), after: previous.last)
    for location in added { append(segmentation.point(for: location)) }
  }
}

// MARK: Properties

extension Track {
  /// The number of all points.
  public var pointCount: Int { segments.reduce(0) { $0 + $1.locations.count } }

  /// The length of all segments in metres along the ellipsoid. Gaps are not counted.
  public var length: Double { statistics().length }

  /// A box around all points; nil without points.
  public var bounds: GeographicBounds? {
    segments.lazy.flatMap(\.locations).reduce(nil) { bounds, location in
      bounds?.union(location.coordinate) ?? GeographicBounds(location.coordinate)
    }
  }

  /// Computes everything that ``TrackStatistics`` computes, in one pass.
  public func statistics(
    _ options: TrackStatistics.Options = TrackStatistics.Options()
  ) -> TrackStatistics {
    points.reduce(into: TrackStatistics(options)) { $0.add($1) }
  }

  /// The gaps, in the order of the recording. A division is no gap.
  public var gaps: [Gap] {
    zip(segments, segments.dropFirst()).compactMap { before, after in
      guard after.beginning != .division else { return nil }
      return Gap(
        reason: after.beginning, last: before.locations[before.locations.count - 1],
        next: after.locations[0])
    }
  }

  /// The interval between two segments.
  public struct Gap: Sendable, Hashable {
    /// The reason that the second segment begins.
    public let reason: TrackPoint.Beginning
    /// The last location before the gap.
    public let last: Location
    /// The first location after the gap.
    public let next: Location

    /// The time without locations; negative if the time went back.
    public var duration: Duration { last.duration(to: next) }
    /// The distance between the two locations, in metres along the ellipsoid.
    public var distance: Double { last.distance(to: next) }
  }
}

extension Track: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("name", name), DescribedMember("segments", segments.count),
      DescribedMember("points", pointCount),
      DescribedMember("waypoints", waypoints.isEmpty ? nil : waypoints.count),
    ]
  }
}

extension Track.Segment: Described {
  package var describedName: String { "Segment" }
  package var members: [DescribedMember] {
    [
      DescribedMember("beginning", beginning), DescribedMember("points", locations.count),
      DescribedMember("start", locations.first?.timestamp),
      DescribedMember("end", locations.last?.timestamp),
    ]
  }
}
