import AsyncLocation
import LocationRecording

/// Converts points and waypoints to the text of a format. Pure; buffers the text until
/// `takeText()`.
struct Conversion: ~Copyable {
  /// The final result of a conversion.
  struct Result: Sendable {
    let pointCount: Int
    let segmentCount: Int
    /// The number of characters that the format could not represent.
    let replacedCharacterCount: Int
    /// The number of waypoints that were not written.
    let omittedWaypointCount: Int
    /// The number of points whose readings of sensors were not written.
    let omittedSensorCount: Int
    /// The number of points with other values that were not written.
    let omittedValueCount: Int
    /// All waypoints; nil if there are more than ``waypointLimit``.
    let waypoints: [Waypoint]?

    /// The number of waypoints with a name; the number of omitted waypoints if the names are not
    /// known.
    var namedWaypointCount: Int {
      waypoints?.count { $0.name != nil } ?? omittedWaypointCount
    }
  }

  /// The maximum number of stored waypoints. They are stored until the first point, when the
  /// track's name is known, and for a second conversion.
  static let waypointLimit = 65_536

  private let format: RecordingWriter.Format
  private var pointCount = 0
  private var segmentCount = 0
  private var waypoints: [Waypoint]
  /// The number of ``waypoints`` that were written.
  private var writtenCount = 0
  /// Whether there were more waypoints than ``waypointLimit``, so that none are stored any more.
  private var exceedsWaypointLimit = false
  /// Whether all waypoints were passed to the initializer.
  private let hasAllWaypoints: Bool
  private var writer: RecordingWriter?
  private var simplification: StreamedSimplification?
  private var bytes: [UInt8] = []

  /// - Parameters:
  ///   - tolerance: The tolerance of the simplification in metres; nil for no simplification.
  ///   - waypoints: All waypoints if they are known, so that all are written before the points.
  init(format: RecordingWriter.Format, tolerance: Double?, waypoints: [Waypoint]?) {
    self.format = format
    simplification = tolerance.map { StreamedSimplification(tolerance: $0) }
    (self.waypoints, hasAllWaypoints) = (waypoints ?? [], waypoints != nil)
  }

  /// The number of buffered bytes.
  var byteCount: Int { bytes.count }

  /// Adds points and waypoints. The name known at the first point becomes the name of the track.
  mutating func append(_ part: RecordingScan.Part) throws(LocationError) {
    if !hasAllWaypoints { waypoints += part.waypoints }
    let kept = try simplification?.add(part.points) ?? part.points
    // Waypoints before the first point wait for the name of the track.
    let isBeginning = writer == nil && part.points.isEmpty && waypoints.count <= Self.waypointLimit
    if !isBeginning { write(kept, name: part.name) }
  }

  /// Completes the text and returns the result.
  mutating func finish(name: String?) throws(LocationError) -> Result {
    let kept = try simplification?.finish() ?? []
    write(kept, name: name)
    let writer = self.writer.take() ?? RecordingWriter(format: format, name: name)
    let result = Result(
      pointCount: pointCount, segmentCount: segmentCount,
      replacedCharacterCount: writer.replacedCharacterCount,
      omittedWaypointCount: writer.omittedWaypointCount,
      omittedSensorCount: writer.omittedSensorCount,
      omittedValueCount: writer.omittedValueCount,
      waypoints: exceedsWaypointLimit ? nil : waypoints)
    bytes += writer.finish()
    return result
  }

  /// Returns the text since the last call.
  mutating func takeText() -> String {
    defer { bytes.removeAll(keepingCapacity: true) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func write(_ points: [TrackPoint], name: String?) {
    if writer == nil { writer = RecordingWriter(format: format, name: name) }
    for waypoint in waypoints[writtenCount...] { bytes += writer?.write(waypoint) ?? [] }
    exceedsWaypointLimit = exceedsWaypointLimit || waypoints.count > Self.waypointLimit
    if exceedsWaypointLimit { waypoints = [] }
    writtenCount = waypoints.count
    pointCount += points.count
    for point in points {
      if point.beginning != nil { segmentCount += 1 }
      bytes += writer?.write(point) ?? []
    }
  }
}
