import AsyncLocation
import CSodium
import FoundationEssentials
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend

/// Messages that are not locations, and encrypted messages.
@Suite(.inTurn) struct FleetMessageTests {
  /// A fleet that decodes OwnTracks' messages, without a broker.
  private struct Bench {
    let hub: FleetHub
    let fleet: Fleet

    init(
      includesAllMessages: Bool = true, keys: FleetConfiguration.Keys? = nil,
      limits: FleetLimits = FleetLimits()
    ) {
      hub = FleetHub(
        FleetConfiguration(
          includesAllMessages: includesAllMessages, keys: keys, limits: limits),
        now: { Date(timeIntervalSinceReferenceDate: testNow) }, decode: { FleetContent($0) })
      fleet = Fleet(hub, FleetConnection(start: {}, stop: {}, waitUntilStopped: {}))
    }

    func receive(_ topic: String, _ payload: String, isRetained: Bool = false) {
      let topic = "owntracks/" + topic
      hub.received(topic: topic.utf8.span, payload: payload.utf8.span, isRetained: isRetained)
    }

    /// Ends the fleet and returns the remaining elements of a stream.
    func rest<Element>(of stream: Updates<Element>) async throws -> [Element] {
      await fleet.shutdown()
      var elements: [Element] = []
      for try await element in stream { elements.append(element) }
      return elements
    }
  }

  private static func location(_ second: Int, battery: Int = 40) -> String {
    #"{"_type":"location","lat":60,"lon":24,"tst":\#(second),"batt":\#(battery),"x":[1]}"#
  }

  private static let transition =
    #"{"_type":"transition","event":"enter","tst":1700000005,"desc":"Home"}"#

  /// The kind of each message, with a member that tells it from others.
  private func kinds(_ messages: [FleetMessage]) -> [String] {
    messages.map { message in
      switch message.message {
      case .location(let message):
        "\(Int(message.location.timestamp.timeIntervalSince1970)) \(message.batteryLevel ?? 0)%"
      case .transition(let message): "\(message.event) \(message.name ?? "")"
      case .card(let message): "card \(message.name ?? "")"
      case .steps(let message): "steps \(message.count ?? 0)"
      case .lastWill: "will"
      case .other(let message): "other \(message.type)"
      default: "\(message.message)"
      }
    }
  }

