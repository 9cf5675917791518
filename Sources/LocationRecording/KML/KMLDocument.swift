import AsyncLocation
import FoundationEssentials
import JSONScanning

/// Reads KML 2.2: lines and Google's `gx:Track` are tracks, points are waypoints.
/// https://developers.google.com/kml/documentation/kmlreference
///
/// Lines after a `gx:Track` are left out, and so are lines without times after a line with times:
/// programs write one track in both forms, and routes as lines. Points with times that have the
/// same positions as the line after them are not waypoints, but provide the times of the line; see
/// ``KMLTimedPoints``.
///
/// Areas are not tracks. An altitude of 0 is used only if the element states that it is above the
/// sea: programs write 0 for an unknown altitude.
struct KMLDocument: XMLDocument {
  /// The maximum number of times of a track that wait for their positions.
  private static let maximumTimes = 10_000_000

  private(set) var error: RecordingError?
  private var path: [String] = []
  /// The texts of the placemark.
  private var text = WaypointText()
  /// Whether the name of the placemark was set as that of the track.
  private var isNamed = false
  private var placemarkTime = RecordedTime.unknown
  /// The segment number of the placemark, as ``KMLWriter`` writes it, and that of the previous
  /// track.
  private var segment: Int?
  private var lastSegment: Int?
  /// The name of the current `Data` element.
  private var dataName = ""
  /// The open geometry: its name and the line where it begins.
  private var geometry: (name: String, line: Int)?
  /// The reference of heights; see ``altitude(_:)``.
  private var altitudeMode = ""
  /// The times of a `gx:Track`. Those before ``nextTime`` already have a position.
  private var times: [RecordedTime] = []
  private var nextTime = 0
  /// Whether a `gx:Track` had a position.
  private var hasTimedTrack = false
  /// Whether a line had a position with a time.
  private var hasTimedLine = false
  private var timedPoints = KMLTimedPoints()
  private var positions = KMLPositions()
  /// Whether the next point of a track begins a segment.
  private var beginsSegment = false
  /// Whether the element that ends next has no child elements.
  private var isLeaf = false
  /// The attribute `name` of the element that begins next.
  private var attribute = ""

  var heldBytes: Int {
    times.count * MemoryLayout<RecordedTime>.stride + timedPoints.heldBytes
  }

  mutating func handleAttribute(_ token: XMLToken, _ tokens: XMLTokens) {
    guard tokens.localName(of: token) == "name" else { return }
    attribute = tokens.withText(of: token) { String(copying: $0) }
  }

  mutating func begin(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let name = tokens.localName(of: token)
    path.append(name)
    isLeaf = true
    switch name {
    case "Placemark":
      (text, placemarkTime, segment, isNamed) = (WaypointText(), .unknown, nil, false)
    case "Data": dataName = attribute
    case "Point", "LineString", "Track", "Polygon", "LinearRing":
      guard geometry == nil else { break }
      geometry = (name, token.line)
      (altitudeMode, positions, beginsSegment) = ("", KMLPositions(), true)
      (times, nextTime) = ([], 0)
      timedPoints.beginLine()
      if !isTrackOrPoint { output.skip(line: token.line, "an area is no track") }
    case "SimpleArrayData": output.omitExtension(attribute)
    default: break
    }
    attribute = ""
  }

  mutating func handlePiece(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    tokens.withText(of: token) { handlePositions($0, isLast: false, into: &output) }
  }

