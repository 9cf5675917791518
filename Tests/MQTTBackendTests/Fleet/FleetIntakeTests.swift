import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MQTTBackend

/// An intake that receives messages in the format of the tests.
struct TestIntake {
  var intake: FleetIntake
  var results = FleetIntake.Results()
  var now = FleetTime(wall: testNow, monotonic: 0)
  /// The number of payloads that the intake has decoded.
  private(set) var decodedCount = 0

  init(_ limits: FleetLimits = FleetLimits()) {
    self.init(FleetConfiguration(limits: limits))
  }

  init(_ configuration: FleetConfiguration) { intake = FleetIntake(configuration) }

  /// Handles a message, and returns the update that is delivered.
  mutating func receive(
    _ topic: String, _ payload: String, isRetained: Bool = false
  ) -> FleetUpdate? {
    let bytes = Array(topic.utf8)
    let admission = intake.admit(
      topic: bytes.span, payloadLength: payload.utf8.count, isRetained: isRetained, at: now,
      into: &results)
    guard case .decode(let ticket) = admission else { return nil }
    decodedCount += 1
    return intake.accept(
      decodeTestPayload(payload.utf8.span), ticket, topic: bytes.span, isRetained: isRetained,
      at: now, into: &results
    ).delivery?.update
  }
}

extension TestIntake {
  /// Receives a location of `jane/phone` each second, with a clock that may be ahead. Returns the
  /// seconds whose locations are delivered with the device's time.
  fileprivate mutating func seconds(
    _ seconds: Range<Int>, ahead: (_ second: Int) -> Double
  ) -> [Int] {
    seconds.filter { second in
      now = FleetTime(
        wall: testNow + Double(second), monotonic: Int64(second) * 1_000_000_000)
      let time = now.wall + ahead(second)
      return receive("owntracks/jane/phone", "\(time)") == update("jane/phone", at: time)
    }
  }
}

@Suite(.inTurn) struct FleetIntakeTests {
  enum Step: Sendable {
    /// A message at a time in seconds, with its topic and its payload.
    case message(Double, String, String, isRetained: Bool = false, delivers: Bool = false)
    case interruption
    case forget(String)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var limits = FleetLimits()
    var group: String?
    let steps: [Step]
    var changes: [FleetChange] = []
    /// The outcomes that the statistics count, in any order.
    var counts: [FleetOutcome] = []
    /// The presence of `jane/phone` after the last step; nil if the intake does not know the
    /// device.
    var presence: FleetDevice.Presence?
  }

  private static let phone = "owntracks/jane/phone"
  private static let watch = "owntracks/jane/watch"