  @Test("all messages of a device arrive in order")
  func allMessages() async throws {
    let bench = Bench()
    let (messages, updates) = (bench.fleet.messages, bench.fleet.updates)
    bench.receive("jane/boat/info", #"{"_type":"card","name":"Jane"}"#, isRetained: true)
    bench.receive("jane/boat", Self.location(1_700_000_000))
    bench.receive("jane/boat/event", Self.transition)
    bench.receive("jane/boat", Self.location(1_700_000_000, battery: 39))  // Once more.
    bench.receive("jane/boat", Self.location(1_699_999_999))  // Late.
    bench.receive("jane/boat/step", #"{"_type":"steps","tst":1700000006,"steps":7}"#)
    bench.receive("jane/boat/dump", #"{"_type":"dump","configuration":{}}"#)
    bench.receive("jane/boat", Self.location(1_700_000_010, battery: 38))
    bench.receive("jane/boat", #"{"_type":"lwt","tst":1}"#)
    let received = try await bench.rest(of: messages)
    #expect(
      kinds(received) == [
        "card Jane", "1700000000 40%", "enter Home", "steps 7", "other dump", "1700000010 38%",
        "will",
      ])
    #expect(received.map(\.isRetained) == [true] + Array(repeating: false, count: 6))
    #expect(Set(received.map(\.device)) == [id("jane/boat")])
    guard case .location(let message) = received[1].message else {
      Issue.record("\(received[1])")
      return
    }
    #expect(message.otherMembers == ["x": "[1]"])
    #expect(try await bench.rest(of: updates).count == 2)
    #expect(bench.fleet.statistics.other == 4)
  }

  @Test("other topics are left out unless requested, and topics to devices always")
  func topics() async throws {
    let bench = Bench(includesAllMessages: false)
    let messages = bench.fleet.messages
    bench.receive("jane/boat/event", Self.transition)
    bench.receive("jane/boat", Self.location(1_700_000_000))
    #expect(kinds(try await bench.rest(of: messages)) == ["1700000000 40%"])
    let other = Bench()
    let all = other.fleet.messages
    other.receive("jane/boat/cmd", #"{"_type":"cmd","action":"dump"}"#)
    other.receive("jane/boat/event/more", Self.transition)
    #expect(try await other.rest(of: all) == [])
    #expect(other.fleet.deviceCount == 0)
  }

  /// Updates and conditions would treat such a location as one of the device.
  @Test("a location below the device's topic is ignored") func locationElsewhere() async throws {
    let bench = Bench()
    let (messages, updates) = (bench.fleet.messages, bench.fleet.updates)
    bench.receive("jane/boat/event", Self.location(1_700_000_000))
    bench.receive("jane/boat/event", #"{"_type":"lwt","tst":1}"#)
    #expect(try await bench.rest(of: messages) == [])
    #expect(try await bench.rest(of: updates) == [])
    #expect(bench.fleet.devices.isEmpty)
  }

  @Test("a message without a required member is malformed") func malformed() async throws {
    let bench = Bench()
    let (messages, changes) = (bench.fleet.messages, bench.fleet.changes)
    bench.receive("jane/boat", Self.location(1_700_000_000))
    bench.receive("jane/boat/event", #"{"_type":"transition","tst":1}"#)
    #expect(try await bench.rest(of: messages).count == 1)
    #expect(try await bench.rest(of: changes).last == .dropping(id("jane/boat"), .malformed))
  }

  @Test("a late reader receives later messages in order") func lateReader() async throws {
    let bench = Bench()
    bench.receive("jane/boat", Self.location(1_700_000_000))
    bench.hub.flush()
    let messages = bench.fleet.messages
    bench.receive("jane/boat/event", Self.transition)
    bench.receive("jane/boat", Self.location(1_700_000_010))
    #expect(kinds(try await bench.rest(of: messages)) == ["enter Home", "1700000010 40%"])
  }

  // MARK: Encryption

  private static let key = PayloadKey(password: "correct horse")!

  /// A payload as OwnTracks' apps encrypt it.
  private static func encrypted(_ text: String, password: String = "correct horse") -> String {
    let key = Array(password.utf8) + Array(repeating: 0, count: 32 - password.utf8.count)
    let nonce = (0..<24).map { UInt8($0) }
    var box = [UInt8](repeating: 0, count: text.utf8.count + Int(crypto_secretbox_MACBYTES))
    _ = crypto_secretbox_easy(&box, Array(text.utf8), UInt64(text.utf8.count), nonce, key)
    let data = Data(nonce + box).base64EncodedString()
    return #"{"_type":"encrypted","data":"\#(data)"}"#
  }

  /// Returns the payload with one bit of its content changed.
  private static func tampered(_ payload: String) throws -> String {
    guard case .encrypted(var message) = try OwnTracksMessage(json: payload.utf8) else { return "" }
    message.data[message.data.startIndex + 30] ^= 1
    return String(decoding: OwnTracksMessage.encrypted(message).json, as: UTF8.self)
  }

  @Test("F81 encrypted messages are decrypted with the key of their device, or dropped")
  func encryption() async throws {
    let bench = Bench(keys: { $0.device == "boat" ? Self.key : nil })
    let (messages, changes) = (bench.fleet.messages, bench.fleet.changes)
    let first = Self.encrypted(Self.location(1_700_000_000))
    bench.receive("jane/boat", first)
    bench.receive("jane/boat", first)  // Replayed.
    bench.receive("jane/boat", try Self.tampered(Self.encrypted(Self.location(1_700_000_020))))
    bench.receive(
      "jane/boat", Self.encrypted(Self.location(1_700_000_021), password: "another"))
    bench.receive("jane/boat", Self.encrypted(Self.encrypted(Self.location(1_700_000_022))))
    bench.receive("jane/boat", #"{"_type":"encrypted","data":"AAAA"}"#)
    bench.receive("jane/boat/event", Self.encrypted(Self.transition))
    bench.receive("jane/phone", first)
    bench.receive("jane/boat", Self.encrypted(Self.location(1_700_000_030)))
    #expect(
      kinds(try await bench.rest(of: messages)) == [
        "1700000000 40%", "enter Home", "1700000030 40%",
      ])
    let (boat, phone) = (id("jane/boat"), id("jane/phone"))
    #expect(
      try await bench.rest(of: changes) == [
        .added(boat), .online(boat), .dropping(boat, .undecryptable), .dropping(boat, .malformed),
        .added(phone), .dropping(phone, .encrypted),
      ])
    let device = try #require(bench.fleet.device(boat))
    #expect(device.drops[.undecryptable] == 3)
    #expect(device.drops[.duplicate] == 1)
    #expect(device.drops[.malformed] == 1)
    #expect(bench.fleet.device(phone)?.drops[.encrypted] == 1)
    #expect(bench.fleet.device(phone)?.location == nil)
    #expect(bench.fleet.device(phone)?.isUnreadable == true)
    #expect(bench.fleet.device(phone)?.presence == .unknown)
    #expect(!device.isUnreadable)
    #expect(bench.fleet.statistics.encrypted == 1)
    #expect(bench.fleet.statistics.undecryptable == 3)
  }

  @Test("F81 decrypted locations reach updates and conditions, also without a reader of messages")
  func decryptedLocations() async throws {
    let bench = Bench(keys: { _ in Self.key })
    let (updates, events) = (bench.fleet.updates, bench.fleet.events)
    try bench.fleet.add(
      .circle(center: Coordinate(latitude: 60, longitude: 24), radius: 100), identifier: "home")
    bench.receive("jane/boat", Self.encrypted(Self.location(1_700_000_000)))
    #expect(try await bench.rest(of: updates).count == 1)
    #expect(try await bench.rest(of: events).map(\.identifier) == ["home"])
    #expect(bench.fleet.device(id("jane/boat"))?.location != nil)
  }

  @Test("an encrypted will makes a device offline, also beyond its rate, and none without a key")
  func encryptedWill() async throws {
    let will = Self.encrypted(#"{"_type":"lwt","tst":1700000000}"#)
    let bench = Bench(keys: { _ in Self.key }, limits: FleetLimits(messagesPerSecond: 1, burst: 2))
    for second in 0..<3 {
      bench.receive("jane/boat", Self.encrypted(Self.location(1_700_000_000 + second)))
    }
    bench.receive("jane/boat", will)
    #expect(bench.fleet.device(id("jane/boat"))?.presence == .offline)
    let without = Bench()
    without.receive("jane/boat", will)
    #expect(without.fleet.device(id("jane/boat"))?.presence == .unknown)
  }

  @Test("messages are counted alike with and without a reader", arguments: [true, false])
  func countsDoNotDependOnReaders(_ isRead: Bool) async throws {
    let bench = Bench()
    let messages = isRead ? bench.fleet.messages : nil
    bench.receive("jane/boat/event", #"{"_type":"transition","tst":1}"#)
    bench.receive("jane/boat/beacon", #"{"_type":"beacon","uuid":"x"}"#)
    #expect(bench.fleet.statistics.malformed == 1)
    #expect(bench.fleet.statistics.other == 1)
    #expect(bench.fleet.deviceCount == 1)
    if let messages { #expect(kinds(try await bench.rest(of: messages)) == ["other beacon"]) }
  }

  @Test("F57 a buffer of messages is bounded in bytes") func buffer() async throws {
    let bench = Bench(limits: FleetLimits(messageBytes: 1_000_000))
    let messages = bench.fleet.messages
    let text = String(repeating: "x", count: 50_000)
    for second in 0..<20 {
      bench.receive(
        "jane/boat",
        #"{"_type":"location","lat":60,"lon":24,"tst":\#(second),"x":"\#(text)"}"#)
    }
    #expect(try await bench.rest(of: messages).count == 4, "The newest, of four bytes a byte.")
  }

  @Test func keysHaveTheirLengthAndAreNotPrinted() {
    #expect(PayloadKey(Array(repeating: 1, count: 31)) == nil)
    #expect(PayloadKey(Array(repeating: 1, count: 33)) == nil)
    #expect(PayloadKey(password: "") == nil)
    #expect(PayloadKey(password: String(repeating: "a", count: 33)) == nil)
    #expect(PayloadKey(password: String(repeating: "a", count: 32)) != nil)
    #expect("\(Self.key)" == "PayloadKey")
    // 99 is the first byte of the key.
    #expect(!String(reflecting: Self.key).contains("99"))
  }
}
