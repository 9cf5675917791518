public import AsyncLocation
public import FoundationEssentials

/// A named place in a recording, besides its track.
///
/// Waypoints are, for example, those of GPX, points of KML, and points of GeoJSON with a name and
/// without a time. Texts are untrusted: escape them before printing.
public struct Waypoint: Sendable, Hashable {
  /// The coordinate of the place.
  public let coordinate: Coordinate
  /// The name of the place.
  public let name: String?
  /// A note for the traveller, GPX's `cmt`.
  public let comment: String?
  /// A description for others, GPX's `desc`.
  public let details: String?
  /// The name of a symbol for maps, GPX's `sym`, such as `Flag, Blue`.
  public let symbol: String?
  /// The kind of place, GPX's `type`: any text.
  public let type: String?
  /// The time when the place was marked; nil if unknown.
  public let timestamp: Date?
  /// Metres above mean sea level.
  public let altitude: Double?

  /// Creates a waypoint.
  ///
  /// - Throws: `LocationError` with code `invalidValue` for an altitude that a `Location` cannot
  ///   have.
  public init(
    _ coordinate: Coordinate, name: String? = nil, comment: String? = nil, details: String? = nil,
    symbol: String? = nil, type: String? = nil, timestamp: Date? = nil, altitude: Double? = nil
  ) throws(LocationError) {
    if let altitude, !ClosedRange.altitude.contains(altitude) {
      throw LocationError(
        .invalidValue, "altitude must be in \(ClosedRange.altitude) metres; got \(altitude).")
    }
    (self.coordinate, self.name, self.comment) = (coordinate, name, comment)
    (self.details, self.symbol, self.type) = (details, symbol, type)
    (self.timestamp, self.altitude) = (timestamp.map(Timestamp.nearest), altitude)
  }
}

extension Waypoint {
  /// Creates a waypoint at the position of a fix. An altitude out of range is left out.
  init(_ fix: RecordedFix, _ text: WaypointText) throws(LocationError) {
    var timestamp: Date?
    if case .date(let date) = fix.time { timestamp = date }
    try self.init(
      Coordinate(latitude: fix.latitude, longitude: fix.longitude), name: text.name,
      comment: text.comment, details: text.details, symbol: text.symbol, type: text.type,
      timestamp: timestamp, altitude: fix.altitude.within(.altitude))
  }
}

/// The texts of a recording about a point.
struct WaypointText: Hashable, Sendable {
  var name: String?
  var comment: String?
  var details: String?
  var symbol: String?
  var type: String?
}

extension Waypoint: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("name", name), DescribedMember("coordinate", coordinate),
      DescribedMember("altitude", altitude, "m"), DescribedMember("timestamp", timestamp),
      DescribedMember("comment", comment), DescribedMember("details", details),
      DescribedMember("symbol", symbol), DescribedMember("type", type),
    ]
  }
}
