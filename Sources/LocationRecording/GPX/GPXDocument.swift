import AsyncLocation
import JSONScanning

/// Reads GPX 1.0 and 1.1: tracks, routes, waypoints, and the extensions of `GPXExtensions`.
///
/// A point of a track where the receiver had no fix is skipped. Points of routes and waypoints need
/// no fix.
struct GPXDocument: XMLDocument {
  /// The error of the document as a whole.
  private(set) var error: RecordingError?
  private var path: [String] = []
  /// The coordinates in the attributes of the element that begins next.
  private var position: (latitude: Double?, longitude: Double?)
  /// The kind of the open point, its line and its depth.
  private var point: (kind: RecordedPointKind, line: Int, depth: Int)?
  /// The values of the open point.
  private var fix = RecordedFix(latitude: 0, longitude: 0)
  /// The texts of the open point, if it is a waypoint.
  private var text = WaypointText()
  /// Whether the next point of a route or a track begins a segment.
  private var beginsSegment = false
  /// Whether the element that ends next has no child elements.
  private var isLeaf = false

  mutating func handleAttribute(_ token: XMLToken, _ tokens: XMLTokens) {
    switch tokens.localName(of: token) {
    case "lat": position.latitude = tokens.withText(of: token, DecimalNumber.parse)
    case "lon": position.longitude = tokens.withText(of: token, DecimalNumber.parse)
    default: break
    }
  }

  mutating func begin(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    let name = tokens.localName(of: token)
    if path.isEmpty, name != "gpx" {
      error = RecordingError(
        .unknownFormat, line: token.line, column: token.column,
        "the document is <\(String(printable: name, limit: 40))>, not GPX, KML or TCX, the only XML "
          + "that is read")
      return
    }
    path.append(name)
    isLeaf = true
    switch name {
    case "wpt": open(.waypoint, line: token.line, into: &output)
    case "rtept": open(.route, line: token.line, into: &output)
    case "trkpt": open(.track, line: token.line, into: &output)
    case "rte", "trkseg": beginsSegment = true
    default: break
    }
    position = (nil, nil)
  }

