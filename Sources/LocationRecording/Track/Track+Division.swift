public import AsyncLocation
public import FoundationEssentials

extension Track {
  /// Returns the parts between gaps of at least a duration, each with the name of the track. The
  /// first part has the waypoints.
  ///
  /// - Parameter duration: The least duration of a gap that divides the track, forwards or
  ///   backwards in time. Zero, the default, divides at every gap.
  public func split(atGapsOf duration: Duration = .zero) -> [Track] {
    var tracks: [Track] = []
    for segment in segments {
      let last = tracks.last?.segments.last?.locations.last
      let gap = last.map { $0.duration(to: segment.locations[0]) }
      let isGap = segment.beginning != .division && (gap.map { abs($0) >= duration } ?? true)
      if tracks.isEmpty || isGap { tracks.append(part(after: tracks)) }
      tracks[tracks.count - 1].segments.append(segment)
    }
    return tracks
  }

  /// Returns parts of a duration each, gaps included, counted from the first point.
  ///
  /// A part ends with the first point at or after the end of its duration. The next one begins with
  /// the same point, so that lengths and times add up; where a segment ends or begins, no point is
  /// repeated. The first part has the waypoints.
  ///
  /// - Throws: `LocationError` with code `invalidValue` for a duration that is not above zero.
  public func split(every duration: Duration) throws(LocationError) -> [Track] {
    guard duration > .zero else {
      throw LocationError(.invalidValue, "duration must be above zero; got \(duration).")
    }
    guard let first = segments.first?.locations.first else { return [] }
    return split { _, location in (first.duration(to: location) / duration).rounded(.down) }
  }

  /// Returns parts of a length in metres each, counted from the first point without the gaps.
  ///
  /// A part ends with the first point at or after its full length. The next one begins with the
  /// same point, so that lengths add up; where a segment ends, no point is repeated. The first part
  /// has the waypoints.
  ///
  /// - Throws: `LocationError` with code `invalidValue` for a length that is not above zero.
  public func split(everyMetres length: Double) throws(LocationError) -> [Track] {
    guard length > 0 else {
      throw LocationError(.invalidValue, "length must be above zero; got \(length).")
    }
    var travelled = 0.0
    return split { previous, location in
      travelled += previous?.distance(to: location) ?? 0
      return (travelled / length).rounded(.down)
    }
  }

  /// Divides the track where the part number of a location differs from that of the previous one.
  ///
  /// - Parameter partNumber: Computes the part number of a location, the second argument. The first
  ///   one is the previous location of the segment; nil at its beginning.
  private func split(_ partNumber: (Location?, Location) -> Double) -> [Track] {
    var tracks: [Track] = []
    var current: Double?
    for segment in segments {
      for (index, location) in segment.locations.enumerated() {
        let isFirst = index == 0
        let next = partNumber(isFirst ? nil : segment.locations[index - 1], location)
        let beginning = isFirst ? segment.beginning : nil
        let sensors = segment.sensors[index]
        let point = TrackPoint(location, beginning: beginning, sensors: sensors)
        if next == current {
          tracks[tracks.count - 1].append(point)
        } else if isFirst {
          tracks.append(part(after: tracks))
          tracks[tracks.count - 1].append(point)
          current = next
        } else {
          tracks[tracks.count - 1].append(point)
          // A part that begins with the last point of a segment would have no length.
          guard index < segment.locations.count - 1 else { continue }
          tracks.append(part(after: tracks))
          tracks[tracks.count - 1].append(
            TrackPoint(location, beginning: .division, sensors: sensors))
          current = next
        }
      }
    }
    return tracks
  }

  /// Creates a part without points; the first one has the waypoints.
  private func part(after parts: [Track]) -> Track {
    Track(name: name, waypoints: parts.isEmpty ? waypoints : [])
  }

  /// Returns the track with only the points within a range of time. No points are interpolated at
  /// the ends of the range. All waypoints are retained.
  public func clipped(to range: Range<Date>) -> Track {
    var track = Track(name: name, waypoints: waypoints)
    for segment in segments {
      let locations = segment.locations
      // Times never decrease within a segment.
      let start = locations.indices.partition { locations[$0].timestamp >= range.lowerBound }
      let end = locations.indices.partition { locations[$0].timestamp >= range.upperBound }
      guard start < end else { continue }
      track.segments.append(
        Segment(
          locations: Array(locations[start..<end]),
          beginning: start == 0 ? segment.beginning : .division,
          sensors: segment.sensors.slice(start..<end)))
    }
    return track
  }

  /// Returns one track with the segments of several, in the order of their first times, and with
  /// their waypoints.
  ///
  /// Segments are never interleaved. A segment that begins by division with the last location of
  /// another segment continues that segment, so merging the parts of a track restores the track.
  public static func merged(_ tracks: [Track], name: String? = nil) -> Track {
    let segments = tracks.flatMap(\.segments).enumerated().sorted { left, right in
      let (first, second) = (left.element.locations[0], right.element.locations[0])
      return first.timestampSeconds == second.timestampSeconds
        ? left.offset < right.offset : first.timestampSeconds < second.timestampSeconds
    }
    var merged = Track(name: name, waypoints: tracks.flatMap(\.waypoints))
    // The indices of segments by their last location.
    var ends: [Location: Int] = [:]
    for (_, segment) in segments {
      var index = merged.segments.count
      if segment.beginning == .division, let open = ends.removeValue(forKey: segment.locations[0]) {
        for (index, location) in segment.locations.enumerated().dropFirst() {
          merged.segments[open].append(location, segment.sensors[index])
        }
        index = open
      } else {
        merged.segments.append(segment)
      }
      ends[segment.locations[segment.locations.count - 1]] = index
    }
    return merged
  }
}

private func abs(_ duration: Duration) -> Duration {
  duration < .zero ? .zero - duration : duration
}
