import AsyncLocation

/// Writes a recording piece by piece, so that a long one needs little memory: the counterpart of
/// ``RecordingReader``.
///
/// ```swift
/// var writer = RecordingWriter(format: .gpx, name: "Drive")
/// for waypoint in track.waypoints { store(writer.write(waypoint)) }
/// for point in track.points { store(writer.write(point)) }
/// store(writer.finish())
/// ```
///
/// The bytes of all calls, in their order, are the recording. The memory in use does not grow with
/// the recording: it is that of a point, and for ``Format/geoJSONTrack`` and ``Format/kml`` that of
/// the text of at most 65,536 times or positions.
///
/// Numbers are written with the fewest digits that read back as the same number, and times with
/// their fraction. <doc:WritingRecordings> states what each format cannot hold.
public struct RecordingWriter: ~Copyable {
  /// The format that is written.
  public var format: Format { text.format }
  /// The number of characters that the format cannot represent, and that U+FFFD replaces: control
  /// characters in names, in XML and CSV.
  public var replacedCharacterCount: Int { text.replacedCharacterCount }

  /// The number of waypoints that were not written, since the format holds none, or, for
  /// ``Format/gpx``, since they came after the first point.
  public var omittedWaypointCount: Int { text.omittedWaypointCount }

  /// The number of points whose ``TrackPoint/sensors`` were not written, since the format holds none.
  public var omittedSensorCount: Int { text.omittedSensorCount }

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
  public struct Format: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    private enum Kind: String, CaseIterable {
      case gpx = "GPX 1.1"
      case kml = "KML 2.2"
      case geoJSON = "GeoJSON"
      case geoJSONTrack = "GeoJSON lines"
      case geoJSONSequence = "GeoJSON text sequence"
      case geoJSONLines = "newline-delimited GeoJSON"
      case csv = "CSV"
      case gpsd = "gpsd JSON"
      case locationJSON = "location JSON"
    }
    private let kind: Kind
    private init(_ kind: Kind) { self.kind = kind }

    /// GPX 1.1, valid by its schema, with a namespace of this package for what GPX has no element
    /// for.
    public static var gpx: Self { Self(.gpx) }
    /// KML 2.2 with a `gx:Track` for each segment: times and positions, for a globe.
    public static var kml: Self { Self(.kml) }
    /// A GeoJSON feature collection of points.
    public static var geoJSON: Self { Self(.geoJSON) }
    /// A GeoJSON feature collection of a line for each segment, with the property `times`.
    public static var geoJSONTrack: Self { Self(.geoJSONTrack) }
    /// A GeoJSON text sequence of points (RFC 8142).
    public static var geoJSONSequence: Self { Self(.geoJSONSequence) }
    /// A GeoJSON point on each line.
    public static var geoJSONLines: Self { Self(.geoJSONLines) }
    /// A table with a header (RFC 4180), with line feeds.
    public static var csv: Self { Self(.csv) }
    /// gpsd's TPV reports, one on each line, as gpsd 3.22 writes them.
    public static var gpsd: Self { Self(.gpsd) }
    /// `Location` values in JSON, one on each line: everything but the segments.
    public static var locationJSON: Self { Self(.locationJSON) }

    /// All formats.
    public static var allCases: [Self] { Kind.allCases.map(Self.init) }

    /// The format's usual name.
    public var description: String { kind.rawValue }

    /// A short name for options of tools; see ``init(name:)``.
    public var name: String {
      switch kind {
      case .gpx: "gpx"
      case .kml: "kml"
      case .geoJSON: "geojson"
      case .geoJSONTrack: "geojson-lines"
      case .geoJSONSequence: "geojsonseq"
      case .geoJSONLines: "geojsonl"
      case .csv: "csv"
      case .gpsd: "gpsd"
      case .locationJSON: "locations"
      }
    }

    /// Whether a recording in this format can have waypoints.
    public var holdsWaypoints: Bool { waypointPlace != .none }

    /// Whether a recording in this format can have readings of sensors.
    public var holdsSensors: Bool {
      switch kind {
      case .gpx, .geoJSON, .geoJSONSequence, .geoJSONLines, .csv: true
      case .kml, .geoJSONTrack, .gpsd, .locationJSON: false
      }
    }

    /// Where a format has waypoints.
    enum WaypointPlace: Hashable { case none, beforeTrack, anywhere }

    var waypointPlace: WaypointPlace {
      switch kind {
      case .gpx: .beforeTrack
      case .kml, .geoJSON, .geoJSONTrack, .geoJSONSequence, .geoJSONLines: .anywhere
      case .csv, .gpsd, .locationJSON: .none
      }
    }

    func writer() -> any FormatWriter {
      switch kind {
      case .gpx: GPXWriter()
      case .kml: KMLWriter()
      case .geoJSON: GeoJSONPointWriter(.collection)
      case .geoJSONTrack: GeoJSONLineWriter()
      case .geoJSONSequence: GeoJSONPointWriter(.sequence)
      case .geoJSONLines: GeoJSONPointWriter(.lines)
      case .csv: CSVWriter()
      case .gpsd: GPSDWriter()
      case .locationJSON: LocationJSONWriter()
      }
    }
  }
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
