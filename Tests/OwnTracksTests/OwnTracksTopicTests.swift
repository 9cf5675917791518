import TestSupport
import Testing

@testable import OwnTracks

@Suite(.inTurn) struct OwnTracksTopicTests {
  static let topics: [(String, OwnTracksTopic.Kind)] = [
    ("owntracks/jane/phone", .location),
    ("owntracks/jane/phone/event", .event),
    ("owntracks/jane/phone/waypoint", .waypoint),
    ("owntracks/jane/phone/waypoints", .waypoints),
    ("owntracks/jane/phone/cmd", .command),
    ("owntracks/jane/phone/status", .status),
    ("owntracks/jane/phone/info", .card),
    ("owntracks/jane/phone/step", .step),
    ("owntracks/jane/phone/dump", .dump),
    ("owntracks/jane/phone/stored", .stored),
  ]

  @Test(arguments: topics)
  func isParsedAndPrinted(_ text: String, _ kind: OwnTracksTopic.Kind) throws {
    let topic = try OwnTracksTopic(user: "jane", device: "phone", kind: kind)
    #expect(topic.description == text)
    #expect(OwnTracksTopic(text) == topic)
    #expect(OwnTracksTopic("x\(text)".dropFirst()) == topic)
    #expect(OwnTracksTopic(utf8: Array(text.utf8).span) == topic)
  }

  @Test func everyKindHasATest() {
    #expect(Set(Self.topics.map(\.1)) == Set(OwnTracksTopic.Kind.allCases))
  }

  static let names = [
    "a", "Jané", "jane@example.org", "a b", "😀", "\u{202E}", "$share", "é\u{301}", "\u{A0}",
  ]

  @Test(arguments: names)
  func acceptsNames(_ name: String) throws {
    let topic = try OwnTracksTopic(user: name, device: name, kind: .event)
    #expect(OwnTracksTopic(topic.description) == topic)
  }

  static let invalidNames = [
    "", "+", "#", "/", "a/b", "a+", "#a", "\0", "a\0b", "\n", "\u{1F}", "\u{7F}", "\u{9F}",
  ]

  @Test(arguments: invalidNames)
  func refusesNames(_ name: String) {
    for (user, device) in [(name, "phone"), ("jane", name)] {
      let error = #expect(throws: OwnTracksError.self) {
        try OwnTracksTopic(user: user, device: device)
      }
      #expect(error?.code == .invalidTopic)
      #expect(OwnTracksTopic("owntracks/\(user)/\(device)") == nil)
    }
  }

  static let invalidTopics = [
    "", "/", "owntracks", "owntracks/", "owntracks/jane", "owntracks/jane/", "owntracks//phone",
    "owntracks/jane/phone/", "owntracks/jane/phone/events", "owntracks/jane/phone/event/",
    "owntracks/jane/phone/event/x", "/owntracks/jane/phone", "Owntracks/jane/phone",
    "owntrackss/jane/phone", "owntrack/jane/phone", "$SYS/broker/uptime", "owntracks/+/+",
    "owntracks/jane/#", "owntracks/jane/phone/EVENT",
  ]

  @Test(arguments: invalidTopics)
  func refusesTopics(_ text: String) { #expect(OwnTracksTopic(text) == nil) }

  @Test func refusesInvalidUTF8() {
    for bytes in LocationDecoderTests.invalidSequences {
      let topic = Array("owntracks/jane/".utf8) + bytes
      #expect(OwnTracksTopic(utf8: topic.span) == nil, "\(bytes)")
    }
  }

  /// The limit is that of MQTT, in bytes.
  @Test func theLengthOfATopicIsBounded() throws {
    let length = 65_535 - "owntracks//phone".utf8.count
    let user = String(repeating: "é", count: length / 2) + String(repeating: "a", count: length % 2)
    let topic = try OwnTracksTopic(user: user, device: "phone")
    #expect(OwnTracksTopic(topic.description) == topic)
    #expect(throws: OwnTracksError.self) { try OwnTracksTopic(user: user + "a", device: "phone") }
    #expect(throws: OwnTracksError.self) {
      try OwnTracksTopic(user: user, device: "phone", kind: .dump)
    }
    #expect(OwnTracksTopic("owntracks/\(user)a/phone") == nil)
  }

  /// A device cannot take the place of another one by a name with the same appearance.
  @Test func namesAreComparedByBytes() throws {
    let composed = try OwnTracksTopic(user: "jan\u{E9}", device: "phone")
    let decomposed = try OwnTracksTopic(user: "jane\u{301}", device: "phone")
    #expect(composed.user == decomposed.user)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  /// If all spellings of a name had one hash, a set of many would take quadratic time.
  @Test("F70 names are hashed by their bytes") func namesAreHashedByBytes() throws {
    let topics = try ChosenNames.all(1_024).map { try OwnTracksTopic(user: $0, device: "phone") }
    #expect(Set(topics.map(\.hashValue)).count > 1_000)
    let devices = try ChosenNames.all(1_024).map { try OwnTracksTopic(user: "jane", device: $0) }
    #expect(Set(devices.map(\.hashValue)).count > 1_000)
    #expect(
      try OwnTracksTopic(user: "ab", device: "c").hashValue
        != OwnTracksTopic(user: "a", device: "bc").hashValue)
  }

  @Test("F70 ten thousand spellings of a name need no extra comparisons", .longWork)
  func chosenNamesNeedNoExtraComparisons() async throws {
    func topics(_ names: some Sequence<String>) throws -> [OwnTracksTopic] {
      try names.prefix(10_000).map { try OwnTracksTopic(user: $0, device: "phone") }
    }
    let chosen = try topics(ChosenNames.all(16_384))
    let plain = try topics((0..<10_000).map(String.init))
    #expect(ChosenNames.comparisons(of: chosen) <= 2 * ChosenNames.comparisons(of: plain))
  }
}
