import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import OwnTracks

@Suite(.inTurn) struct OwnTracksMessageTests {
  static func text(_ message: OwnTracksMessage) -> String {
    String(decoding: message.json, as: UTF8.self)
  }

  @Test(arguments: Sample.all.indices)
  func decodes(_ index: Int) throws {
    let sample = Sample.all[index]
    let message = try OwnTracksMessage(json: sample.json.utf8)
    #expect(message == sample.message, "\(sample.name)")
  }

  @Test(arguments: Sample.all.indices)
  func roundTrips(_ index: Int) throws {
    let sample = Sample.all[index]
    let json = sample.message.json
    #expect(try OwnTracksMessage(json: json) == sample.message, "\(sample.name)")
    #expect(json.allSatisfy { $0 >= 0x20 })
  }

  /// Exact texts: the order of members, the integers, and what is omitted.
  @Test func encodesAsAppsExpect() throws {
    let location = try Location(
      latitude: 52.5, longitude: -0.00001, timestamp: Sample.date(1_700_000_000.25),
      altitude: -0.4, horizontalAccuracy: 0.2, verticalAccuracy: 3.1, speed: 10, course: 359.7)
    var message = LocationMessage(location, trackerID: "jJ", trigger: .ping)
    message.pressure = .nan
    message.createdAt = Sample.date(1_700_000_001.9)
    #expect(
      Self.text(.location(message)) == """
        {"_type":"location","lat":52.5,"lon":-1e-05,"tst":1700000000,"tst_ns":250000000,"acc":1,\
        "alt":0,"vac":4,"vel":36,"cog":0,"tid":"jJ","t":"p","created_at":1700000001}
        """)
    #expect(
      Self.text(.command(CommandMessage(.setWaypoints))) == """
        {"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":[]}}
        """)
    #expect(Self.text(.lastWill(LastWillMessage(connectedAt: nil))) == #"{"_type":"lwt"}"#)
    #expect(
      Self.text(.other(OtherMessage(type: "\u{1}\"\u{1F}é"))) == #"{"_type":"\u0001\"\u001fé"}"#)
  }

  /// Numbers that no integer can hold.
  @Test func encodesEveryNumber() throws {
    let location = try Location(
      latitude: 1, longitude: 2, timestamp: Sample.date(3), altitude: 1e8,
      horizontalAccuracy: 1e300, verticalAccuracy: .leastNonzeroMagnitude,
      speed: .greatestFiniteMagnitude)
    let message = OwnTracksMessage.location(LocationMessage(location))
    let decoded = try OwnTracksMessage(json: message.json)
    guard case .location(let decodedMessage) = decoded else {
      Issue.record("\(decoded)")
      return
    }
    #expect(decodedMessage.location.horizontalAccuracy == 1e300)
    #expect(decodedMessage.location.verticalAccuracy == 1)
    #expect(decodedMessage.location.speed == nil)
  }

  @Test(.longWork) func locationsRoundTrip() throws {
    var random = SplitMix64(seed: 4)
    for _ in 0..<2_000 {
      let location = try random.location()
      let message = OwnTracksMessage.location(LocationMessage(location))
      guard case .location(let decoded) = try OwnTracksMessage(json: message.json) else {
        Issue.record("\(message)")
        continue
      }
      let decodedLocation = decoded.location
      #expect(decodedLocation.coordinate == location.coordinate)
      #expect(decodedLocation.timestamp == location.timestamp)
      #expect(decodedLocation.altitude == location.altitude?.rounded())
      #expect(decodedLocation.horizontalAccuracy == location.horizontalAccuracy?.rounded(.up))
      #expect(decodedLocation.verticalAccuracy == location.verticalAccuracy?.rounded(.up))
      #expect(decodedLocation.speed == location.speed.map { ($0 * 3.6).rounded() / 3.6 })
      #expect(decodedLocation.course == location.course.map { $0 >= 359.5 ? 0 : $0.rounded() })
      // A location that was rounded once round-trips exactly.
      #expect(
        try OwnTracksMessage(json: OwnTracksMessage.location(decoded).json) == .location(decoded))
    }
  }

  /// Events keep the fraction of a second, as locations do.
  @Test func timesOfEventsAreExact() throws {
    let time = Sample.date(1_700_000_000.125)
    for message: OwnTracksMessage in [
      .transition(TransitionMessage(.leave, time: time)),
      .waypoint(WaypointMessage("x", time: time)),
    ] {
      #expect(try OwnTracksMessage(json: message.json) == message)
    }
  }

  static let invalid: [(String, OwnTracksError.Code)] = [
    ("", .notJSON), ("[]", .notJSON), ("{}", .noType), (#"{"_type":"location"}"#, .invalidMember),
    (#"{"_type":"transition","tst":1}"#, .invalidMember),
    (#"{"_type":"transition","event":"inside","tst":1}"#, .invalidMember),
    (#"{"_type":"transition","event":"enter"}"#, .invalidMember),
    (#"{"_type":"transition","event":"enter","tst":0}"#, .invalidMember),
    (#"{"_type":"waypoint","tst":1}"#, .invalidMember),
    (#"{"_type":"waypoint","desc":"x","tst":0}"#, .invalidMember),
    (#"{"_type":"waypoint","desc":"x","tst":null}"#, .invalidMember),
    (#"{"_type":"cmd"}"#, .invalidMember), (#"{"_type":"cmd","action":1}"#, .invalidMember),
    (#"{"_type":"lwt"}x"#, .notJSON),
    (#"{"_type":"card","name":"\#(String(repeating: "x", count: 1 << 20))"}"#, .tooLong),
  ]

  @Test(arguments: invalid.indices)
  func refuses(_ index: Int) {
    let (json, code) = Self.invalid[index]
    let error = #expect(throws: OwnTracksError.self) { try OwnTracksMessage(json: json.utf8) }
    #expect(error?.code == code, "\(json.prefix(80))")
  }

  /// A number that is too small for a `Double` is 0, as in a coordinate; one that is too large is
  /// absent.
  @Test func numbersBeyondADoubleAreZeroOrAbsent() throws {
    let location = #"{"_type":"location","lat":1,"lon":2,"tst":3,"p":1e-400,"batt":1e400}"#
    guard case .location(let message) = try OwnTracksMessage(json: location.utf8) else {
      Issue.record("It is a location.")
      return
    }
    #expect(message.pressure == 0)
    #expect(message.batteryLevel == nil)
  }

  @Test func theFirstOfDuplicateMembersApplies() throws {
    let message = try OwnTracksMessage(
      json: #"{"_type":"cmd","_type":"lwt","action":"dump","action":"status"}"#.utf8)
    #expect(message == .command(CommandMessage(.dump)))
  }

  @Test func theStatusOfAnAppIsKept() throws {
    let iOS = #"{"version":"18.4.3","locale":"de_DE","x":["\n",{"y":1.50}]}"#
    let android = "{\"wifi\":1,\n\t\"hib\":0}"
    let message = try OwnTracksMessage(
      json: #"{"_type":"status","iO\u0053":\#(iOS),"android":\#(android),"iOS":{}}"#.utf8)
    guard case .status(let status) = message else {
      Issue.record("\(message)")
      return
    }
    #expect(status.iOS == iOS)
    #expect(status.android == #"{"wifi":1,  "hib":0}"#)
    #expect(try OwnTracksMessage(json: message.json) == message)

    let large =
      #"{"_type":"status","iOS":{"x":"\#(String(repeating: "x", count: 1 << 16))"},"android":1}"#
    let empty = try OwnTracksMessage(json: large.utf8)
    #expect(Self.text(empty) == #"{"_type":"status"}"#)
  }

  @Test func theStatusOfAnAppMustBeAnObject() throws {
    let status = try StatusMessage(iOS: "\n{\"version\":\n1} ")
    #expect(Self.text(.status(status)) == #"{"_type":"status","iOS":{"version": 1}}"#)
    #expect(throws: OwnTracksError.self) { try StatusMessage(android: #"{},"x":{}"#) }
    #expect(throws: OwnTracksError.self) { try StatusMessage(iOS: "[]") }
  }

  @Test func theStatusOfADeviceRoundTrips() throws {
    let status = DeviceStatus(
      time: Sample.date(1_700_000_000.9), authorization: .authorizedWhenInUse, accuracy: .reduced,
      connection: .waiting, problem: .backendUnavailable)
    let message = OwnTracksMessage.status(StatusMessage(status))
    #expect(
      Self.text(message) == """
        {"_type":"status","linux":{"tst":1700000000,"authorization":"authorizedWhenInUse",\
        "accuracy":"reduced","connection":"waiting","problem":"backendUnavailable"}}
        """)
    var expected = status
    expected.time = Sample.date(1_700_000_000)
    #expect(try OwnTracksMessage(json: message.json) == .status(StatusMessage(expected)))
    #expect("\(status)".contains("accuracy: reduced"))
  }

  /// Each member of the wrong type, or with a value that is not known, is absent.
  @Test(arguments: [
    #"{}"#,
    #"{"tst":"now","authorization":1,"accuracy":"exact","connection":{},"problem":[]}"#,
    #"{"tst":0}"#,
    #"{"tst":1e300,"authorization":"","accuracy":null,"problem":"\u001b[31m"}"#,
  ])
  func invalidMembersOfADevicesStatusAreAbsent(_ object: String) throws {
    let message = try OwnTracksMessage(json: #"{"_type":"status","linux":\#(object)}"#.utf8)
    #expect(message == .status(StatusMessage(DeviceStatus(time: nil))))
    #expect(Self.text(message) == #"{"_type":"status","linux":{}}"#)
  }

  @Test func aStatusThatIsNoObjectIsAbsent() throws {
    let message = try OwnTracksMessage(json: #"{"_type":"status","linux":7}"#.utf8)
    #expect(Self.text(message) == #"{"_type":"status"}"#)
  }

  @Test func theConfigurationOfACommandMustBeAnObject() throws {
    let command = try CommandMessage(
      configuration: "\n{\"_type\":\"configuration\",\n\"cmd\":true} ")
    let message = OwnTracksMessage.command(command)
    #expect(
      Self.text(message) == """
        {"_type":"cmd","action":"setConfiguration","configuration":\
        {"_type":"configuration", "cmd":true}}
        """)
    #expect(try OwnTracksMessage(json: message.json) == message)
    #expect(!"\(message)".contains("configuration\""))
    for text in ["", "[]", "1", "{", "{}}", "{},\"x\":{}", "{\"x\":\"\n\"}", "{\"\\ud800\":1}"] {
      #expect(throws: OwnTracksError.self) { try CommandMessage(configuration: text) }
    }
    let large = #"{"x":"\#(String(repeating: "x", count: 1 << 16))"}"#
    #expect(throws: OwnTracksError.self) { try CommandMessage(configuration: large) }
  }

  @Test func waypointsAreBounded() throws {
    let list = (0...WaypointsMessage.maximumCount).map {
      WaypointMessage("\($0)", time: Sample.date(Double($0 + 1)))
    }
    let message = OwnTracksMessage.waypoints(WaypointsMessage(list))
    let decoded = try OwnTracksMessage(json: message.json)
    #expect(decoded == .waypoints(WaypointsMessage(list.dropLast())))
  }

  @Test func picturesAreBounded() throws {
    for (length, isKept) in [
      (CardMessage.maximumFaceLength, true), (CardMessage.maximumFaceLength + 1, false),
    ] {
      let card = CardMessage(name: "x", face: Data(repeating: 1, count: length))
      let decoded = try OwnTracksMessage(json: OwnTracksMessage.card(card).json)
      #expect(decoded == .card(isKept ? card : CardMessage(name: "x")))
    }
  }

  /// Hashing or comparing a name of many combining marks takes quadratic time in its length.
  @Test(
    "F57 names of hostile members are left out",
    arguments: [
      "\u{301}\u{323}", "e\u{301}", "é",
    ])
  func hostileNames(_ unit: String) throws {
    let name = String(repeating: unit, count: 60_000 / unit.utf8.count)
    let json = #"{"_type":"card","\#(name)":1,"\#(unit)":2,"known":3,"name":"Jane"}"#
    guard case .card(let message) = try OwnTracksMessage(json: json.utf8) else {
      Issue.record("no card")
      return
    }
    #expect(message.otherMembers == ["known": "3"])
  }

  @Test("F57 the number of members read from a message is limited") func manyMembers() throws {
    let members = (0..<10_000).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
    let json = #"{"_type":"card","name":"Jane",\#(members),"tid":"jj"}"#
    guard case .card(let message) = try OwnTracksMessage(json: json.utf8) else {
      Issue.record("no card")
      return
    }
    #expect(message.name == "Jane")
    #expect(message.trackerID == nil)
    #expect(message.otherMembers.count == 126)
  }

  @Test("members that do not fit are left out, and smaller members after them are not")
  func largeMembers() throws {
    let text = String(repeating: "x", count: 70_000)
    let json = #"{"_type":"card","large":"\#(text)","topic":"a/b","small":true}"#
    guard case .card(let message) = try OwnTracksMessage(json: json.utf8) else {
      Issue.record("no card")
      return
    }
    #expect(message.otherMembers == ["small": "true"])
  }
}
