public import AsyncLocation
public import FoundationEssentials
import JSONScanning

/// A region that a device monitors: `_type` `waypoint`.
public struct WaypointMessage: Sendable, Hashable {
  /// The name of the region.
  public var name: String
  /// When the region was created; OwnTracks' apps identify the region by this time.
  public var time: Date
  /// The centre of the region. Nil for a beacon, and for a command that removes the region.
  public var coordinate: Coordinate?
  /// The radius in metres; written as an integer, rounded up.
  public var radius: Double?
  /// The identifier of the region.
  public var regionID: String?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates a region.
  public init(
    _ name: String, time: Date, coordinate: Coordinate? = nil, radius: Double? = nil,
    regionID: String? = nil
  ) {
    (self.name, self.time, self.coordinate) = (name, time, coordinate)
    (self.radius, self.regionID) = (radius, regionID)
  }
}

extension WaypointMessage {
  init(_ members: MessageMembers) throws(OwnTracksError) {
    guard let name = members.text("desc") else { throw .invalid("desc", "a text") }
    self.init(
      name, time: try members.requiredTime(), coordinate: members.coordinate(),
      radius: members.number("rad", in: .nonNegative), regionID: members.text("rid"))
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "waypoint")
    writer.add("desc", name)
    writer.add(coordinate)
    writer.add("rad", radius, rounded: .up)
    writer.add(time: time)
    writer.add("rid", regionID)
    writer.add(others: otherMembers)
    return writer.json
  }
}

/// The regions that a device monitors: `_type` `waypoints`.
public struct WaypointsMessage: Sendable, Hashable {
  /// The maximum number of elements that are decoded; further ones are skipped.
  public static var maximumCount: Int { 1_000 }

  /// The regions. Decoding skips objects that are not valid waypoints. If an element is not an
  /// object, the list is empty.
  public var waypoints: [WaypointMessage]
  /// The program that wrote the list.
  public var creator: String?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates a list.
  public init(_ waypoints: [WaypointMessage], creator: String? = nil) {
    (self.waypoints, self.creator) = (waypoints, creator)
  }
}

extension WaypointsMessage {
  init(_ members: MessageMembers) {
    self.init(members.waypoints(), creator: members.text("_creator"))
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "waypoints")
    writer.add("_creator", creator)
    writer.add("waypoints", objects: waypoints.map(\.json))
    writer.add(others: otherMembers)
    return writer.json
  }
}

extension MessageMembers {
  /// The waypoints among the first elements of the list; empty if one of these elements is not an
  /// object. Objects that are not valid waypoints are skipped.
  func waypoints() -> [WaypointMessage] {
    var waypoints: [WaypointMessage] = []
    for element in elements("waypoints", limit: WaypointsMessage.maximumCount) {
      guard let members = MessageMembers(element) else { return [] }
      if let waypoint = try? WaypointMessage(members) { waypoints.append(waypoint) }
    }
    return waypoints
  }

  /// The waypoints of a command. Apps send them as a nested message of the type `waypoints`, in a
  /// member formerly called `payload`, or only as the list.
  func nestedWaypoints() -> [WaypointMessage] {
    for name in ["waypoints", "payload"] {
      if let message = object(name) { return message.waypoints() }
    }
    return waypoints()
  }
}
