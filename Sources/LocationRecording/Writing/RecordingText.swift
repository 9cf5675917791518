import AsyncLocation

/// Produces the text of a recording in pieces. Pure.
///
/// A copy can produce the same text again if storing it failed.
struct RecordingText {
  let format: RecordingWriter.Format
  private var writer: any FormatWriter
  private var output = WriterOutput()
  private var last: Location?
  private var hasPoints: Bool
  private var hasBegunTrack: Bool
  /// The number of waypoints that were left out: the format holds none, or none after the first
  /// point.
  private(set) var omittedWaypointCount = 0
  /// The number of points with readings that the format does not hold.
  private(set) var omittedSensorCount = 0
  /// The number of points with other values that the format does not hold.
  private(set) var omittedValueCount = 0

  var replacedCharacterCount: Int { output.replacedCharacterCount }

  /// Begins the text of a new recording.
  init(_ format: RecordingWriter.Format, name: String? = nil) {
    self.format = format
    (writer, hasPoints, hasBegunTrack) = (format.makeWriter(), false, false)
    writer.begin(name: name, into: &output)
  }

  /// Continues the text of a recording that has no end yet.
  ///
  /// - Parameter segment: The number of its last segment; 0 if it has no points.
  init(_ format: RecordingWriter.Format, afterSegment segment: Int) {
    self.format = format
    (writer, hasPoints, hasBegunTrack) = (format.makeWriter(), segment > 0, true)
    writer.resume(afterSegment: segment)
  }

  /// Returns the text before the first point. Without this call, the text of the first point
  /// includes it.
  mutating func begin() -> [UInt8] {
    beginTrack()
    return output.takeBytes()
  }

  /// Returns the text of a waypoint.
  mutating func write(_ waypoint: Waypoint) -> [UInt8] {
    switch format.waypointPlace {
    case .anywhere: writer.write(waypoint, into: &output)
    case .beforeTrack where !hasBegunTrack: writer.write(waypoint, into: &output)
    case .beforeTrack, .none: omittedWaypointCount += 1
    }
    return output.takeBytes()
  }

  /// Returns the text of the next point.
  mutating func write(_ point: TrackPoint) -> [UInt8] {
    beginTrack()
    if point.beginning(after: last) != nil {
      writer.beginSegment(isFirst: !hasPoints, into: &output)
    }
    if point.sensors != nil, !format.holdsSensors { omittedSensorCount += 1 }
    if !format.holdsValues, point.location.hasMoreThanPosition { omittedValueCount += 1 }
    writer.write(point, into: &output)
    (last, hasPoints) = (point.location, true)
    return output.takeBytes()
  }

  /// Returns the text that would complete the recording here. Further points replace it.
  ///
  /// - Parameter note: The reason that the recording ended early. Formats without a place for it
  ///   leave it out.
  func end(note: String? = nil) -> [UInt8] {
    var text = self
    text.beginTrack()
    text.writer.finish(note: note, into: &text.output)
    return text.output.takeBytes()
  }

  private mutating func beginTrack() {
    guard !hasBegunTrack else { return }
    hasBegunTrack = true
    writer.beginTrack(into: &output)
  }
}

extension Location {
  /// Whether the location has more than a position, an altitude and a time.
  fileprivate var hasMoreThanPosition: Bool {
    [horizontalAccuracy, verticalAccuracy, speed, speedAccuracy, course, courseAccuracy, climb]
      .contains { $0 != nil }
      || ellipsoidalAltitude != nil || floor != nil || gnss != nil
      || sourceInformation?.device != nil
  }
}
