import AsyncLocation
import FoundationEssentials

@testable import OwnTracks

/// A payload as an app publishes it, and the message that it represents.
struct Sample: Sendable {
  let name: String
  let json: String
  let message: OwnTracksMessage

  init(_ name: String, _ json: String, _ message: OwnTracksMessage) {
    (self.name, self.json, self.message) = (name, json, message)
  }

  /// A location whose time is in seconds since 1970.
  static func location(
    _ latitude: Double, _ longitude: Double, _ seconds: Double, altitude: Double? = nil,
    accuracy: Double? = nil, verticalAccuracy: Double? = nil, kilometersPerHour: Double? = nil,
    course: Double? = nil
  ) -> Location {
    LocationDecoderTests.location(latitude, longitude, seconds) {
      ($0.altitude, $0.horizontalAccuracy, $0.verticalAccuracy) = (
        altitude, accuracy, verticalAccuracy
      )
      ($0.speed, $0.course) = (kilometersPerHour.map { $0 / 3.6 }, course)
    }
  }

  static func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
    location(latitude, longitude, 0).coordinate
  }

  static func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

  /// A changed copy of a value.
  static func with<Value>(_ value: Value, _ change: (inout Value) -> Void) -> Value {
    var value = value
    change(&value)
    return value
  }

  /// The shapes of OwnTracks' documentation ("Booklet", JSON), and variants of them.
  static let all = locations + others

  static let locations = [
    Sample(
      "location with members of a later version",
      #"{"_type":"location","lat":1,"lon":2,"tst":3,"acc":-1,"batt":40,"source":"fused","source":1}"#,
      .location(
        with(LocationMessage(location(1, 2, 3))) {
          ($0.batteryLevel, $0.otherMembers) = (40, ["source": "\"fused\""])
        })),
    Sample(
      "location, iOS",
      """
      {"_type":"location","BSSID":"02:00:5e:10:00:01","SSID":"jane's net","acc":13,"alt":154,\
      "batt":87,"bs":1,"conn":"w","created_at":1700000002,"lat":52.376161,"lon":13.037842,"m":1,\
      "t":"u","tid":"j1","tst":1700000000,"vac":3,"vel":0,"cog":0,"p":100.728,\
      "motionactivities":["stationary"],"topic":"owntracks/jane/phone","inregions":["Home"],\
      "inrids":["6da9cf"],"_id":"ab12cd34","poi":"lunch","tag":"holiday"}
      """,
      .location(
        with(
          LocationMessage(
            location(
              52.376161, 13.037842, 1_700_000_000, altitude: 154, accuracy: 13,
              verticalAccuracy: 3, kilometersPerHour: 0, course: 0),
            trackerID: "j1", trigger: .user)
        ) {
          ($0.batteryLevel, $0.batteryStatus, $0.pressure) = (87, .unplugged, 100.728)
          ($0.connectivity, $0.mode) = (.wifi, .significant)
          ($0.ssid, $0.bssid) = ("jane's net", "02:00:5e:10:00:01")
          ($0.tag, $0.pointOfInterest) = ("holiday", "lunch")
          ($0.regions, $0.regionIDs) = (["Home"], ["6da9cf"])
          ($0.createdAt, $0.identifier) = (date(1_700_000_002), "ab12cd34")
          ($0.motionActivities, $0.topic) = (["stationary"], "owntracks/jane/phone")
        })),
    Sample(
      "location, Android",
      """
      {"_type":"location","BSSID":"02:00:5e:10:00:02","SSID":"\\"jané\\"","_id":"9f3c01d2","acc":12,\
      "alt":78,"batt":41,"bs":2,"cog":254,"conn":"m","created_at":1700000102,"inregions":[],\
      "lat":52.5200066,"lon":13.404954,"m":2,"t":"t","tid":"nx","topic":"owntracks/jane/nexus",\
      "tst":1700000100,"vac":2,"vel":54}
      """,
      .location(
        with(
          LocationMessage(
            location(
              52.5200066, 13.404954, 1_700_000_100, altitude: 78, accuracy: 12,
              verticalAccuracy: 2, kilometersPerHour: 54, course: 254),
            trackerID: "nx", trigger: .timer)
        ) {
          ($0.batteryLevel, $0.batteryStatus) = (41, .charging)
          ($0.connectivity, $0.mode) = (.mobile, .move)
          ($0.ssid, $0.bssid) = ("\"jané\"", "02:00:5e:10:00:02")
          ($0.createdAt, $0.identifier) = (date(1_700_000_102), "9f3c01d2")
          $0.topic = "owntracks/jane/nexus"
        })),
    Sample(
      "location, without extended data",
      #"{"_type":"location","tid":"jJ","lat":-33.86,"lon":151.21,"tst":1376715317,"acc":75}"#,
      .location(
        LocationMessage(location(-33.86, 151.21, 1_376_715_317, accuracy: 75), trackerID: "jJ"))),
    Sample(
      "location, a vehicle's tracker",
      """
      {"_type":"location","alt":160,"cog":0,"dist":189,"trip":279122,"lat":48.856826,"lon":2.292713,\
      "vel":12,"t":"k","tst":1406803894,"batt":12.4}
      """,
      .location(
        with(
          LocationMessage(
            location(
              48.856826, 2.292713, 1_406_803_894, altitude: 160, kilometersPerHour: 12, course: 0),
            trigger: LocationMessage.Trigger(rawValue: "k"))
        ) { ($0.batteryLevel, $0.otherMembers) = (12, ["dist": "189", "trip": "279122"]) })),
    Sample(
      "location, with unusable members",
      """
      {"_type":"location","lat":1.5,"lon":2.5,"tst":1700000000,"batt":140,"bs":9,"conn":"x","m":7,\
      "tid":1,"p":"high","inregions":["a",1,null,"b"],"inrids":"c","created_at":1e40,"SSID":null,\
      "BSSID":{},"motionactivities":{},"vel":-1,"cog":-1,"alt":"high","_id":[]}
      """,
      .location(LocationMessage(location(1.5, 2.5, 1_700_000_000)))),
  ]

  static let waypoint = WaypointMessage(
    "I went swimming here", time: date(1_433_598_071),
    coordinate: coordinate(47.580231298, 9.525146484), radius: 25_186)

  static let waypoints = [
    waypoint,
    WaypointMessage(
      "Cheese fondue", time: date(1_430_398_091), coordinate: coordinate(46.517295754, 9.87121582),
      radius: 500, regionID: "f2a1"),
  ]

  private static let waypointList = """
    [{"_type":"waypoint","tst":1433598071,"lat":47.580231298,"lon":9.525146484,"rad":25186,\
    "desc":"I went swimming here"},{"_type":"waypoint","tst":1430398091,"lat":46.517295754,\
    "lon":9.871215820,"rad":500,"desc":"Cheese fondue","rid":"f2a1"}]
    """

  static let others = [
    Sample(
      "transition, iOS",
      """
      {"_type":"transition","wtst":1425042603,"lat":12.34,"lon":44.5,"tst":1427634603,"acc":130,\
      "tid":"JP","event":"enter","desc":"my Indian restaurant","t":"b","rid":"6da9cf"}
      """,
      .transition(
        with(
          TransitionMessage(
            .enter, time: date(1_427_634_603), coordinate: coordinate(12.34, 44.5),
            name: "my Indian restaurant")
        ) {
          ($0.horizontalAccuracy, $0.waypointTime) = (130, date(1_425_042_603))
          ($0.regionID, $0.trackerID, $0.trigger) = ("6da9cf", "JP", .beacon)
        })),
    Sample(
      "transition, without a position",
      #"{"_type":"transition","event":"leave","tst":1427634603,"t":"l"}"#,
      .transition(
        with(TransitionMessage(.leave, time: date(1_427_634_603))) {
          $0.trigger = .comparison
        })),
    Sample(
      "waypoint",
      """
      {"_type":"waypoint","desc":"I went swimming here","lat":47.580231298,"lon":9.525146484,\
      "rad":25186,"tst":1433598071}
      """,
      .waypoint(waypoint)),
    Sample(
      "waypoint of a beacon",
      """
      {"_type":"waypoint","desc":"office","tst":1433598072,"uuid":"CA271EAE-5FA8-4E80-8F08-\
      2A302A95A959","major":17,"minor":1,"lat":-1000000,"lon":-1000000,"rad":0}
      """,
      .waypoint(
        with(WaypointMessage("office", time: date(1_433_598_072), radius: 0)) {
          $0.otherMembers = [
            "uuid": "\"CA271EAE-5FA8-4E80-8F08-2A302A95A959\"", "major": "17", "minor": "1",
          ]
        })),
    Sample(
      "waypoints",
      #"{"_type":"waypoints","_creator":"OTwpDraw","waypoints":\#(waypointList)}"#,
      .waypoints(WaypointsMessage(waypoints, creator: "OTwpDraw"))),
    Sample(
      "waypoints, some unusable",
      #"{"_type":"waypoints","waypoints":[{},{"desc":"x","tst":"?"},{"desc":"x","tst":1},{"desc":[]}]}"#,
      .waypoints(WaypointsMessage([WaypointMessage("x", time: date(1))]))),
    Sample(
      "waypoints, not a list of objects",
      #"{"_type":"waypoints","waypoints":[{"desc":"x","tst":1},1]}"#,
      .waypoints(WaypointsMessage([]))),
    Sample("waypoints, none", #"{"_type":"waypoints"}"#, .waypoints(WaypointsMessage([]))),
    Sample(
      "lwt", #"{"_type":"lwt","tst":1380738247}"#,
      .lastWill(LastWillMessage(connectedAt: date(1_380_738_247)))),
    Sample(
      "lwt with time 0", #"{"_type":"lwt","tst":0}"#, .lastWill(LastWillMessage(connectedAt: nil))),
    Sample("lwt without a time", #"{"_type":"lwt"}"#, .lastWill(LastWillMessage(connectedAt: nil))),
    Sample(
      "card", #"{"_type":"card","name":"Jane Jolie","face":"iVBORw0KGgo=","tid":"jJ"}"#,
      .card(
        CardMessage(
          name: "Jane Jolie", face: Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
          trackerID: "jJ"))),
    Sample(
      "card without a picture", #"{"_type":"card","face":"?"}"#,
      .card(CardMessage(name: nil))),
    Sample(
      "cmd", #"{"_type":"cmd","action":"reportLocation"}"#,
      .command(CommandMessage(.reportLocation))),
    Sample(
      "cmd of a later version", #"{"_type":"cmd","action":"restart","waypoints":[]}"#,
      .command(CommandMessage(CommandMessage.Action(rawValue: "restart")))),
    Sample(
      "cmd with waypoints",
      """
      {"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":\
      \(waypointList)}}
      """,
      .command(CommandMessage(.setWaypoints, waypoints: waypoints))),
    Sample(
      "cmd with waypoints, of an earlier version",
      """
      {"_type":"cmd","action":"setWaypoints","payload":{"_type":"waypoints","waypoints":\
      \(waypointList)}}
      """,
      .command(CommandMessage(.setWaypoints, waypoints: waypoints))),
    Sample(
      "cmd with a list of waypoints",
      #"{"_type":"cmd","action":"setWaypoints","waypoints":\#(waypointList)}"#,
      .command(CommandMessage(.setWaypoints, waypoints: waypoints))),
    Sample(
      "steps",
      """
      {"_type":"steps","tst":1700000100,"steps":1234,"from":1700000000,"to":1700000090,\
      "distance":870.5,"floorsup":2,"floorsdown":1}
      """,
      .steps(
        with(
          StepsMessage(
            1_234, time: date(1_700_000_100), start: date(1_700_000_000),
            end: date(1_700_000_090))
        ) { ($0.distance, $0.floorsAscended, $0.floorsDescended) = (870.5, 2, 1) })),
    Sample(
      "a device that counts no steps", #"{"_type":"step","tst":1,"steps":-1}"#,
      .steps(StepsMessage(nil, time: date(1)))),
    Sample(
      "encrypted", #"{"_type":"encrypted","data":"1Vu7Owo="}"#,
      .encrypted(EncryptedMessage(Data([0xD5, 0x5B, 0xBB, 0x3B, 0x0A])))),
    Sample(
      "a type with quotes", #"{"_type":"a\"\\\n\u0000"}"#,
      .other(OtherMessage(type: "a\"\\\n\0"))),
    Sample(
      "dump", #"{"_type":"dump","configuration":{"mode":0,"list":[1, "a"]}}"#,
      .other(
        with(OtherMessage(type: "dump")) {
          $0.otherMembers = ["configuration": #"{"mode":0,"list":[1, "a"]}"#]
        })),
    Sample(
      "a transition with members of a later version",
      #"{"_type":"transition","event":"enter","tst":1,"mood":"\u00fc","x\"y":null}"#,
      .transition(
        with(TransitionMessage(.enter, time: date(1))) {
          $0.otherMembers = ["mood": #""\u00fc""#, "x\"y": "null"]
        })),
  ]
}
