package import AsyncLocation

/// The content that a reader understood and left out, since it is not a part of the track.
///
/// Unlike ``SkippedContent``, nothing is wrong with it.
public struct OmittedContent: Hashable, Sendable {
  /// The number of points of routes besides a track.
  public internal(set) var routePointCount = 0
  /// The number of positions of KML lines without times that follow a `gx:Track` or a line with
  /// times.
  public internal(set) var linePointCount = 0

  /// The number of positions that describe the track in another way: in Google's location history,
  /// raw signals besides paths, the ends of activities with a path, and positions that Google
  /// inferred between measurements.
  public internal(set) var alternativePointCount = 0

  /// The number of records without a position: in FIT, as in an activity indoors, and in NMEA 0183,
  /// when the receiver had no fix.
  public internal(set) var unlocatedCount = 0

  /// The number of values that neither a location, ``SensorReadings`` nor a ``Waypoint`` can store,
  /// such as extension elements with an unknown meaning, links, texts of GPX tracks and their
  /// points, and developer fields of FIT.
  public internal(set) var extensionCount = 0
  /// The names of the first such values, without their prefixes, at most ten. They are untrusted:
  /// escape them before printing.
  public internal(set) var extensionNames: [String] = []

  /// The number of names that are not ``Recording/name``: of other tracks, of routes, of the
  /// recording.
  public internal(set) var nameCount = 0
  /// The first such names, at most ten. They are untrusted: escape them before printing.
  public internal(set) var names: [String] = []

  /// The number of table columns from which no value is read.
  public internal(set) var columnCount = 0
  /// The names of the first such columns, at most ten. They are untrusted: escape them before
  /// printing.
  public internal(set) var columnNames: [String] = []

  /// The number of OwnTracks messages that are not locations.
  public internal(set) var messageCount = 0
  /// The first kinds of such messages, such as `encrypted`, at most ten. They are untrusted: escape
  /// them before printing.
  public internal(set) var messageKinds: [String] = []

  /// Whether nothing was left out.
  public var isEmpty: Bool { self == Self() }

  init() {}

  mutating func addExtension(_ name: String) {
    extensionCount += 1
    Self.append(name, to: &extensionNames)
  }

  mutating func addName(_ name: String) {
    nameCount += 1
    Self.append(name, to: &names)
  }

  mutating func addColumn(_ name: String) {
    // Concatenated tables have the same columns.
    guard !columnNames.contains(name) else { return }
    columnCount += 1
    Self.append(name, to: &columnNames)
  }

  mutating func addMessage(_ kind: String) {
    messageCount += 1
    Self.append(kind, to: &messageKinds)
  }

  private static func append(_ name: String, to names: inout [String]) {
    guard names.count < 10, !names.contains(name) else { return }
    names.append(name)
  }
}

extension OmittedContent: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("routePointCount", routePointCount),
      DescribedMember("linePointCount", linePointCount),
      DescribedMember("unlocatedCount", unlocatedCount),
      DescribedMember("alternativePointCount", alternativePointCount),
      DescribedMember("extensionCount", extensionCount),
      DescribedMember("extensionNames", extensionNames),
      DescribedMember("nameCount", nameCount),
      DescribedMember("names", names),
      DescribedMember("columnCount", columnCount),
      DescribedMember("columnNames", columnNames),
      DescribedMember("messageCount", messageCount),
      DescribedMember("messageKinds", messageKinds),
    ]
  }
}
