/// The format of a recording, recognized by its content.
public struct RecordingFormat: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: String {
    case gpx = "GPX"
    case nmea = "NMEA 0183"
    case gpsd = "gpsd JSON"
    case geoJSON = "GeoJSON"
    case csv = "CSV"
    case locationJSON = "location JSON"
    case kml = "KML"
    case tcx = "TCX"
    case igc = "IGC"
    case fit = "FIT"
    case ownTracks = "OwnTracks"
    case googleLocationHistory = "Google location history"
  }
  private let kind: Kind
  private init(_ kind: Kind) { self.kind = kind }

  /// GPX 1.0 or 1.1: waypoints, routes and tracks.
  public static var gpx: Self { Self(.gpx) }
  /// The sentences of a receiver.
  public static var nmea: Self { Self(.nmea) }
  /// gpsd's reports, one on each line, as `gpspipe -w` writes them.
  public static var gpsd: Self { Self(.gpsd) }
  /// GeoJSON: one document, a document on each line, or a sequence after RFC 8142.
  public static var geoJSON: Self { Self(.geoJSON) }
  /// A table with a header.
  public static var csv: Self { Self(.csv) }
  /// `Location` values in JSON, one on each line.
  public static var locationJSON: Self { Self(.locationJSON) }
  /// KML 2.2: lines and `gx:Track`, and points as waypoints.
  public static var kml: Self { Self(.kml) }
  /// Garmin's Training Center XML: activities, and courses as routes.
  public static var tcx: Self { Self(.tcx) }
  /// Garmin's FIT: activities, and courses as routes.
  public static var fit: Self { Self(.fit) }
  /// The file of a flight recorder after FAI's specification.
  public static var igc: Self { Self(.igc) }
  /// OwnTracks' messages, one on each line, as its recorder's `.rec` has them.
  public static var ownTracks: Self { Self(.ownTracks) }
  /// Google's location history: `Records.json` and `Semantic Location History` of Takeout, and the
  /// timeline that phones export.
  public static var googleLocationHistory: Self { Self(.googleLocationHistory) }

  /// Whether it is a vocabulary of XML.
  var isXML: Bool { [.gpx, .kml, .tcx].contains(self) }

  /// The format's usual name.
  public var description: String { kind.rawValue }
}
