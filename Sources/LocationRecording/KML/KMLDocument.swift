import AsyncLocation
import FoundationEssentials

/// KML 2.2: lines and Google's `gx:Track` are tracks, points are waypoints.
/// https://developers.google.com/kml/documentation/kmlreference
///
/// Areas are no tracks. An altitude counts unless it is 0 and the element does not say that it is above
/// the sea: programs write 0 for one that they do not know.
struct KMLDocument: XMLDocument {
  /// The times of a track that may wait for their positions.
  private static let maximumTimes = 10_000_000

  private(set) var error: RecordingError?
  private var path: [String] = []
  /// What the placemark says of itself.
  private var text = WaypointText()
  private var placemarkTime = RecordedTime.unknown
  /// The geometry that is open: its name, and where it begins.
  private var geometry: (name: String, line: Int)?
  private var isAboveSea = false
  /// The times of a `gx:Track`, those that were used before ``nextTime``.
  private var times: [RecordedTime] = []
  private var nextTime = 0
  private var positions = KMLPositions()
  private var beginsSegment = false
  private var isLeaf = false
  /// The attribute `name` of the element that begins next.
  private var attribute = ""

  var heldBytes: Int { times.count * MemoryLayout<RecordedTime>.stride }

  mutating func takeAttribute(_ token: XMLToken, _ tokens: XMLTokens) {
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
    case "Placemark": (text, placemarkTime) = (WaypointText(), .unknown)
    case "Point", "LineString", "Track", "Polygon", "LinearRing":
      guard geometry == nil else { break }
      geometry = (name, token.line)
      (isAboveSea, positions, beginsSegment) = (false, KMLPositions(), true)
      (times, nextTime) = ([], 0)
      if !isTrackOrPoint { output.skip(line: token.line, "an area is no track") }
    case "SimpleArrayData": output.omitExtension(attribute)
    default: break
    }
    attribute = ""
  }

  mutating func takePiece(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    tokens.withText(of: token) { takePositions($0, isLast: false, into: &output) }
  }

  mutating func end(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let name = path[path.count - 1]
    defer {
      path.removeLast()
      isLeaf = false
      if geometry?.name == name { geometry = nil }
    }
    guard isLeaf else { return }
    guard token.kind == .end else {
      return output.skip(line: token.line, "the text of <\(name)> is too long")
    }
    switch name {
    case "coordinates":
      tokens.withText(of: token) { takePositions($0, isLast: true, into: &output) }
    case "coord": tokens.withText(of: token) { takeTimedPosition($0, into: &output) }
    case "altitudeMode":
      isAboveSea = tokens.withText(of: token) { String(copying: $0) } == "absolute"
    case "when": takeTime(token, tokens, into: &output)
    case "name", "description": takeText(name, token, tokens, into: &output)
    default: break
    }
  }

  private mutating func takeText(
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

  private mutating func takeTime(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let date = tokens.withText(of: token, CalendarTime.parse)
    if date == nil { output.skip(line: token.line, "the time is not in ISO 8601") }
    let time = date.map { RecordedTime.date($0) } ?? .unknown
    guard geometry?.name == "Track" else {
      placemarkTime = time
      return
    }
    guard times.count - nextTime < Self.maximumTimes else {
      error = RecordingError(
        .tooLarge, line: token.line, "a track has more than \(Self.maximumTimes) times before them")
      return
    }
    // Times may alternate with positions, too.
    if nextTime == times.count { (times, nextTime) = ([], 0) }
    times.append(time)
  }

  /// A position of a `gx:Track`, of which the next time is.
  private mutating func takeTimedPosition(
    _ text: Span<UInt8>, into output: inout RecordingOutput
  ) {
    guard let geometry, geometry.name == "Track" else { return }
    var time = RecordedTime.unknown
    if nextTime < times.count {
      time = times[nextTime]
      nextTime += 1
    }
    // Empty: there was no fix.
    guard !text.trimmedRange.isEmpty else { return }
    let position = KMLPositions.position(text, separator: UInt8(ascii: " "))
    take(position, at: time, line: geometry.line, into: &output)
  }

  private var isTrackOrPoint: Bool { geometry?.name != "Polygon" && geometry?.name != "LinearRing" }

  private mutating func takePositions(
    _ text: Span<UInt8>, isLast: Bool, into output: inout RecordingOutput
  ) {
    guard let geometry, geometry.name != "Track", isTrackOrPoint else { return }
    for position in positions.read(text, isLast: isLast) {
      take(position, at: .unknown, line: geometry.line, into: &output)
    }
  }

  private mutating func take(
    _ position: KMLPositions.Position?, at time: RecordedTime, line: Int,
    into output: inout RecordingOutput
  ) {
    guard let position else {
      return output.skip(line: line, "a position is not a longitude and a latitude in degrees")
    }
    var fix = RecordedFix(latitude: position.latitude, longitude: position.longitude)
    fix.altitude = position.altitude.flatMap { $0 == 0 && !isAboveSea ? nil : $0 }
    fix.time = time
    if geometry?.name == "Point" {
      fix.time = placemarkTime
      return output.append(text, fix, line: line)
    }
    if beginsSegment, let name = text.name { output.setName(name, of: .track) }
    output.append(
      RecordedPoint(fix: fix, kind: .track, beginsSegment: beginsSegment, line: line))
    beginsSegment = false
  }
}
