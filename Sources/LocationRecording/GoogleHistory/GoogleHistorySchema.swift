/// The known members of Google's location histories and their meaning. Pure.
///
/// Google documents none of the variants; the names are from exports. One table describes all
/// variants, so that another variant needs rows, but no reader of its own.
enum GoogleHistorySchema {
  /// The subject of an object, or of a text in its place.
  enum Subject: Hashable, Sendable {
    /// A measured position, complete by itself.
    case measurement
    /// A position of a path. Its time may be relative to that of its element.
    case pathPoint
    /// The place where the movement of an element begins or ends, at the time of the element's
    /// period. It is redundant if there is a path for that time.
    case start, end
    /// The times at which an element begins and ends.
    case period
    case visit
    /// A position that Google inferred, or that only repeats a path.
    case alternative
  }

  /// The meaning of a member of a subject.
  enum Member: Hashable, Sendable {
    /// In ten millionths of degrees.
    case latitude, longitude
    /// Both coordinates in one text.
    case coordinate
    case timestamp, milliseconds
    /// The minutes since the period's beginning.
    case minutes
    case accuracy, altitude, verticalAccuracy, speed, course, device, platform
    case name, address, kind
    case beginning, beginningMilliseconds, ending, endingMilliseconds
  }

  /// A known object or array.
  struct Node: Sendable {
    fileprivate(set) var subject: Subject?
    /// Whether the node is a list of elements, or an element.
    fileprivate(set) var isElement = false
    /// The nodes of members, by their names.
    fileprivate(set) var members: [String: Int] = [:]
  }

  /// The names of the lists of elements in `Records.json`, `Semantic Location History`, and
  /// `Timeline.json`. iOS exports the segments without an object around them.
  private static let lists = [
    "locations", objectsName, segmentsName, "rawSignals",
  ]
  private static let objectsName = "timelineObjects"
  private static let segmentsName = "semanticSegments"

  /// The subjects of the known nodes, by their paths. A node with nil is recognized, but has no
  /// position of its own.
  private static let subjects: [(path: String, subject: Subject?)] = [
    ("locations", .measurement),
    ("timelineObjects.activitySegment", nil),
    ("timelineObjects.activitySegment.duration", .period),
    ("timelineObjects.activitySegment.startLocation", .start),
    ("timelineObjects.activitySegment.endLocation", .end),
    ("timelineObjects.activitySegment.simplifiedRawPath.points", .pathPoint),
    ("timelineObjects.activitySegment.waypointPath.waypoints", .alternative),
    ("timelineObjects.placeVisit", .visit),
    ("timelineObjects.placeVisit.duration", .period),
    ("timelineObjects.placeVisit.location", .visit),
    ("timelineObjects.placeVisit.simplifiedRawPath.points", .pathPoint),
    ("semanticSegments", .period),
    ("semanticSegments.timelinePath", .pathPoint),
    ("semanticSegments.timelineMemory", nil),
    ("semanticSegments.visit", .visit),
    ("semanticSegments.visit.topCandidate", .visit),
    ("semanticSegments.visit.topCandidate.placeLocation", .visit),
    ("semanticSegments.activity", nil),
    ("semanticSegments.activity.start", .start),
    ("semanticSegments.activity.end", .end),
    ("rawSignals.position", .measurement),
    ("rawSignals.activityRecord", nil),
    ("rawSignals.wifiScan", nil),
  ]

  /// The members of subjects, by their names in all variants.
  static let members: [String: Member] = [
    "latitudeE7": .latitude, "latE7": .latitude, "longitudeE7": .longitude, "lngE7": .longitude,
    "point": .coordinate, "latLng": .coordinate, "LatLng": .coordinate,
    "timestamp": .timestamp, "time": .timestamp, "timestampMs": .milliseconds,
    "durationMinutesOffsetFromStartTime": .minutes,
    "accuracy": .accuracy, "accuracyMeters": .accuracy,
    "altitude": .altitude, "altitudeMeters": .altitude, "verticalAccuracy": .verticalAccuracy,
    "velocity": .speed, "speedMetersPerSecond": .speed, "heading": .course,
    "deviceTag": .device, "platformType": .platform,
    "name": .name, "address": .address, "semanticType": .kind,
    "startTime": .beginning, "startTimestamp": .beginning,
    "startTimestampMs": .beginningMilliseconds,
    "endTime": .ending, "endTimestamp": .ending, "endTimestampMs": .endingMilliseconds,
  ]

  /// The known nodes. The first one is the document.
  static let nodes = makeNodes()
  /// The list to which the elements of an outermost array belong.
  static let segments = index(of: segmentsName)
  /// The list whose elements are successive activities and visits.
  static let objects = index(of: objectsName)

  private static func index(of list: String) -> Int { nodes[0].members[list] ?? 0 }

  private static func makeNodes() -> [Node] {
    var nodes = [Node()]
    func index(_ path: String) -> Int {
      path.split(separator: ".").map(String.init).reduce(0) { parent, name in
        if let known = nodes[parent].members[name] { return known }
        nodes.append(Node())
        nodes[parent].members[name] = nodes.count - 1
        return nodes.count - 1
      }
    }
    for list in lists { nodes[index(list)].isElement = true }
    for row in subjects { nodes[index(row.path)].subject = row.subject }
    return nodes
  }
}
