import AsyncLocation

/// Writes GeoJSON features that are lines, with the property `times`.
///
/// The times are buffered until the positions of the line are written. A line ends after
/// ``DeferredTexts/capacity`` positions, and where it crosses the antimeridian, since maps would
/// draw that step across the whole Earth. All lines of a segment have its number in the property
/// `segment`. A line of one point is written as a point.
struct GeoJSONLineWriter: FormatWriter {
  private var times = DeferredTexts()
  /// The first location of a line, until there is a second.
  private var first: Location?
  private var last: Location?
  private var segment = 0
  private var hasFeatures = false

  func begin(name: String?, into output: inout WriterOutput) {
    GeoJSONText.beginCollection(name: name, into: &output)
  }

  mutating func resume(afterSegment segment: Int) {
    (self.segment, hasFeatures) = (segment, segment > 0)
  }

  mutating func beginSegment(isFirst: Bool, into output: inout WriterOutput) {
    endLine(into: &output)
    segment += 1
  }

  mutating func write(_ point: TrackPoint, into output: inout WriterOutput) {
    let location = point.location
    if let last, times.isFull || abs(last.longitude - location.longitude) > 180 {
      endLine(into: &output)
    }
    if let first {
      beginFeature(into: &output)
      output.append(
        "{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[")
      append(first, into: &output)
      self.first = nil
      append(location, into: &output)
    } else if times.isEmpty {
      first = location
    } else {
      append(location, into: &output)
    }
    last = location
  }

  /// Writes a waypoint, which ends the line before it.
  mutating func write(_ waypoint: Waypoint, into output: inout WriterOutput) {
    endLine(into: &output)
    beginFeature(into: &output)
    GeoJSONText.append(waypoint, into: &output)
  }

  mutating func finish(note: String?, into output: inout WriterOutput) {
    endLine(into: &output)
    GeoJSONText.endCollection(note: note, into: &output)
  }

  private mutating func append(_ location: Location, into output: inout WriterOutput) {
    let comma = times.isEmpty ? "" : ","
    output.append(comma + GeoJSONText.position(location))
    times.append("\(comma)\"\(Timestamp.format(location.timestamp))\"")
  }

  private mutating func endLine(into output: inout WriterOutput) {
    if let first {
      beginFeature(into: &output)
      GeoJSONText.append(
        TrackPoint(first), [LocationField.timestamp], segment: segment, into: &output)
    } else if !times.isEmpty {
      output.append("]},\"properties\":{\"segment\":\(segment),\"times\":[")
      output.append(times.take())
      output.append("]}}")
    }
    (first, last) = (nil, nil)
  }

  private mutating func beginFeature(into output: inout WriterOutput) {
    output.append(hasFeatures ? ",\n" : "\n")
    hasFeatures = true
  }
}