  mutating func end(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let name = path[path.count - 1]
    defer {
      if geometry?.name == name {
        if name == "Track", nextTime < times.count {
          output.skip(line: token.line, "the track has more times than positions")
        }
        endLine(into: &output)
        geometry = nil
      }
      path.removeLast()
      isLeaf = false
    }
    guard isLeaf, token.kind == .end else {
      return handleDamaged(name, line: token.line, isTooLong: isLeaf, into: &output)
    }
    switch name {
    case "coordinates":
      tokens.withText(of: token) { handlePositions($0, isLast: true, into: &output) }
    case "coord": tokens.withText(of: token) { handleTimedPosition($0, into: &output) }
    case "altitudeMode": altitudeMode = tokens.withText(of: token) { String(copying: $0).trimmed }
    case "when": handleTime(token, tokens, into: &output)
    case "value" where path.suffix(4).elementsEqual(["Placemark", "ExtendedData", "Data", "value"]):
      handleData(tokens.withText(of: token) { String(copying: $0) })
    case "name", "description": handleText(name, token, tokens, into: &output)
    // `Link`, or `Url` in old files.
    case "href" where path.dropLast(2).last == "NetworkLink":
      output.link(to: tokens.withText(of: token) { String(copying: $0).trimmed })
    default: break
    }
  }

  /// Handles a known element that has child elements or a text that is too long. In a track, it
  /// still counts as a time or a position, so that later positions match their own times.
  private mutating func handleDamaged(
    _ name: String, line: Int, isTooLong: Bool, into output: inout RecordingOutput
  ) {
    switch name {
    case "coord" where geometry?.name == "Track":
      _ = takeNextTime()
      output.skip(line: line, "a position is not a longitude and a latitude in degrees")
    case "when" where geometry?.name == "Track":
      append(.unknown, line: line)
      output.skip(line: line, "the time is not in ISO 8601")
    case "coordinates": output.skip(line: line, "the positions have elements")
    default: if isTooLong { output.skip(line: line, "the text of <\(name)> is too long") }
    }
  }

  private mutating func handleText(
    _ name: String, _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let value = tokens.withText(of: token) { String(copying: $0) }
    guard path.dropLast().last == "Placemark" else {
      if name == "name", ["Document", "kml"].contains(path.dropLast().last) {
        output.setName(value)
      }
      return
    }
    if name == "name" { text.name = value } else { text.details = value }
  }

  /// Handles a value of the extended data. Other names belong to other programs.
  private mutating func handleData(_ value: String) {
    switch dataName {
    case WaypointProperty.comment: text.comment = value
    case WaypointProperty.symbol: text.symbol = value
    case WaypointProperty.type: text.type = value
    case RecordedColumn.segmentName: segment = Int(value)
    default: break
    }
  }

  private mutating func handleTime(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let date = tokens.withText(of: token, CalendarTime.parse)
    if date == nil { output.skip(line: token.line, "the time is not in ISO 8601") }
    let time = date.map { RecordedTime.date($0) } ?? .unknown
    if geometry?.name == "Track" {
      append(time, line: token.line)
    } else if path.suffix(3) == ["Placemark", "TimeStamp", "when"] {
      // Other times belong to views.
      placemarkTime = time
    }
  }

  private mutating func append(_ time: RecordedTime, line: Int) {
    guard times.count - nextTime < Self.maximumTimes else {
      error = RecordingError(
        .tooLarge, line: line,
        "a track has more than \(Self.maximumTimes) times before its positions")
      return
    }
    // Times may also alternate with positions. At least half of the times are removed at once, so
    // that the amortized cost is constant.
    if nextTime >= 1_024, nextTime * 2 >= times.count {
      times.removeFirst(nextTime)
      nextTime = 0
    }
    times.append(time)
  }

  private mutating func takeNextTime() -> RecordedTime {
    guard nextTime < times.count else { return .unknown }
    defer { nextTime += 1 }
    return times[nextTime]
  }

  /// Handles a position of a `gx:Track`, which has the next time.
  private mutating func handleTimedPosition(
    _ text: Span<UInt8>, into output: inout RecordingOutput
  ) {
    guard let geometry, geometry.name == "Track" else { return }
    let time = takeNextTime()
    // An empty position means that there was no fix.
    guard !text.trimmedRange.isEmpty else { return }
    let position = KMLPositions.position(text, separator: UInt8(ascii: " "))
    handle(position, at: time, line: geometry.line, into: &output)
  }

  private var isTrackOrPoint: Bool { geometry?.name != "Polygon" && geometry?.name != "LinearRing" }

