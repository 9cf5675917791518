import AsyncLocation

/// Writes a recording in pieces, with bounded memory: the counterpart of ``RecordingReader``.
///
/// ```swift
/// var writer = RecordingWriter(format: .gpx, name: "Drive")
/// for waypoint in track.waypoints { store(writer.write(waypoint)) }
/// for point in track.points { store(writer.write(point)) }
/// store(writer.finish())
/// ```
///
/// The concatenated bytes of all calls are the recording. The memory in use does not grow with
/// the recording: it holds a point, and for ``Format/geoJSONTrack`` and ``Format/kml`` the text of
/// at most 65,536 times or positions.
///
/// Numbers are written with the fewest digits that read back as the same number, and times with
/// their fraction. <doc:WritingRecordings> lists the content that each format cannot hold.
public struct RecordingWriter: ~Copyable {
  /// The format that is written.
  public var format: Format { text.format }
  /// The number of characters that U+FFFD replaces, since the format cannot represent them: control
  /// characters in XML and CSV, and format characters in CSV.
  public var replacedCharacterCount: Int { text.replacedCharacterCount }

  /// The number of waypoints that were not written, since the format holds none, or, for
  /// ``Format/gpx``, since they came after the first point.
  public var omittedWaypointCount: Int { text.omittedWaypointCount }

  /// The number of points whose ``TrackPoint/sensors`` were not written, since the format holds
  /// none.
  public var omittedSensorCount: Int { text.omittedSensorCount }

  /// The number of points with values that were not written, since the format holds positions,
  /// altitudes and times only; see ``Format/holdsValues``.
  public var omittedValueCount: Int { text.omittedValueCount }

  private var text: RecordingText

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - format: The format of all bytes that the writer returns.
  ///   - name: The name of the track, for the formats that have one: GPX, KML, and GeoJSON as a
  ///     collection.
  public init(format: Format, name: String? = nil) {
    text = RecordingText(format, name: name)
  }

  /// Returns the bytes of the next point, which begins a segment as in ``Track/append(_:)``.
  public mutating func write(_ point: TrackPoint) -> [UInt8] { text.write(point) }

  /// Returns the bytes of a waypoint. GPX has waypoints before the track: write them first.
  public mutating func write(_ waypoint: Waypoint) -> [UInt8] { text.write(waypoint) }

  /// Returns the bytes at the end of the recording.
  public consuming func finish() -> [UInt8] { text.end() }
}

extension RecordingWriter {
  /// A format that can be written.
  public struct Format: Sendable, CustomStringConvertible {
    /// The place of waypoints in a format.
    enum WaypointPlace: Hashable { case none, beforeTrack, anywhere }

    /// The content that a format can hold besides positions, altitudes and times.
    struct Content: OptionSet, Sendable {
      let rawValue: Int
      static let values = Self(rawValue: 1)
      static let sensors = Self(rawValue: 2)
      static let segments = Self(rawValue: 4)
      static let name = Self(rawValue: 8)
      static let all: Self = [.values, .sensors, .segments, .name]
    }

    /// A short name for options of tools; see ``init(name:)``.
    public let name: String
    /// The format's usual name.
    public let description: String
    /// The usual file extensions, in lower case.
    let extensions: [String]
    let waypointPlace: WaypointPlace
    private let content: Content
    let makeWriter: @Sendable () -> any FormatWriter

    private init(
      _ name: String, _ description: String, _ extensions: [String] = [],
      waypoints: WaypointPlace = .none, holding content: Content,
      _ makeWriter: @escaping @Sendable () -> any FormatWriter
    ) {
      (self.name, self.description, self.extensions) = (name, description, extensions)
      (waypointPlace, self.content, self.makeWriter) = (waypoints, content, makeWriter)
    }

    /// GPX 1.1, valid according to its schema, with a namespace of this package for values without
    /// a GPX element.
    public static let gpx = Self(
      "gpx", "GPX 1.1", ["gpx"], waypoints: .beforeTrack, holding: .all
    ) { GPXWriter() }

    /// KML 2.2 with a `gx:Track` for each segment: times and positions, for display on a globe.
    public static let kml = Self(
      "kml", "KML 2.2", ["kml"], waypoints: .anywhere, holding: [.segments, .name]
    ) { KMLWriter() }

    /// A GeoJSON feature collection of points.
    public static let geoJSON = Self(
      "geojson", "GeoJSON", ["geojson", "json"], waypoints: .anywhere, holding: .all
    ) { GeoJSONPointWriter(.collection) }

    /// A GeoJSON feature collection of a line for each segment, with the property `times`.
    public static let geoJSONTrack = Self(
      "geojson-lines", "GeoJSON lines", waypoints: .anywhere, holding: [.segments, .name]
    ) { GeoJSONLineWriter() }

    /// A GeoJSON text sequence of points (RFC 8142).
    public static let geoJSONSequence = Self(
      "geojsonseq", "GeoJSON text sequence", ["geojsons", "geojsonseq"], waypoints: .anywhere,
      holding: [.values, .sensors, .segments]
    ) { GeoJSONPointWriter(.sequence) }

    /// A GeoJSON point on each line.
    public static let geoJSONLines = Self(
      "geojsonl", "newline-delimited GeoJSON", ["geojsonl", "ndjson"], waypoints: .anywhere,
      holding: [.values, .sensors, .segments]
    ) { GeoJSONPointWriter(.lines) }

    /// A table with a header (RFC 4180), with line feeds.
    public static let csv = Self("csv", "CSV", ["csv"], holding: [.values, .sensors, .segments]) {
      CSVWriter()
    }

    /// gpsd's TPV reports, one on each line, as gpsd 3.22 writes them.
    public static let gpsd = Self("gpsd", "gpsd JSON", ["jsonl"], holding: [.values, .segments]) {
      GPSDWriter()
    }

    /// `Location` values in JSON, one on each line: all values, but no segments.
    public static let locationJSON = Self("locations", "location JSON", holding: [.values]) {
      LocationJSONWriter()
    }

    /// Whether a recording in this format can have waypoints.
    public var holdsWaypoints: Bool { waypointPlace != .none }
    /// Whether a recording in this format can have readings of sensors.
    public var holdsSensors: Bool { content.contains(.sensors) }
    /// Whether a recording in this format can have more of a location than its position, its
    /// altitude and its time, such as the speed. <doc:WritingRecordings> has a list for each
    /// format.
    public var holdsValues: Bool { content.contains(.values) }
    /// Whether a recording in this format can have several segments.
    public var holdsSegments: Bool { content.contains(.segments) }
    /// Whether a recording in this format can have the name of its track.
    public var holdsName: Bool { content.contains(.name) }
  }
}

extension RecordingWriter.Format: CaseIterable {
  /// All formats. `init(name:)` recognizes only these.
  public static let allCases: [Self] = [
    .gpx, .kml, .geoJSON, .geoJSONTrack, .geoJSONSequence, .geoJSONLines, .csv, .gpsd,
    .locationJSON,
  ]
}

extension RecordingWriter.Format: Hashable {
  // Names are unique.
  public static func == (first: Self, second: Self) -> Bool { first.name == second.name }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Track {
  /// Returns the track in a format, as a whole. For files that grow or are long, use a
  /// ``RecordingWriter``.
  public func encoded(as format: RecordingWriter.Format) -> [UInt8] {
    var writer = RecordingWriter(format: format, name: name)
    var bytes: [UInt8] = []
    for waypoint in waypoints { bytes += writer.write(waypoint) }
    for point in points { bytes += writer.write(point) }
    return bytes + writer.finish()
  }
}
