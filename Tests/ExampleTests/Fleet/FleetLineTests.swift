import AsyncLocation
import FoundationEssentials
import OwnTracks
import TestSupport
import Testing

@testable import MQTTBackend
@testable import async_location_example

@Suite(.inTurn) struct FleetLineTests {
  private static func event(_ name: String = "boat") throws -> FleetEvent {
    FleetEvent(
      device: try FleetSamples.id(name), identifier: "the harbour", previousState: .unknown,
      state: .satisfied, location: try Samples.location(full: false))
  }

  @Test func linesHaveColumns() throws {
    #expect(
      FleetLine.line(try FleetSamples.update(isRetained: true))
        == "location 2026-05-04T03:02:01.250Z  48.1371540   11.5761240    2.4  13.90  87.3 retained "
        + "-         jane/boat")
    #expect(
      FleetLine.line(try Self.event(), .unicode)
        == "event    2026-05-04T03:02:01.250Z unknown     → satisfied    48.1371540   11.5761240 "
        + "live     jane/boat the harbour")
    let offline = try #require(
      FleetPresence(.offline(FleetSamples.id("boat")), at: Samples.time))
    #expect(
      FleetLine.line(offline) == "presence 2026-05-04T03:02:01.250Z offline   jane/boat")
    let unknown = try #require(FleetPresence(.interrupted, at: Samples.time))
    #expect(FleetLine.line(unknown) == "presence 2026-05-04T03:02:01.250Z unknown   -")
    #expect(FleetPresence(.added(try FleetSamples.id("boat")), at: Samples.time) == nil)
  }

  @Test(
    "a location has the reasons why it is suspect",
    arguments: [
      (nil, "-        "), (.plausible, "plausible"),
      (LocationIntegrity(reasons: [.jump, .replay]), "jump,replay"),
    ] as [(LocationIntegrity?, String)])
  func integrity(_ integrity: LocationIntegrity?, _ column: String) throws {
    var location = try Samples.location()
    location.integrity = integrity
    let update = FleetUpdate(device: try FleetSamples.id("boat"), location: location)
    #expect(FleetLine.line(update).hasSuffix(" live     \(column) jane/boat"))
    #expect(LocationLine.line(location).contains(" \(column) "))
    #expect(FleetLine.line(update).split(separator: " ").count == FleetLine.locationColumns.count)
  }

  @Test func jsonLinesAreFlat() throws {
    let update = FleetUpdate(
      device: try FleetSamples.id("boat"), location: try Samples.location(device: nil, full: false))
    let line = try JSONLine.line(FleetLocation(update: update))
    #expect(line.hasPrefix(#"{"device":"jane/boat","isRetained":false,"latitude":48.137154,"#))
    #expect(line.contains(#""timestamp":"2026-05-04T03:02:01.250Z""#))
    let presence = try #require(
      FleetPresence(.online(FleetSamples.id("boat")), at: Samples.time))
    #expect(
      try JSONLine.line(presence)
        == #"{"device":"jane/boat","presence":"online","timestamp":"2026-05-04T03:02:01.250Z"}"#)
    let event = try JSONLine.line(FleetCrossing(Self.event()))
    #expect(
      event.hasPrefix(#"{"device":"jane/boat","event":"satisfied","identifier":"the harbour","#))
    #expect(event.contains(#""previousState":"unknown""#))
  }

  @Test func namesAreEscapedToOneColumn() throws {
    let name = FleetSamples.hostileName
    let line = FleetLine.line(try FleetSamples.update(name))
    #expect(line.hasSuffix(#" jane/evil\u0020\u3164"#))
    let json = try JSONLine.line(FleetLocation(update: try FleetSamples.update(name)))
    #expect(json.contains(#""device":"jane/evil \u3164""#))
  }

  @Test("F59 a message is one line of JSON, whatever its texts are") func messages() throws {
    let payload = #"{"_type":"card","name":"Ja\n\u202ene","mood":"a\u2028\u00fc"}"#
    let message = FleetMessage(
      device: try FleetSamples.id("boat"), message: try OwnTracksMessage(json: payload.utf8),
      isRetained: true)
    let content = #"{"_type":"card","name":"Ja\u000a\u202ene","mood":"a\u2028\u00fc"}"#
    #expect(
      FleetLine.line(message, at: Samples.time)
        == "message  2026-05-04T03:02:01.250Z retained jane/boat " + content)
    #expect(
      try FleetLine.json(message, at: Samples.time)
        == #"{"device":"jane/boat","isRetained":true,"timestamp":"2026-05-04T03:02:01.250Z","#
        + #""message":"# + content + "}")
  }

  @Test func namesDevicesWithDroppedMessages() throws {
    var notices = DropNotices()
    #expect(notices.text(.online(try FleetSamples.id("boat"))) == nil)
    let change = FleetChange.dropping(try FleetSamples.id(FleetSamples.hostileName), .future)
    #expect(
      notices.text(change)
        == #"Messages of jane/evil\u0020\u3164 are dropped: they are from the future; check the "#
        + "device's clock, and that of this computer.")
    #expect(notices.text(change) == nil, "once")
    let others = try (1...10).map { FleetChange.dropping(try FleetSamples.id("\($0)"), .stale) }
    let texts = others.map { notices.text($0) }
    #expect(texts.prefix(7).allSatisfy { $0?.contains("older than those shown") == true })
    #expect(texts.suffix(3) == ["Messages of more devices are dropped.", nil, nil])
  }

  @Test func countsDroppedMessages() {
    #expect(
      FleetText.summary(FleetStatistics(), devices: 1)
        == "0 locations of 1 device; nothing was dropped")
    var statistics = FleetStatistics()
    statistics.droppedByBroker = 7
    #expect(
      FleetText.summary(statistics, devices: 1).hasSuffix(
        "nothing was dropped; the broker says that it dropped 7 messages for its clients: raise its "
          + "max_queued_messages"))
  }
}
