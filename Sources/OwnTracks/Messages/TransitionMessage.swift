public import AsyncLocation
public import FoundationEssentials

/// A device entered or left a region: `_type` `transition`.
public struct TransitionMessage: Sendable, Hashable {
  /// The event at a region's boundary.
  public enum Event: String, Sendable, Hashable, CaseIterable {
    /// The device is now inside.
    case enter
    /// The device is now outside.
    case leave
  }

  /// Whether the region was entered or left.
  public var event: Event
  /// When the region was entered or left.
  public var time: Date
  /// The position of the device at the event.
  public var coordinate: Coordinate?
  /// The accuracy of ``coordinate`` in metres; written as an integer, rounded up.
  public var horizontalAccuracy: Double?
  /// When the region was created, to the second; the ``WaypointMessage/time`` of its waypoint.
  public var waypointTime: Date?
  /// The name of the region.
  public var name: String?
  /// The identifier of the region.
  public var regionID: String?
  /// A short name of the device.
  public var trackerID: String?
  /// The trigger that detected the event.
  public var trigger: LocationMessage.Trigger?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates a message; set the other members if they are known.
  public init(_ event: Event, time: Date, coordinate: Coordinate? = nil, name: String? = nil) {
    (self.event, self.time, self.coordinate, self.name) = (event, time, coordinate, name)
  }
}

extension TransitionMessage {
  init(_ members: MessageMembers) throws(OwnTracksError) {
    guard let event = members.text("event").flatMap(Event.init(rawValue:)) else {
      throw .invalid("event", "enter or leave")
    }
    self.init(
      event, time: try members.requiredTime(), coordinate: members.coordinate(),
      name: members.text("desc"))
    horizontalAccuracy = members.number("acc", in: .nonNegative)
    waypointTime = members.time("wtst")
    regionID = members.text("rid")
    trackerID = members.text("tid")
    trigger = members.text("t").map(LocationMessage.Trigger.init(rawValue:))
    otherMembers = members.others()
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "transition")
    writer.add("event", event.rawValue)
    writer.add("wtst", waypointTime)
    writer.add(coordinate)
    writer.add(time: time)
    writer.add("acc", horizontalAccuracy, rounded: .up)
    writer.add("tid", trackerID)
    writer.add("desc", name)
    writer.add("t", trigger?.rawValue)
    writer.add("rid", regionID)
    writer.add(others: otherMembers)
    return writer.json
  }
}
