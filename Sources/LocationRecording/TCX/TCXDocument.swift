import AsyncLocation
import JSONScanning

/// Reads Garmin's Training Center XML, version 2: activities are tracks, courses are routes, and
/// their points of interest are waypoints.
/// https://www8.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd
struct TCXDocument: XMLDocument {
  private(set) var error: RecordingError?
  private var path: [String] = []
  /// The depth of the open point, and its line.
  private var point: (depth: Int, line: Int)?
  private var fix = RecordedFix(latitude: .nan, longitude: .nan)
  private var text = WaypointText()
  private var isCourse = false
  /// Whether the lap has a track. The first track of a lap continues the segment of the previous
  /// lap. A further track in the lap follows a pause, and begins a segment.
  private var hasTrack = false
  /// Whether the next point of a track begins a segment.
  private var beginsSegment = false
  /// Whether the element that ends next has no child elements.
  private var isLeaf = false

  mutating func handleAttribute(_ token: XMLToken, _ tokens: XMLTokens) {}

  mutating func begin(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let name = tokens.localName(of: token)
    path.append(name)
    isLeaf = true
    switch name {
    case "Activity", "Course":
      (isCourse, beginsSegment, hasTrack) = (name == "Course", true, false)
    case "Lap": hasTrack = false
    case "Track":
      if hasTrack { beginsSegment = true }
      hasTrack = true
    case "Trackpoint", "CoursePoint":
      guard point == nil else { return }
      point = (path.count, token.line)
      fix = RecordedFix(latitude: .nan, longitude: .nan)
      text = WaypointText()
    default: break
    }
  }

  mutating func end(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    defer {
      path.removeLast()
      isLeaf = false
    }
    guard let point else {
      if path.suffix(2) == ["Course", "Name"], token.kind == .end {
        output.setName(tokens.withText(of: token) { String(copying: $0) }, of: .route)
      }
      return
    }
    if path.count == point.depth {
      self.point = nil
      return close(
        isWaypoint: path[path.count - 1] == "CoursePoint", line: point.line, into: &output)
    }
    guard isLeaf else { return }
    guard token.kind == .end else {
      let name = tokens.localName(of: token)
      return output.skip(line: point.line, "the text of <\(name)> is too long")
    }
    handleMember(token, tokens, line: point.line, into: &output)
  }

  private mutating func close(
    isWaypoint: Bool, line: Int, into output: inout RecordingOutput
  ) {
    guard fix.hasPosition else {
      return output.skip(line: line, "the point has no position, as without a fix or indoors")
    }
    guard !isWaypoint else { return output.append(text, fix, line: line) }
    output.append(
      RecordedPoint(
        fix: fix, kind: isCourse ? .route : .track, beginsSegment: beginsSegment, line: line))
    beginsSegment = false
  }

  private mutating func handleMember(
    _ token: XMLToken, _ tokens: XMLTokens, line: Int, into output: inout RecordingOutput
  ) {
    let name = path[path.count - 1]
    func number() -> Double? { tokens.withText(of: token, DecimalNumber.parse) }
    func text() -> String { tokens.withText(of: token) { String(copying: $0) } }
    switch name {
    case "Time":
      if let date = tokens.withText(of: token, CalendarTime.parse) {
        fix.time = .date(date)
      } else {
        output.skip(line: line, "the time is not in ISO 8601")
      }
    case "LatitudeDegrees": fix.latitude = number() ?? .nan
    case "LongitudeDegrees": fix.longitude = number() ?? .nan
    case "AltitudeMeters": handle(.altitude, text(), line: line, into: &output)
    case "Value" where path[path.count - 2] == "HeartRateBpm":
      handle(.heartRate, text(), line: line, into: &output)
    // `Cadence` is that of the pedals, `RunCadence` in an extension that of the feet.
    case "Cadence", "RunCadence": handle(.cadence, text(), line: line, into: &output)
    case "Watts": handle(.power, text(), line: line, into: &output)
    case "Speed": handle(.speed, text(), line: line, into: &output)
    case "Name": self.text.name = text()
    case "PointType": self.text.type = text()
    case "Notes": self.text.comment = text()
    // Ignored: the distance, which follows from the positions, and the connection of the sensor.
    case "DistanceMeters", "SensorState": break
    default: output.omitExtension(name)
    }
  }

  private mutating func handle(
    _ column: RecordedColumn, _ text: String, line: Int, into output: inout RecordingOutput
  ) {
    guard !fix.set(RecordedField(column), text) else { return }
    output.skip(line: line, "the \(column) is not understood")
  }
}

extension RecordedFix {
  /// Whether the coordinates are valid.
  var hasPosition: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }
}