  static let scenarios = [
    Scenario(
      testDescription: "locations in order are delivered",
      steps: [
        .message(0, phone, "100", delivers: true), .message(1, phone, "101", delivers: true),
      ],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [.delivered, .delivered], presence: .online),
    Scenario(
      testDescription: "a location that arrives again is a duplicate",
      steps: [.message(0, phone, "100", delivers: true), .message(1, phone, "100")],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [.delivered, .duplicate], presence: .online),
    Scenario(
      testDescription: "an older location is stale",
      steps: [
        .message(0, phone, "100", delivers: true), .message(1, phone, "99.5"),
        .message(1, phone, "100.5", delivers: true),
      ],
      changes: [
        .added(id("jane/phone")), .online(id("jane/phone")), .dropping(id("jane/phone"), .stale),
      ],
      counts: [.delivered, .stale, .delivered], presence: .online),
    Scenario(
      testDescription: "devices have orders of their own",
      steps: [
        .message(0, phone, "100", delivers: true), .message(0, watch, "50", delivers: true),
      ],
      changes: [
        .added(id("jane/phone")), .online(id("jane/phone")), .added(id("jane/watch")),
        .online(id("jane/watch")),
      ],
      counts: [.delivered, .delivered], presence: .online),
    Scenario(
      testDescription: "a retained location is delivered once and tells no presence",
      steps: [
        .message(0, phone, "100", isRetained: true, delivers: true),
        .message(9, phone, "100", isRetained: true),
      ],
      changes: [.added(id("jane/phone"))], counts: [.delivered, .duplicate], presence: .unknown),
    Scenario(
      testDescription: "a member of a group leaves retained messages",
      group: "readers",
      steps: [
        .message(0, phone, "100", isRetained: true), .message(0, watch, "will", isRetained: true),
        .message(1, phone, "100", delivers: true),
      ],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [.duplicate, .duplicate, .delivered], presence: .online),
    Scenario(
      testDescription: "the removal of a retained location is no fault",
      steps: [.message(0, phone, "100", delivers: true), .message(1, phone, "")],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [.delivered, .other], presence: .online),
    Scenario(
      testDescription: "a location after a retained one of its time is a duplicate, and online",
      steps: [
        .message(0, phone, "100", isRetained: true, delivers: true), .message(1, phone, "100"),
      ],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [.delivered, .duplicate], presence: .online),
    Scenario(
      testDescription: "a time in the future is dropped and blocks nothing",
      steps: [
        .message(0, phone, "\(testNow + 11)"),
        .message(0, phone, "\(testNow + 10)", delivers: true),
        .message(0, watch, "\(testNow + 1e9)"), .message(0, watch, "100", delivers: true),
      ],
      changes: [
        .added(id("jane/phone")), .online(id("jane/phone")), .dropping(id("jane/phone"), .future),
        .added(id("jane/watch")), .online(id("jane/watch")), .dropping(id("jane/watch"), .future),
      ],
      counts: [.future, .delivered, .future, .delivered], presence: .online),
    Scenario(
      testDescription: "a last will makes a device offline, a location online",
      steps: [
        .message(0, phone, "100", delivers: true), .message(1, phone, "will"),
        .message(2, phone, "will"), .message(3, phone, "101", delivers: true),
        .message(4, phone, "will"),
      ],
      changes: [
        .added(id("jane/phone")), .online(id("jane/phone")), .offline(id("jane/phone")),
        .online(id("jane/phone")), .offline(id("jane/phone")),
      ],
      counts: [.delivered, .lastWill, .lastWill, .delivered, .lastWill], presence: .offline),
    Scenario(
      testDescription: "a last will makes a device known",
      steps: [.message(0, phone, "will", isRetained: true)],
      changes: [.added(id("jane/phone")), .offline(id("jane/phone"))], counts: [.lastWill],
      presence: .offline),
    Scenario(
      testDescription: "other and malformed messages make no device known",
      steps: [.message(0, phone, "other"), .message(0, phone, "{")],
      counts: [.other, .malformed]),
    Scenario(
      testDescription: "topics below a device's are other messages, and not decoded",
      steps: [.message(0, phone + "/event", "100"), .message(0, phone + "/info", "100")],
      counts: [.other, .other]),
    Scenario(
      testDescription: "topics of no device are unexpected",
      limits: FleetLimits(nameLength: 10),
      steps: [
        .message(0, "owntracks/jane", "100"), .message(0, "other/jane/phone", "100"),
        .message(0, "owntracks/jane/\u{1}", "100"), .message(0, phone + "s", "100"),
        .message(0, phone, "100", delivers: true),
      ],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [
        .unexpectedTopic, .unexpectedTopic, .unexpectedTopic, .unexpectedTopic, .delivered,
      ], presence: .online),
    Scenario(
      testDescription: "large payloads are not decoded",
      limits: FleetLimits(payloadLength: 3),
      steps: [.message(0, phone, "1000"), .message(0, phone, "100", delivers: true)],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [.oversized, .delivered], presence: .online),
    Scenario(
      testDescription: "devices beyond the limit are refused, known ones are served",
      limits: FleetLimits(devices: 1),
      steps: [
        .message(0, phone, "100", delivers: true), .message(0, watch, "100"),
        .message(0, watch, "will"), .message(1, phone, "101", delivers: true),
      ],
      changes: [.added(id("jane/phone")), .online(id("jane/phone"))],
      counts: [.delivered, .refused, .refused, .delivered], presence: .online),
    Scenario(
      testDescription: "a silent device is forgotten and makes room",
      limits: FleetLimits(devices: 1, silence: .seconds(10)),
      steps: [
        .message(0, watch, "100", delivers: true), .message(9, watch, "99"),
        .message(18.9, phone, "100"), .message(19, phone, "100", delivers: true),
      ],
      changes: [
        .added(id("jane/watch")), .online(id("jane/watch")), .dropping(id("jane/watch"), .stale),
        .forgotten(id("jane/watch")), .added(id("jane/phone")), .online(id("jane/phone")),
      ],
      counts: [.delivered, .stale, .refused, .delivered], presence: .online),
    Scenario(
      testDescription: "retained messages and wills do not end silence",
      limits: FleetLimits(silence: .seconds(10)),
      steps: [
        .message(0, watch, "100", delivers: true), .message(9, watch, "will"),
        .message(9, watch, "101", isRetained: true, delivers: true),
        .message(10, phone, "other"),
      ],
      changes: [
        .added(id("jane/watch")), .online(id("jane/watch")), .offline(id("jane/watch")),
        .forgotten(id("jane/watch")),
      ],
      counts: [.delivered, .lastWill, .delivered, .other]),
    Scenario(
      testDescription: "a forgotten device is new again",
      steps: [
        .message(0, phone, "100", delivers: true), .forget("jane/phone"),
        .forget("jane/watch"), .message(0, phone, "100", delivers: true),
      ],
      changes: [
        .added(id("jane/phone")), .online(id("jane/phone")), .forgotten(id("jane/phone")),
        .added(id("jane/phone")), .online(id("jane/phone")),
      ],
      counts: [.delivered, .delivered], presence: .online),
    Scenario(
      testDescription: "messages beyond the rate are not decoded",
      limits: FleetLimits(messagesPerSecond: 2, burst: 3),
      steps: [
        .message(0, phone, "100", delivers: true), .message(0, phone, "101", delivers: true),
        .message(0, phone, "102", delivers: true), .message(0, phone, "103"),
        .message(0.4, phone, "104"), .message(0, watch, "1", delivers: true),
        .message(0.5, phone, "105", delivers: true), .message(0.9, phone, "106"),
        .message(9, phone, "107", delivers: true), .message(9, phone, "108", delivers: true),
        .message(9, phone, "109", delivers: true), .message(9, phone, "110"),
      ],
      changes: [
        .added(id("jane/phone")), .online(id("jane/phone")),
        .dropping(id("jane/phone"), .rateLimited), .added(id("jane/watch")),
        .online(id("jane/watch")),
      ],
      counts: [
        .delivered, .delivered, .delivered, .rateLimited, .rateLimited, .delivered, .delivered,
        .rateLimited, .delivered, .delivered, .delivered, .rateLimited,
      ], presence: .online),
    Scenario(
      testDescription: "a reason for drops is told once a minute, each by itself",
      limits: FleetLimits(payloadLength: 8),
      steps: [
        .message(0, phone, "100", delivers: true), .message(1, phone, "99"),
        .message(2, phone, "{"), .message(3, phone, "98"), .message(4, phone, "123456789"),
        .message(5, phone, "100"), .message(60.9, phone, "99"), .message(61, phone, "99"),
        .message(62, phone, "99"), .message(63, phone, "{"),
      ],
      changes: [
        .added(id("jane/phone")), .online(id("jane/phone")), .dropping(id("jane/phone"), .stale),
        .dropping(id("jane/phone"), .malformed), .dropping(id("jane/phone"), .oversized),
        .dropping(id("jane/phone"), .stale), .dropping(id("jane/phone"), .malformed),
      ],
      counts: [
        .delivered, .stale, .malformed, .stale, .oversized, .duplicate, .stale, .stale, .stale,
        .malformed,
      ], presence: .online),
    Scenario(
      testDescription: "an interruption makes all presences unknown",
      steps: [.message(0, phone, "100", delivers: true), .interruption],
      changes: [.added(id("jane/phone")), .online(id("jane/phone")), .interrupted],
      counts: [.delivered], presence: .unknown),
    Scenario(
      testDescription: "after an interruption a device is online again",
      steps: [
        .interruption, .message(0, phone, "100", delivers: true), .interruption,
        .message(0, phone, "101", delivers: true), .interruption, .message(0, phone, "will"),
      ],
      changes: [
        .interrupted, .added(id("jane/phone")), .online(id("jane/phone")), .interrupted,
        .online(id("jane/phone")), .interrupted, .offline(id("jane/phone")),
      ],
      counts: [.delivered, .delivered, .lastWill], presence: .offline),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var test = TestIntake(FleetConfiguration(group: scenario.group, limits: scenario.limits))
    var expected = FleetStatistics()
    for (number, step) in scenario.steps.enumerated() {
      switch step {
      case .message(let time, let topic, let payload, let isRetained, let delivers):
        test.now.monotonic = Int64(time * 1e9)
        let update = test.receive(topic, payload, isRetained: isRetained)
        let delivered = Double(payload).map {
          FleetUpdate(
            device: FleetDevice.ID(String(topic.dropFirst("owntracks/".count)))
              ?? id("none/none"),
            location: location(at: $0), isRetained: isRetained)
        }
        #expect(update == (delivers ? delivered : nil), "step \(number)")
        expected.messages += 1
        expected.bytes += UInt64(topic.utf8.count + payload.utf8.count)
        if isRetained { expected.retained += 1 }
      case .interruption: test.intake.interrupt(into: &test.results)
      case .forget(let name): test.intake.forget(id(name), into: &test.results)
      }
    }
    for outcome in scenario.counts { expected.count(outcome) }
    expected.forgottenDevices = UInt64(test.results.forgotten.count)
    #expect(test.results.changes == scenario.changes)
    #expect(test.intake.statistics == expected)
    #expect(test.intake.device(id("jane/phone"), at: 0)?.presence == scenario.presence)
  }

