/// The known elements in the extensions of points, by namespace and local name. Pure.
enum GPXExtensions {
  /// The namespace of the elements that this package writes.
  static let ownNamespace = "urn:x-async-location:gpx:1"
  /// Garmin's namespace, version 1, which most programs read.
  static let trackPointNamespace = "http://www.garmin.com/xmlschemas/TrackPointExtension/v1"

  /// The column of an element; nil if it is not known.
  ///
  /// Speed and course are recognized in any namespace, in metres per second and in degrees.
  static func column(of name: XMLName) -> RecordedColumn? {
    if let column = columns[name] { return column }
    switch name.local {
    case "speed": return .speed
    case "course": return .course
    default: return nil
    }
  }

  /// Whether an element is known to have no value for a point: Garmin's container, and the
  /// number of locations that a recorder lost.
  static func hasNoValue(_ name: XMLName) -> Bool {
    name.local == "TrackPointExtension"
      || name == XMLName(namespace: ownNamespace, local: LocationField.lostName)
  }

  private static let columns: [XMLName: RecordedColumn] = {
    var columns: [XMLName: RecordedColumn] = [:]
    func add(_ namespace: String, _ names: [String: RecordedColumn]) {
      for (local, column) in names {
        columns[XMLName(namespace: namespace, local: local)] = column
      }
    }
    let own =
      LocationField.table.map { ($0.name, $0.column) }
      + SensorField.all.map { ($0.name, $0.column) }
    add(ownNamespace, Dictionary(uniqueKeysWithValues: own))
    // https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd
    let trackPoint: [String: RecordedColumn] = [
      "hr": .heartRate, "cad": .cadence, "atemp": .airTemperature, "wtemp": .waterTemperature,
      "depth": .depth, "speed": .speed, "course": .course, "bearing": .heading,
    ]
    add(trackPointNamespace, trackPoint)
    add("http://www.garmin.com/xmlschemas/TrackPointExtension/v2", trackPoint)
    add(
      "http://www.garmin.com/xmlschemas/GpxExtensions/v3",
      ["Temperature": .airTemperature, "Depth": .depth])
    add("http://www.garmin.com/xmlschemas/PowerExtension/v1", ["PowerInWatts": .power])
    add(
      "http://www.cluetrust.com/XML/GPXDATA/1/0",
      ["hr": .heartRate, "cadence": .cadence, "temp": .airTemperature, "power": .power])
    // Without a prefix, as Strava writes it.
    for namespace in [
      "", "http://www.topografix.com/GPX/1/0", "http://www.topografix.com/GPX/1/1",
    ] {
      add(namespace, ["power": .power])
    }
    return columns
  }()
}
