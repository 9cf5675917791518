import FoundationEssentials

/// The format of a recording, recognized by its content.
public struct RecordingFormat: Sendable, CustomStringConvertible {
  /// A property that only recordings in the format have.
  enum Mark: Sendable {
    /// The first `count` bytes of binary content, or fewer if the content is shorter.
    case binary(count: Int, @Sendable ([UInt8]) -> Bool)
    /// The first character.
    case character(UInt8)
    /// The name of the root element of XML.
    case rootElement(String)
    /// A key of the first JSON object.
    case key(String)
    /// A key of the objects in the first JSON array.
    case elementKey(String)
    /// A line. The first such line decides.
    case line(@Sendable (ArraySlice<UInt8>) -> Bool)
    /// A line. It applies only if no later line has a mark of another format.
    case weakLine(@Sendable (ArraySlice<UInt8>) -> Bool)
    /// One of the first lines without another mark.
    case header(@Sendable (ArraySlice<UInt8>) -> Bool)
  }

  /// The context in which a reader starts.
  struct ReaderContext {
    /// Whether the content was converted to UTF-8, regardless of the encoding that it declares.
    let isUTF8: Bool
    /// The place of the first byte, after white space that was removed.
    let place: TextPlace
    /// The date of the first event, for a recording without dates.
    let start: Date
  }

  /// The format's usual name.
  public let description: String
  let marks: [Mark]
  let makeReader: @Sendable (ReaderContext) -> any FormatReader

  private init(
    _ name: String, _ marks: [Mark],
    _ makeReader: @escaping @Sendable (ReaderContext) -> any FormatReader
  ) {
    (description, self.marks, self.makeReader) = (name, marks, makeReader)
  }

  /// Creates an XML format.
  private init(
    _ name: String, root: String,
    _ makeDocument: @escaping @Sendable () -> some XMLDocument & SendableMetatype
  ) {
    self.init(name, [.rootElement(root)]) {
      XMLReader(makeDocument(), isUTF8: $0.isUTF8, at: $0.place)
    }
  }

  /// GPX 1.0 or 1.1: waypoints, routes and tracks.
  public static let gpx = Self("GPX", root: "gpx") { GPXDocument() }

  /// KML 2.2: lines and `gx:Track` as tracks, and points as waypoints.
  public static let kml = Self("KML", root: "kml") { KMLDocument() }

  /// Garmin's Training Center XML: activities, and courses as routes.
  public static let tcx = Self("TCX", root: "TrainingCenterDatabase") { TCXDocument() }

  /// Garmin's FIT: activities, and courses as routes.
  public static let fit = Self("FIT", [.binary(count: 12, FITReader.recognizes)]) { _ in FITReader()
  }

  /// The file of a flight recorder, as specified by the FAI.
  public static let igc = Self("IGC", [.line(IGCReader.recognizes)]) { _ in IGCReader() }

  /// The sentences of a receiver.
  public static let nmea = Self("NMEA 0183", [.weakLine(NMEAReader.recognizes)]) {
    NMEAReader(start: $0.start)
  }

  /// gpsd's reports, one on each line, as `gpspipe -w` writes them.
  public static let gpsd = Self("gpsd JSON", [.key("class")]) { _ in GPSDReader() }

  /// GeoJSON: one document, a document on each line, or a sequence as in RFC 8142.
  public static let geoJSON = Self(
    "GeoJSON",
    [.character(0x1E), .key("type"), .key("features"), .key("geometry"), .key("coordinates")]
  ) { _ in GeoJSONReader() }

  /// OwnTracks messages, one on each line, as in the `.rec` files of its recorder.
  public static let ownTracks = Self("OwnTracks", [.key("_type")]) { _ in OwnTracksReader() }

  /// Google's location history: `Records.json` and `Semantic Location History` of Takeout, and the
  /// timeline that phones export.
  public static let googleLocationHistory = Self(
    "Google location history",
    [
      .key("locations"), .key("timelineObjects"), .key("semanticSegments"), .key("rawSignals"),
      .elementKey("timelinePath"), .elementKey("timelineMemory"), .elementKey("visit"),
      .elementKey("activity"),
    ]
  ) { _ in GoogleHistoryReader() }

  /// `Location` values in JSON, one on each line.
  public static let locationJSON = Self(
    "location JSON", [.key("latitude"), .key("longitude")]
  ) { _ in LocationJSONReader() }

  /// A table with a header.
  public static let csv = Self("CSV", [.header { CSVHeader(line: $0) != nil }]) { _ in CSVReader() }

  /// All formats. Only these are recognized.
  static let all: [Self] = [
    .gpx, .kml, .tcx, .fit, .igc, .nmea, .gpsd, .geoJSON, .ownTracks, .googleLocationHistory,
    .locationJSON, .csv,
  ]

  /// The number of leading bytes that determine whether content is binary.
  static let binaryCount =
    all.flatMap(\.marks).map { if case .binary(let count, _) = $0 { count } else { 0 } }.max() ?? 0

  /// Whether the format is XML.
  var isXML: Bool {
    marks.contains { if case .rootElement = $0 { true } else { false } }
  }
}

extension RecordingFormat: Hashable {
  // Names are unique.
  public static func == (first: Self, second: Self) -> Bool {
    first.description == second.description
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}
