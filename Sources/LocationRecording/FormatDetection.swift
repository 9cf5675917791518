import AsyncLocation

/// Recognizes the format of a recording by its first bytes. Pure.
enum FormatDetection {
  /// The maximum number of bytes that are looked at. Lines are looked at when there are so many,
  /// since reports may follow sentences.
  static let limit = 1 << 14

  /// The format; nil if there are too few bytes, or if it is none that is known.
  ///
  /// - Parameter isComplete: Whether the bytes are the whole content.
  static func format(of bytes: [UInt8], isComplete: Bool) -> RecordingFormat? {
    if bytes.dropFirst(8).starts(with: ".FIT".utf8), [12, 14].contains(bytes.first) { return .fit }
    guard let first = bytes.first(where: { !$0.isWhiteSpace }) else { return nil }
    switch first {
    case UInt8(ascii: "<") where isHTML(bytes): return nil
    case UInt8(ascii: "<"):
      switch XMLRootElement(bytes[...]) {
      case .name("kml"): return .kml
      case .name("TrainingCenterDatabase"): return .tcx
      case .incomplete where !isComplete && bytes.count < limit: return nil
      // Its reader reports the error of the others.
      case .name, .none, .incomplete: return .gpx
      }
    case 0x1E: return .geoJSON
    case UInt8(ascii: "{"):
      if let format = format(ofJSON: bytes[...]) { return format }
    case UInt8(ascii: "["):
      if let format = format(ofJSON: bytes[...], level: 2, elementFormats) { return format }
    default: break
    }
    guard isComplete || bytes.count >= limit else { return nil }
    return format(ofLines: bytes)
  }

  private static func format(ofLines bytes: [UInt8]) -> RecordingFormat? {
    var hasSentences = false
    var others = 0
    for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 })
    where line.first != UInt8(ascii: "#") {
      if isFlightRecorders(line) { return .igc }
      if isSentence(line) {
        hasSentences = true
      } else if let start = line.firstIndex(of: UInt8(ascii: "{")),
        let format = format(ofJSON: line[start...])
      {
        return format
      } else if others < CSVHeader.searchedLines {
        if CSVHeader(line: line) != nil { return .csv }
        others += 1
      }
    }
    return hasSentences ? .nmea : nil
  }

  /// Whether a line is a sentence, though perhaps a damaged one.
  private static func isSentence(_ line: ArraySlice<UInt8>) -> Bool {
    do throws(NMEASentence.Fault) {
      _ = try NMEASentence(line)
      return true
    } catch {
      return error != .notASentence
    }
  }

  /// Whether a line is the date or a fix of an IGC file.
  private static func isFlightRecorders(_ line: ArraySlice<UInt8>) -> Bool {
    guard [UInt8(ascii: "B"), UInt8(ascii: "H")].contains(line.first) else { return false }
    switch IGCRecord(line, []) {
    case .date, .fix: return true
    default: return false
    }
  }

  /// The format that the first known key of an object identifies.
  ///
  /// - Parameters:
  ///   - level: The number of objects and arrays around the key.
  ///   - formats: The formats by their keys.
  private static func format(
    ofJSON bytes: ArraySlice<UInt8>, level: Int = 1,
    _ formats: [String: RecordingFormat] = FormatDetection.formats
  ) -> RecordingFormat? {
    var structure = JSONStructure()
    var key: [UInt8] = []
    for byte in bytes {
      switch structure.read(byte) {
      case .string: key = []
      case .character where structure.depth == level && key.count < 32: key.append(byte)
      case .other where structure.depth == level && byte == UInt8(ascii: ":"):
        if let format = formats[String(decoding: key, as: UTF8.self)] { return format }
      case .end where structure.depth == 0: return nil
      default: break
      }
    }
    return nil
  }

  private static let formats: [String: RecordingFormat] = [
    "class": .gpsd, "type": .geoJSON, "features": .geoJSON, "geometry": .geoJSON,
    "coordinates": .geoJSON, "latitude": .locationJSON, "longitude": .locationJSON,
    "_type": .ownTracks, "locations": .googleLocationHistory,
    "timelineObjects": .googleLocationHistory, "semanticSegments": .googleLocationHistory,
    "rawSignals": .googleLocationHistory,
  ]

  /// The formats of an array, by the keys of its objects.
  private static let elementFormats: [String: RecordingFormat] = [
    "timelinePath": .googleLocationHistory, "timelineMemory": .googleLocationHistory,
    "visit": .googleLocationHistory, "activity": .googleLocationHistory,
  ]

  private static func isHTML(_ bytes: [UInt8]) -> Bool {
    let start = String(decoding: bytes.drop(while: \.isWhiteSpace).prefix(14), as: UTF8.self)
      .lowercased()
    return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
  }

  /// A file that is known and not read.
  private struct Container: Sendable {
    let mark: [UInt8]
    let offset: Int
    /// Completes "the content is", with the way to read it if there is one.
    let name: String

    init(_ mark: [UInt8], at offset: Int = 0, _ name: String) {
      (self.mark, self.offset, self.name) = (mark, offset, name)
    }

    init(_ mark: String, at offset: Int = 0, _ name: String) {
      self.init(Array(mark.utf8), at: offset, name)
    }
  }

  private static let containers = [
    Container("BZh", "compressed by bzip2; decompress it with bunzip2"),
    Container([0x28, 0xB5, 0x2F, 0xFD], "compressed by Zstandard; decompress it with unzstd"),
    Container([0xFD, 0x37, 0x7A, 0x58, 0x5A], "compressed by xz; decompress it with unxz"),
    Container("SQLite format 3\0", "a SQLite database; export its points"),
    Container([0xB5, 0x62], "UBX of a u-blox receiver; record NMEA 0183 instead"),
    Container("RINEX VERSION / TYPE", at: 60, "RINEX, which has no positions on the way"),
    Container("OziExplorer", "a file of OziExplorer; convert it to GPX with gpsbabel"),
    Container("MsRcf", "a database of Garmin's MapSource; convert it to GPX with gpsbabel"),
    Container([0xFF, 0xD8, 0xFF], "a picture (JPEG)"),
    Container([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a picture (PNG)"),
    Container("%PDF-", "a PDF document"),
    Container("Rar!\u{1A}\u{7}", "a RAR archive; extract its files"),
    Container([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive; extract its files"),
    Container("ustar", at: 257, "a tar archive; extract its files"),
  ]

  /// The error for content that is none of the formats.
  static func failure(_ bytes: [UInt8]) -> RecordingError {
    guard bytes.contains(where: { !$0.isWhiteSpace }) else {
      return RecordingError(.unknownFormat, "the recording is empty")
    }
    let name =
      isHTML(bytes)
      ? "an HTML page instead of a recording"
      : containers.first { bytes.dropFirst($0.offset).starts(with: $0.mark) }?.name
    if let name { return RecordingError(.unknownFormat, line: 1, "the content is \(name)") }
    return RecordingError(
      .unknownFormat, line: 1,
      "the content is not GPX, KML, TCX, FIT, IGC, NMEA 0183, gpsd's JSON, GeoJSON, OwnTracks' messages, "
        + "Google's location history, or CSV with a header that names the latitude and the longitude; convert it to one of them"
    )
  }
}
