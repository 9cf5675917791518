import TestSupport
import Testing

@testable import AsyncLocation
@testable import MQTTBackend

@Suite(.inTurn) struct FleetTopicTests {
  static let topics: [(String, String, FleetTopic.Match)] = [
    ("owntracks", "owntracks/jane/phone", .device(10)),
    ("owntracks", "owntracks/jane/phone/event", .below(10, 20)),
    ("owntracks", "owntracks/jane/phone/event/more", .below(10, 20)),
    ("owntracks", "owntracks/jane/phone/", .below(10, 20)),
    ("owntracks", "owntracks/jane", .unexpected),
    ("owntracks", "owntracks/", .unexpected),
    ("owntracks", "owntracks", .unexpected),
    ("owntracks", "", .unexpected),
    ("owntracks", "owntrackz/jane/phone", .unexpected),
    ("owntracks", "/owntracks/jane/phone", .unexpected),
    ("a/b", "a/b/c/d", .device(4)),
    ("a/b", "a/c/c/d", .unexpected),
    ("", "/c/d", .device(1)),
  ]

  @Test(arguments: topics)
  func topicsAreMatched(base: String, topic: String, match: FleetTopic.Match) {
    #expect(FleetTopic(base: base).match(topic.utf8.span) == match)
  }

  @Test(
    arguments: ["event", "waypoint", "status", "info", "step", "dump", "beacon", "request"].map {
      ($0, true)
    }
      + ["", "cmd", "stored", "event/more", "+", "a\u{7F}"].map { ($0, false) })
  func levelsOfDevicesAreRecognized(_ level: String, _ isOfDevices: Bool) {
    #expect(FleetTopic.isPublishedByDevices(level.utf8.span) == isOfDevices)
  }

  static let names: [([UInt8], Bool)] = [
    (Array("jane/phone".utf8), true),
    (Array("ja ne/ph-1_2.".utf8), true),
    (Array("jäne/電話".utf8), true),
    (Array("/phone".utf8), false),
    (Array("jane/".utf8), false),
    (Array("/".utf8), false),
    (Array("".utf8), false),
    (Array("jane".utf8), false),
    (Array("a/b/c".utf8), false),
    (Array("+/phone".utf8), false),
    (Array("jane/#".utf8), false),
    (Array("jane/pho\u{0}ne".utf8), false),
    (Array("jane/pho\nne".utf8), false),
    (Array("jane/\u{7F}".utf8), false),
    (Array("jane/\u{85}".utf8), false),
    (Array("jane/\u{202E}enohp".utf8), false),
    (Array("jane/\u{2028}".utf8), false),
    (Array("jane/".utf8) + [0xFF], false),
    (Array("jane/".utf8) + [0xC3], false),
    (Array("jane/".utf8) + [0xED, 0xA0, 0x80], false),
  ]

  @Test(arguments: names)
  func acceptsNames(name: [UInt8], isName: Bool) {
    #expect(TopicText.isName(name.span) == isName)
    #expect(
      FleetTopic(base: "a").name(name.span).map { Array($0.utf8) } == (isName ? name : nil))
  }
}

@Suite(.inTurn) struct FleetValueTests {
  @Test func splitsIdentifiers() throws {
    let jane = try FleetDevice.ID(user: "jane", device: "phone")
    #expect(jane.user == "jane")
    #expect(jane.device == "phone")
    #expect(jane == FleetDevice.ID("jane/phone"))
    #expect("\(jane)" == "jane/phone")
  }

  @Test(arguments: [("a/b", "c"), ("", "c"), ("a", ""), ("+", "c"), ("a", "b\n")])
  func refusesIdentifiers(user: String, device: String) {
    #expect(throws: LocationError(.invalidValue, "")) {
      do throws(LocationError) {
        _ = try FleetDevice.ID(user: user, device: device)
      } catch {
        throw LocationError(error.code, "")
      }
    }
  }

  static let invalidLimits: [FleetLimits] = [
    FleetLimits(devices: 0), FleetLimits(nameLength: 2), FleetLimits(payloadLength: 0),
    FleetLimits(messagesPerSecond: 0), FleetLimits(burst: 0),
    FleetLimits(futureTolerance: .seconds(-1)), FleetLimits(silence: .zero),
    FleetLimits(silence: .seconds(2_000_000_000)),
  ]

  @Test(arguments: invalidLimits)
  func refusesLimits(_ limits: FleetLimits) {
    #expect(throws: LocationError.self) { try limits.validate() }
  }

  static let subscriptions: [(FleetConfiguration, String?)] = [
    (FleetConfiguration(), "owntracks/+/+"),
    (FleetConfiguration(base: "a/b", user: "jane"), "a/b/jane/+"),
    (FleetConfiguration(base: "/a", device: "phone", group: "g"), "$share/g//a/+/phone"),
    (FleetConfiguration(partition: .init(3)), "fleet/3/+/+"),
    (FleetConfiguration(base: "a", user: "jane", partition: .init(0, base: "b/c")), "b/c/0/jane/+"),
    (FleetConfiguration(partition: .init(-1)), nil),
    (FleetConfiguration(partition: .init(1, base: "a/#")), nil),
    (FleetConfiguration(base: ""), nil), (FleetConfiguration(base: "a/"), nil),
    (FleetConfiguration(base: "a/+"), nil), (FleetConfiguration(base: "$SYS"), nil),
    (FleetConfiguration(base: "a\n"), nil), (FleetConfiguration(user: ""), nil),
    (FleetConfiguration(user: "a/b"), nil), (FleetConfiguration(device: "#"), nil),
    (FleetConfiguration(group: "a/b"), nil), (FleetConfiguration(group: ""), nil),
    (FleetConfiguration(base: String(repeating: "a", count: 65_535)), nil),
    (FleetConfiguration(limits: FleetLimits(devices: 0)), nil),
  ]

  @Test(arguments: subscriptions)
  func subscriptionsAreBuilt(configuration: FleetConfiguration, subscription: String?) throws {
    if let subscription {
      try configuration.validate()
      #expect(configuration.subscription == subscription)
    } else {
      let error = #expect(throws: LocationError.self) { try configuration.validate() }
      #expect(error?.code == .invalidValue)
    }
  }
}