  private mutating func handlePositions(
    _ text: Span<UInt8>, isLast: Bool, into output: inout RecordingOutput
  ) {
    guard let geometry, geometry.name != "Track", isTrackOrPoint else { return }
    for position in positions.read(text, isLast: isLast) {
      handle(position, at: .unknown, line: geometry.line, into: &output)
    }
  }

  /// The altitude of a height; nil for a height above the ground or the sea floor, and for 0 if
  /// the element does not state that it is above the sea.
  private func altitude(_ height: Double) -> Double? {
    if altitudeMode == "absolute" { return height }
    return altitudeMode.hasPrefix("relativeTo") || height == 0 ? nil : height
  }

  private mutating func handle(
    _ position: KMLPositions.Position?, at time: RecordedTime, line: Int,
    into output: inout RecordingOutput
  ) {
    guard let position else {
      return output.skip(line: line, "a position is not a longitude and a latitude in degrees")
    }
    if position.hasWrongAltitude { output.skip(line: line, "an altitude is not a number") }
    var fix = RecordedFix(latitude: position.latitude, longitude: position.longitude)
    fix.altitude = position.altitude.flatMap(altitude)
    fix.time = time
    switch geometry?.name {
    case "Point":
      fix.time = placemarkTime
      handlePoint(fix, line: line, into: &output)
    case "Track":
      hasTimedTrack = true
      appendTrackPoint(fix, line: line, into: &output)
    default:
      if timedPoints.match(fix) { return }
      // The points are not those of the line: they are waypoints, and the line has no times.
      for point in timedPoints.takeMatches() {
        output.append(point.text, point.fix, line: point.line)
        var fix = point.fix
        fix.time = .unknown
        handleLinePosition(fix, line: line, into: &output)
      }
      handleLinePosition(fix, line: line, into: &output)
    }
  }

  private mutating func handlePoint(
    _ fix: RecordedFix, line: Int, into output: inout RecordingOutput
  ) {
    guard case .date = fix.time else {
      releasePoints(into: &output)
      return output.append(text, fix, line: line)
    }
    if timedPoints.isFull { releasePoints(into: &output) }
    timedPoints.append(KMLTimedPoints.Point(text: text, fix: fix, line: line))
  }

  /// Outputs the points that belong to no line as waypoints.
  private mutating func releasePoints(into output: inout RecordingOutput) {
    for point in timedPoints.release() { output.append(point.text, point.fix, line: point.line) }
  }

  /// Outputs the positions of a line that match points, with the times of the points.
  private mutating func endLine(into output: inout RecordingOutput) {
    guard let geometry, geometry.name == "LineString" else { return }
    for point in timedPoints.takeMatches() {
      handleLinePosition(point.fix, line: geometry.line, into: &output)
    }
  }

  private mutating func handleLinePosition(
    _ fix: RecordedFix, line: Int, into output: inout RecordingOutput
  ) {
    if case .date = fix.time { hasTimedLine = true }
    guard hasTimedTrack || hasTimedLine && fix.time == .unknown else {
      return appendTrackPoint(fix, line: line, into: &output)
    }
    output.omitLinePoint()
  }

  private mutating func appendTrackPoint(
    _ fix: RecordedFix, line: Int, into output: inout RecordingOutput
  ) {
    if beginsSegment {
      if let name = text.name, !isNamed { output.setName(name, of: .track) }
      isNamed = true
      // Several tracks may form one segment. A line always begins a segment.
      let number = geometry?.name == "Track" ? segment : nil
      if let number, number == lastSegment { beginsSegment = false }
      lastSegment = number
    }
    output.append(
      RecordedPoint(fix: fix, kind: .track, beginsSegment: beginsSegment, line: line))
    beginsSegment = false
  }

  mutating func finish(into output: inout RecordingOutput) {
    // The content may end within a line whose positions so far match the points.
    endLine(into: &output)
    releasePoints(into: &output)
  }
}