  @Test func irrelevantMessagesAreNotDecoded() {
    var test = TestIntake(FleetLimits(payloadLength: 200, burst: 1))
    for topic in ["a/b/c", "owntracks/a", "owntracks/a/b/event", "owntracks/\u{1}/b"] {
      #expect(test.receive(topic, "100") == nil)
    }
    #expect(test.receive("owntracks/a/b", String(repeating: "1", count: 201)) == nil)
    #expect(test.decodedCount == 0)
    #expect(test.receive("owntracks/a/b", "100") != nil)
    // The first payload is too long for a last will, the next one is short enough.
    let long = String(repeating: "1", count: FleetIntake.willLength + 1)
    #expect(test.receive("owntracks/a/b", long) == nil)
    #expect(test.decodedCount == 1)
    #expect(test.receive("owntracks/a/b", "101") == nil)
    #expect(test.decodedCount == 2)
  }

  @Test func followsTheUserAndTheDeviceOfItsFilter() {
    var test = TestIntake(FleetConfiguration(base: "a/b", user: "jane", device: "phone"))
    for topic in ["a/b/john/phone", "a/b/jane/watch", "a/b/jane/phones", "owntracks/jane/phone"] {
      #expect(test.receive(topic, "100") == nil)
    }
    #expect(test.receive("a/b/jane/phone", "100") == update("jane/phone", at: 100))
    #expect(test.decodedCount == 1)
    #expect(test.intake.statistics.unexpectedTopics == 4)
  }

