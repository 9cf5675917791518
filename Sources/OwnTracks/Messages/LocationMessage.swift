public import AsyncLocation
public import FoundationEssentials

/// A device's report of its location: `_type` `location`.
///
/// OwnTracks transmits a location's position, time, altitude, accuracies, speed and course. Other
/// programs expect integers: the altitude, the speed in km/h and the course are rounded to the
/// nearest integer, and the accuracies are rounded up. Position and time are exact; the nanoseconds
/// within the second are in `tst_ns`, and the reasons of ``/AsyncLocation/Location/integrity`` in
/// `suspect`; other programs ignore both. A zero is written, and an
/// unknown value is omitted: OwnTracks' apps read both as zero, while this package reads an absent
/// member as unknown.
public struct LocationMessage: Sendable, Hashable {
  /// The location of the device. ``/AsyncLocation/Location/sourceInformation`` is nil after
  /// decoding.
  public var location: Location
  /// The charge of the battery in percent, 0...100.
  public var batteryLevel: Int?
  /// Whether the battery is charging.
  public var batteryStatus: BatteryStatus?
  /// A short name of the device, of two characters by default.
  public var trackerID: String?
  /// Why the device reports.
  public var trigger: Trigger?
  /// The pressure of the air in kPa.
  public var pressure: Double?
  /// The device's connection to the Internet.
  public var connectivity: Connectivity?
  /// A name that the user gave to a trip or activity.
  public var tag: String?
  /// The name of a point of interest that the user marks here.
  public var pointOfInterest: String?
  /// The names of the regions that the device is in.
  public var regions: [String] = []
  /// The identifiers of the regions that the device is in.
  public var regionIDs: [String] = []
  /// The name of the wireless network.
  public var ssid: String?
  /// The identifier of the wireless network's access point.
  public var bssid: String?
  /// When the message was created, to the second; later than the location's time if the location
  /// was determined earlier.
  public var createdAt: Date?
  /// How closely the device tracks its location.
  public var mode: MonitoringMode?
  /// An identifier of the message.
  public var identifier: String?
  /// The kinds of motion that the device detects, such as `stationary` or `automotive`.
  public var motionActivities: [String] = []
  /// The topic to which the device publishes over MQTT, in messages over HTTP. Untrusted: the topic
  /// on which a message arrives identifies the device that sent it.
  public var topic: String?
  /// The unrecognized members by name, each as JSON on one line; they are encoded again. Only names
  /// of up to 64 ASCII characters and 64 KiB in total are stored.
  public internal(set) var otherMembers: [String: String] = [:]

  /// Creates a message without information about the device.
  public init(_ location: Location, trackerID: String? = nil, trigger: Trigger? = nil) {
    (self.location, self.trackerID, self.trigger) = (location, trackerID, trigger)
  }
}

extension LocationMessage {
  init(_ location: Location, _ members: MessageMembers) {
    self.init(
      location, trackerID: members.text("tid"),
      trigger: members.text("t").map(Trigger.init(rawValue:)))
    batteryLevel = members.integer("batt", in: 0...100)
    batteryStatus = members.integer("bs", in: 0...3).flatMap(BatteryStatus.init(rawValue:))
    pressure = members.number("p", in: .nonNegative)
    connectivity = members.text("conn").flatMap(Connectivity.init(rawValue:))
    tag = members.text("tag")
    pointOfInterest = members.text("poi")
    regions = members.texts("inregions")
    regionIDs = members.texts("inrids")
    ssid = members.text("SSID")
    bssid = members.text("BSSID")
    createdAt = members.time("created_at")
    mode = members.integer("m", in: -1...2).flatMap(MonitoringMode.init(rawValue:))
    identifier = members.text("_id")
    motionActivities = members.texts("motionactivities")
    topic = members.text("topic")
    otherMembers = members.others(besides: LocationDecoder.memberNames)
  }

  /// The message as JSON on one line.
  var json: [UInt8] {
    var writer = JSONWriter(type: "location")
    writer.add(location.coordinate)
    writer.add(time: location.timestamp)
    writer.add("acc", location.horizontalAccuracy, rounded: .up)
    writer.add("alt", location.altitude, rounded: .toNearestOrAwayFromZero)
    writer.add("vac", location.verticalAccuracy, rounded: .up)
    writer.add("vel", location.speed.map { $0 * 3.6 }, rounded: .toNearestOrAwayFromZero)
    writer.add("cog", course)
    writer.add(LocationDecoder.suspicionMember, evenEmpty: location.integrity?.reasons.ownNames)
    writer.add("batt", batteryLevel)
    writer.add("bs", batteryStatus?.rawValue)
    writer.add("tid", trackerID)
    writer.add("t", trigger?.rawValue)
    writer.add("p", exactly: pressure)
    writer.add("conn", connectivity?.rawValue)
    writer.add("tag", tag)
    writer.add("poi", pointOfInterest)
    writer.add("inregions", regions)
    writer.add("inrids", regionIDs)
    writer.add("SSID", ssid)
    writer.add("BSSID", bssid)
    writer.add("created_at", createdAt)
    writer.add("m", mode?.rawValue)
    writer.add("_id", identifier)
    writer.add("motionactivities", motionActivities)
    writer.add("topic", topic)
    writer.add(others: otherMembers)
    return writer.json
  }

  /// The course in whole degrees, 0..<360.
  private var course: Int? {
    location.course.map { Int($0.rounded(.toNearestOrAwayFromZero)) % 360 }
  }
}
