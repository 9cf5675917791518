import AsyncLocation
import FoundationEssentials

/// Reads GPX 1.0 and 1.1: the points of waypoints, routes and tracks, in the order of the document,
/// and the extensions that this package writes.
///
/// Keeps one point and expat's buffer in memory.
struct GPXReader: FormatReader {
  private let tokenizer: XMLTokenizer
  private var document = GPXDocument()

  /// - Parameter isUTF8: True if the content is UTF-8 whatever it declares.
  init(isUTF8: Bool) { tokenizer = XMLTokenizer(isUTF8: isUTF8) }

  mutating func read(
    _ bytes: [UInt8], into output: inout RecordingOutput
  ) throws(RecordingError) {
    try read(bytes, isFinal: false, into: &output)
  }

  mutating func finish(into output: inout RecordingOutput) throws(RecordingError) {
    try read([], isFinal: true, into: &output)
  }

  private mutating func read(
    _ bytes: [UInt8], isFinal: Bool, into output: inout RecordingOutput
  ) throws(RecordingError) {
    do throws(RecordingError) {
      try tokenizer.read(bytes, isFinal: isFinal) { document.take($0, into: &output) }
    } catch {
      // The document's own error lies before that of the XML.
      throw document.error ?? error
    }
    if let error = document.error { throw error }
  }
}

/// Makes the points of a GPX document from its tokens. Pure.
struct GPXDocument {
  /// What is wrong with the document as a whole.
  private(set) var error: RecordingError?
  private var path: [String] = []
  /// The point that is open, and its depth.
  private var point: (fix: RecordedFix, line: Int, depth: Int)?
  private static let points: Set<String> = ["wpt", "rtept", "trkpt"]
  private static let segments: Set<String> = ["rte", "trkseg"]
  /// The elements whose name is that of the track. GPX 1.0 has no metadata.
  private static let named: Set<String> = ["gpx", "metadata", "trk", "rte"]
  /// The namespace of the elements that this package writes in `extensions`.
  static let extensionNamespace = "urn:x-async-location:gpx:1"

  mutating func take(_ token: XMLToken, into output: inout RecordingOutput) {
    guard error == nil else { return }
    switch token {
    case .start(let name, let attributes, let line, let column):
      if path.isEmpty, name.local != "gpx" {
        error = RecordingError(
          .unknownFormat, line: line, column: column,
          "the document is <\(String(printable: name.local, limit: 40))>, not <gpx>; convert it")
        return
      }
      path.append(name.local)
      if point == nil, Self.points.contains(name.local) {
        open(attributes, line: line, into: &output)
      } else if Self.segments.contains(name.local) {
        output.beginSegment()
      }
    case .end(let name, let text, let line):
      if let point {
        if path.count == point.depth {
          self.point = nil
          output.append(point.fix, line: point.line)
        } else {
          take(name, text, into: &output)
        }
      } else if name.local == "name", Self.named.contains(path.dropLast().last ?? "") {
        if let text {
          output.setName(text)
        } else {
          output.skip(line: line, "the text of <name> is too long")
        }
      }
      path.removeLast()
    }
  }

  private mutating func open(
    _ attributes: [XMLAttribute], line: Int, into output: inout RecordingOutput
  ) {
    func degrees(_ name: String) -> Double? {
      attributes.first { $0.name == name }.flatMap { DecimalNumber.parse($0.value) }
    }
    guard let latitude = degrees("lat"), let longitude = degrees("lon") else {
      return output.skip(line: line, "the point has no lat and lon that are decimal numbers")
    }
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
      return output.skip(line: line, "the point's lat or lon is out of range")
    }
    point = (RecordedFix(latitude: latitude, longitude: longitude), line, path.count)
  }

  /// Takes an element of the open point.
  private mutating func take(
    _ name: XMLName, _ text: String?, into output: inout RecordingOutput
  ) {
    guard let (open, line, depth) = point else { return }
    var fix = open
    let isChild = path.count == depth + 1
    guard isChild || path[depth] == "extensions" else { return }
    guard let text else {
      return output.skip(line: line, "the text of <\(name.local)> is too long")
    }
    if isChild, name.local == "time" {
      if let date = CalendarTime.parse(text) {
        fix.time = .date(date)
      } else if !text.isEmpty {
        output.skip(line: line, "the time is not in ISO 8601")
      }
    } else if name.namespace == Self.extensionNamespace, !isChild {
      if let column = RecordedColumn(named: name.local) { fix.set(column, text) }
    } else {
      fix.set(name.local, text, isExtension: !isChild)
    }
    point = (fix, line, depth)
  }
}

extension RecordedFix {
  /// Sets the member that an element of a point describes.
  ///
  /// - Parameter isExtension: Only speed and course are read from extensions, by their name in any
  ///   namespace; the point's own have precedence.
  fileprivate mutating func set(_ name: String, _ text: String, isExtension: Bool) {
    let number = DecimalNumber.parse(text)
    switch name {
    case "speed": speed = isExtension ? speed ?? number : number
    case "course": course = isExtension ? course ?? number : number
    case _ where isExtension: break
    case "ele": altitude = number
    case "magvar": magneticVariation = number.map { $0 > 180 ? $0 - 360 : $0 }
    case "geoidheight": geoidSeparation = number
    case "sat": satellitesUsed = number.flatMap { Int(exactly: $0) }
    case "hdop": horizontalDilution = number
    case "vdop": verticalDilution = number
    case "pdop": positionDilution = number
    case "ageofdgpsdata": differentialAge = number
    case "dgpsid": differentialStation = number.flatMap { Int(exactly: $0) }
    case "fix": setFix(text.lowercased())
    default: break
    }
  }
}