  @Test func forgetsManySilentDevicesInParts() {
    var test = TestIntake(FleetLimits(silence: .seconds(10)))
    for number in 0..<100 { _ = test.receive("owntracks/a/\(number)", "100") }
    test.now.monotonic = 10_000_000_000
    _ = test.receive("owntracks/b/b", "other")
    #expect(test.intake.directory.count == 100 - FleetIntake.forgottenPerMessage)
    _ = test.receive("owntracks/b/b", "other")
    #expect(test.intake.directory.count == 0)
    #expect(
      test.results.changes.suffix(100) == (0..<100).map { .forgotten(id("a/\($0)")) })
  }

  @Test func returnsTheStateOfADevice() {
    var test = TestIntake()
    #expect(test.intake.device(id("a/b"), at: 0) == nil)
    _ = test.receive("owntracks/a/b", "100", isRetained: true)
    #expect(
      test.intake.device(id("a/b"), at: 9)
        == FleetDevice(id: id("a/b"), location: location(at: 100)))
    test.now.monotonic = 5_000_000_000
    _ = test.receive("owntracks/a/b", "99")
    #expect(
      test.intake.device(id("a/b"), at: 7_000_000_000)
        == FleetDevice(
          id: id("a/b"), location: location(at: 100), presence: .online, silence: .seconds(2),
          drops: FleetDevice.Drops([.stale: 1])))
  }

  /// A receiver's clock is half an hour ahead for five seconds, then right.
  @Test("F73 a clock that was ahead hides a device for ten seconds at most, and is reported")
  func clockLeadHidesADeviceBriefly() {
    var test = TestIntake()
    let delivered = test.seconds(0..<30) { (10..<15).contains($0) ? 1_800 : 0 }
    #expect(delivered == (0..<30).filter { !(10..<15).contains($0) })
    #expect(test.results.changes.last == .dropping(id("jane/phone"), .future))
    #expect(test.intake.device(id("jane/phone"), at: 0)?.drops[.future] == 5)
  }

  /// One location has a time that is ahead by the tolerance, so later locations are dropped until
  /// that time is reached.
  @Test("F73 a clock within the tolerance holds back no longer than that")
  func smallClockLeadDelaysLocations() {
    var test = TestIntake()
    let delivered = test.seconds(0..<20) { $0 == 2 ? 10 : 0 }
    #expect(delivered == [0, 1, 2] + Array(13..<20))
    #expect(test.results.changes.last == .dropping(id("jane/phone"), .stale))
  }

  @Test func dropsAreCountedPerDevice() throws {
    var test = TestIntake()
    for payload in ["100", "99", "99", "{", "100"] { _ = test.receive("owntracks/a/b", payload) }
    _ = test.receive("owntracks/a/c", "100")
    let drops = try #require(test.intake.device(id("a/b"), at: 0)).drops
    #expect(drops == FleetDevice.Drops([.stale: 2, .malformed: 1, .duplicate: 1]))
    #expect(drops.total == 4)
    #expect(drops.description.contains("stale: 2"))
    #expect(test.intake.device(id("a/c"), at: 0)?.drops.total == 0)
    // The slot of a forgotten device is used again, without its counts.
    test.intake.forget(id("a/b"), into: &test.results)
    _ = test.receive("owntracks/a/d", "100")
    #expect(test.intake.directory.slotCount == 2)
    #expect(test.intake.device(id("a/d"), at: 0)?.drops.total == 0)
  }

  /// Messages for topics without a known device are decoded at a limited rate only.
  @Test func malformedMessagesOfUnknownDevicesAreLimited() {
    var test = TestIntake(FleetLimits(devices: 1))
    for _ in 0..<1_000 { _ = test.receive("owntracks/evil/a", "{") }
    #expect(test.decodedCount == 16)
    #expect(test.intake.statistics.malformed == 16)
    #expect(test.intake.statistics.rateLimited == 984)
    test.now.monotonic += 1_000_000_000
    for _ in 0..<10 { _ = test.receive("owntracks/evil/a", "other") }
    #expect(test.decodedCount == 17)
    // Another topic may share the bucket of the first, so the bucket is refilled by one token.
    test.now.monotonic += 1_000_000_000
    // Messages that add a device do not count towards the limit.
    #expect(test.receive("owntracks/jane/phone", "100") != nil)
    test.now.monotonic += 3_600_000_000_000
    for _ in 0..<1_000 { _ = test.receive("owntracks/evil/b", "100") }
    #expect(test.decodedCount == 18 + 16)
    #expect(test.intake.statistics.refused == 16)
  }

  /// Unknown topics share a limit, and known devices are served meanwhile.
  @Test(.longWork) func unknownDevicesShareALimit() {
    var test = TestIntake()
    #expect(test.receive("owntracks/jane/phone", "100") != nil)
    for number in 0..<100_000 { _ = test.receive("owntracks/evil/\(number)", "{") }
    #expect(test.decodedCount <= 16 * SharedBuckets.bucketCount + 1)
    #expect(test.receive("owntracks/jane/phone", "101") != nil)
    test.now.monotonic += 1_000_000_000
    #expect(test.receive("owntracks/jane/watch", "100") != nil)
  }

  /// Beyond the rate, a short message of a known device may be a last will, so a few are decoded.
  @Test func messagesBeyondTheRateAreRarelyDecoded() {
    var test = TestIntake(FleetLimits(messagesPerSecond: 1, burst: 1))
    #expect(test.receive(Self.phone, "100") != nil)
    for _ in 0..<1_000 { _ = test.receive(Self.phone, "x") }
    #expect(test.decodedCount == 1 + 16)
    #expect(test.intake.statistics.rateLimited == 1_000)
    // The bucket of these messages is also refilled at the rate, here by one token a second.
    test.now.monotonic += 10_000_000_000
    _ = test.receive(Self.phone, "x")
    for _ in 0..<9 { _ = test.receive(Self.phone, "x") }
    #expect(test.receive(Self.phone, "will") == nil)
    #expect(test.intake.statistics.wills == 1)
  }

  @Test(.longWork) func newDevicesAreNotLimited() {
    var test = TestIntake()
    for number in 0..<20_000 {
      #expect(test.receive("owntracks/jane/\(number)", "100", isRetained: true) != nil)
    }
  }

  @Test func statisticsAreSubtracted() throws {
    var test = TestIntake()
    _ = test.receive("owntracks/a/b", "100")
    let earlier = test.intake.statistics
    _ = test.receive("owntracks/a/b", "101", isRetained: true)
    _ = test.receive("owntracks/a/b", "{")
    let change = test.intake.statistics.since(earlier)
    var expected = FleetStatistics()
    (expected.messages, expected.bytes, expected.retained) = (2, 30, 1)
    (expected.delivered, expected.malformed) = (1, 1)
    #expect(change == expected)
    #expect(test.intake.statistics.since(FleetStatistics()) == test.intake.statistics)
    // Fails if a new count is not added to the table.
    #expect(MemoryLayout<FleetStatistics>.size == 8 * FleetStatistics.table.count)
    // Each count has its own difference.
    let zeros = try JSONDecoder().decode(
      [String: UInt64].self, from: JSONEncoder().encode(FleetStatistics()))
    let numbers = zeros.keys.sorted().enumerated().map { ($1, UInt64($0 + 1)) }
    let all = try JSONDecoder().decode(
      FleetStatistics.self,
      from: JSONEncoder().encode(Dictionary(uniqueKeysWithValues: numbers)))
    #expect(all.since(FleetStatistics()) == all)
    #expect(all.since(all) == FleetStatistics())
    // Statistics of an earlier version lack the counts that came later.
    #expect(
      try JSONDecoder().decode(FleetStatistics.self, from: Data("{}".utf8)) == FleetStatistics())
  }
}