  private mutating func open(
    _ kind: RecordedPointKind, line: Int, into output: inout RecordingOutput
  ) {
    guard point == nil else { return }
    guard let latitude = position.latitude, let longitude = position.longitude else {
      return output.skip(line: line, "the point has no lat and lon that are decimal numbers")
    }
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      return output.skip(line: line, "the point's lat or lon is out of range")
    }
    point = (kind, line, path.count)
    fix = RecordedFix(latitude: latitude, longitude: longitude)
    text = WaypointText()
  }

  mutating func end(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    handleEnd(token, tokens, into: &output)
    path.removeLast()
    isLeaf = false
  }

  private mutating func handleEnd(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    guard let point else { return handleOutsidePoint(token, tokens, into: &output) }
    if path.count == point.depth {
      self.point = nil
      close(point.kind, line: point.line, into: &output)
    } else if path.count == point.depth + 1 {
      handleMember(token, tokens, line: point.line, into: &output)
    } else if isLeaf, path[point.depth] == "extensions" {
      handleExtension(token, tokens, line: point.line, into: &output)
    }
  }

  private mutating func close(
    _ kind: RecordedPointKind, line: Int, into output: inout RecordingOutput
  ) {
    guard kind != .waypoint else { return output.append(text, fix, line: line) }
    guard kind == .route || !fix.hasNoFix else {
      return output.skip(line: line, "the receiver had no fix")
    }
    output.append(
      RecordedPoint(fix: fix, kind: kind, beginsSegment: beginsSegment, line: line))
    beginsSegment = false
  }

  /// The text elements of tracks, routes and their points. They are counted, except the name of a
  /// track or a route, which is read.
  private static let texts: Set<String> = [
    "name", "cmt", "desc", "src", "type", "sym", "keywords",
  ]

  /// Counts a text that a track cannot store.
  private func omitText(
    _ name: String, _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    guard Self.texts.contains(name), tokens.withText(of: token, { !$0.isEmpty }) else { return }
    output.omitExtension(name)
  }

  /// Handles the end of an element outside of points: sets a name, and counts other texts.
  private func handleOutsidePoint(
    _ token: XMLToken, _ tokens: XMLTokens, into output: inout RecordingOutput
  ) {
    guard path.count > 1 else { return }
    let name = path[path.count - 1]
    guard name == "name" else {
      let isOfTrack = ["trk", "rte", "metadata"].contains(path[path.count - 2])
      if isOfTrack { omitText(name, token, tokens, into: &output) }
      return
    }
    let kind: RecordedPointKind?
    switch path[path.count - 2] {
    case "trk": kind = .track
    case "rte": kind = .route
    // In GPX 1.0, the name of the document is in <gpx>.
    case "gpx", "metadata": kind = nil
    default: return
    }
    guard token.kind == .end else {
      return output.skip(line: token.line, "the text of <name> is too long")
    }
    output.setName(tokens.withText(of: token) { String(copying: $0) }, of: kind)
  }

  /// Handles a child element of the open point.
  private mutating func handleMember(
    _ token: XMLToken, _ tokens: XMLTokens, line: Int, into output: inout RecordingOutput
  ) {
    let name = tokens.localName(of: token)
    guard token.kind == .end else {
      return output.skip(line: line, "the text of <\(name)> is too long")
    }
    if ["link", "url"].contains(name) { return output.omitExtension(name) }
    guard name == "time" else {
      if !tokens.withText(of: token, { fix.set(name, $0) }) {
        output.skip(line: line, "the <\(name)> is not understood")
      }
      if point?.kind == .waypoint {
        text.set(name, token, tokens)
      } else {
        omitText(name, token, tokens, into: &output)
      }
      return
    }
    if let date = tokens.withText(of: token, CalendarTime.parse) {
      fix.time = .date(date)
    } else if tokens.withText(of: token, { !$0.isEmpty }) {
      output.skip(line: line, "the time is not in ISO 8601")
    }
  }

  /// Handles an element in the extensions of the open point. The point's own speed and course have
  /// precedence.
  private mutating func handleExtension(
    _ token: XMLToken, _ tokens: XMLTokens, line: Int, into output: inout RecordingOutput
  ) {
    let name = tokens.name(of: token)
    guard token.kind == .end else {
      return output.skip(line: line, "the text of <\(name.local)> is too long")
    }
    // A waypoint stores no readings.
    guard point?.kind != .waypoint, let column = GPXExtensions.column(of: name) else {
      if !GPXExtensions.hasNoValue(name) { output.omitExtension(name.local) }
      return
    }
    if column == .speed && fix.speed != nil || column == .course && fix.course != nil { return }
    let text = tokens.withText(of: token) { String(copying: $0) }
    guard !fix.set(RecordedField(column), text) else { return }
    output.skip(line: line, "the <\(name.local)> is not understood")
  }
}

extension WaypointText {
  /// Sets the member that an element of a waypoint describes.
  fileprivate mutating func set(_ name: String, _ token: XMLToken, _ tokens: XMLTokens) {
    func text() -> String? {
      let text = tokens.withText(of: token) { String(copying: $0) }
      return text.isEmpty ? nil : text
    }
    switch name {
    case "name": self.name = text()
    case "cmt": comment = text()
    case "desc": details = text()
    case "sym": symbol = text()
    case "type": type = text()
    default: break
    }
  }
}

extension RecordedFix {
  /// Sets the member that an element of a point describes.
  ///
  /// - Returns: False if the text is not valid.
  fileprivate mutating func set(_ name: String, _ text: Span<UInt8>) -> Bool {
    switch name {
    case "ele": return Self.read(text, into: &altitude)
    case "speed": return Self.read(text, into: &speed)
    case "course": return Self.read(text, into: &course)
    case "magvar":
      let isUnderstood = Self.read(text, into: &magneticVariation)
      magneticVariation = magneticVariation.map {
        $0 > 180 ? ComputedNumber.rounded($0 - 360) : $0
      }
      return isUnderstood
    case "geoidheight": return Self.read(text, into: &geoidSeparation)
    case "sat": return Self.read(text, into: &satellitesUsed)
    case "hdop": return Self.read(text, into: &horizontalDilution)
    case "vdop": return Self.read(text, into: &verticalDilution)
    case "pdop": return Self.read(text, into: &positionDilution)
    case "ageofdgpsdata": return Self.read(text, into: &differentialAge)
    case "dgpsid": return Self.read(text, into: &differentialStation)
    case "fix": setFix(String(copying: text).lowercased())
    default: break
    }
    return true
  }
}
