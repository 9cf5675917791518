import AsyncLocation
import Foundation
import Glibc
import MQTTBackend
import MockBackend
import Synchronization
import TestSupport
import Testing

@testable import async_location_example

/// A fleet whose file of areas is read again, as SIGHUP requests it.
@Suite(.inTurn) struct FleetAreasTests {
  // MARK: The signal

  /// A SIGHUP: a request to read the file again, or the end of the run.
  struct HangUp: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Whether the command reads its file again on request.
    var isAccepted = true
    let hadTerminal: Bool
    let hasTerminal: Bool
    let isRequest: Bool
  }

  static let hangUps = [
    HangUp(testDescription: "a service", hadTerminal: false, hasTerminal: false, isRequest: true),
    HangUp(testDescription: "a terminal", hadTerminal: true, hasTerminal: true, isRequest: true),
    HangUp(
      testDescription: "a terminal that was closed", hadTerminal: true, hasTerminal: false,
      isRequest: false),
    HangUp(
      testDescription: "a command that reads no file again", isAccepted: false, hadTerminal: false,
      hasTerminal: false, isRequest: false),
  ]

  @Test(arguments: hangUps)
  func aHangUpReloadsOrEndsTheRun(_ hangUp: HangUp) async {
    let terminal = Terminal(hangUp.hadTerminal)
    let reloads = ReloadRequests(hasTerminal: { terminal.exists.load(ordering: .relaxed) })
    let requests = hangUp.isAccepted ? reloads.accept() : nil
    terminal.exists.store(hangUp.hasTerminal, ordering: .relaxed)
    #expect(reloads.post() == hangUp.isRequest)
    guard let requests, hangUp.isRequest else { return }
    for await _ in requests { break }
  }

  private final class Terminal: Sendable {
    let exists: Atomic<Bool>

    init(_ exists: Bool) { self.exists = Atomic(exists) }
  }

  // MARK: Messages

  @Test(
    arguments: [
      (FleetConditionDifference(), 1, "a.geojson: 1 condition, nothing changed"),
      (
        FleetConditionDifference(added: ["b", "a"], removed: ["c"]), 2,
        #"a.geojson: 2 conditions, added "a", "b"; removed "c""#
      ),
      (
        FleetConditionDifference(
          added: [], replaced: (1...5).map { "\($0)" }, readdressed: ["x"], removed: []), 6,
        #"a.geojson: 6 conditions, replaced "1", "2", "3" and 2 more; for other devices "x""#
      ),
    ])
  func changesAreCounted(_ difference: FleetConditionDifference, _ count: Int, _ text: String) {
    #expect(FleetText.reloaded("a.geojson", difference, count: count) == text)
  }

  // MARK: The file

  private static func area(_ identifier: String, _ longitude: Double, radius: Int = 1000) -> String
  {
    #"{"type":"Feature","id":"\#(identifier)","properties":{"radius":\#(radius)},"geometry":"#
      + #"{"type":"Point","coordinates":[\#(longitude),47]}}"#
  }

  private static func write(_ areas: [String], to folder: RecordingFolder) throws {
    let features = areas.joined(separator: ",")
    try folder.write(
      #"{"type":"FeatureCollection","features":[\#(features)]}"#, to: "areas.geojson")
  }

  @Test("a file that cannot be used changes nothing")
  func keepsTheAreas() async throws {
    let folder = try RecordingFolder()
    let path = "\(folder.path)/areas.geojson"
    try Self.write([Self.area("depot", 8), Self.area("old", 10)], to: folder)
    let file = FenceFile(path: path, context: Bench(MockBackend()).tool.context) { Samples.time }
    let fleet = try Fleet(FleetConfiguration())
    let areas = FleetAreas(file: file, fleet: fleet)
    #expect(
      await areas.reload().messages == [#"\#(path): 2 conditions, added "depot", "old""#])
    #expect(await areas.reload().messages == ["\(path): 2 conditions, nothing changed"])
    for content in ["", "[1, 2", #"{"type":"FeatureCollection","features":[]}"#] {
      try folder.write(content, to: "areas.geojson")
      let (messages, conditions) = await areas.reload()
      #expect(messages.count == 1)
      #expect(messages.first?.hasPrefix("the areas are not changed: \(path): ") == true)
      #expect(conditions == nil)
      #expect(fleet.conditionCount == 2)
    }
    unlink(path)
    #expect(
      await areas.reload().messages.first?.hasPrefix("the areas are not changed: \(path): ") == true
    )
    try Self.write([Self.area("depot", 8, radius: 900)], to: folder)
    let (messages, conditions) = await areas.reload()
    #expect(messages == [#"\#(path): 1 condition, replaced "depot"; removed "old""#])
    #expect(conditions?.keys.sorted() == ["depot"])
    #expect(fleet.conditionCount == 1)
    await fleet.shutdown()
  }

  // MARK: The process

  private struct Event: Decodable {
    let event, previousState, identifier: String
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, _ output: String) -> [Value] {
    output.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(type, from: Data($0.utf8))
    }
  }

  /// Messages of a device, an hour and a half apart.
  private struct Device {
    private var time = 1_700_000_000

    mutating func message(at longitude: Double) -> RawPublisher.Message {
      time += 5_400
      return RawPublisher.Message(
        "owntracks/jane/van",
        #"{"_type":"location","lat":47,"lon":\#(longitude),"tst":\#(time),"acc":5}"#)
    }
  }

  private static func fleet(_ broker: RealBroker, _ options: String) throws -> ChildProcess {
    try ChildProcess("fleet --broker mqtt://127.0.0.1:\(broker.port) --format json \(options)")
  }

  @Test("SIGHUP applies the differences of the file while the fleet runs", .needsBroker)
  func readsTheFileAgain() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    try Self.write([Self.area("depot", 8), Self.area("old", 10)], to: folder)
    let fleet = try Self.fleet(broker, "--conditions \(folder.path)/areas.geojson")
    await broker.waitForSubscribers(1)
    let publisher = try await RawPublisher(to: broker.port)
    var (device, output, moves) = (Device(), "", 0)
    /// Publishes a location, and returns when the fleet has printed it.
    func move(to longitude: Double) async throws {
      try await publisher.publish([device.message(at: longitude)])
      moves += 1
      while Self.decode(Location.self, output).count < moves {
        output += await fleet.read(atLeast: 1)
      }
    }
    try await move(to: 8)
    try Self.write([Self.area("depot", 8), Self.area("yard", 8, radius: 500)], to: folder)
    fleet.send(SIGHUP)
    await fleet.waitForError(#"2 conditions, added "yard"; removed "old""#)
    for longitude in [8.0, 10, 9] { try await move(to: longitude) }
    try folder.write("{", to: "areas.geojson")
    fleet.send(SIGHUP)
    await fleet.waitForError("the areas are not changed: \(folder.path)/areas.geojson: ")
    try await move(to: 8)
    while Self.decode(Event.self, output).count < 6 { output += await fleet.read(atLeast: 1) }
    fleet.send(SIGTERM)
    let ended = await fleet.end()
    #expect(ended.status == 0, "\(ended.errors)")
    let events = Self.decode(Event.self, output + ended.output)
    #expect(
      events.map { "\($0.identifier): \($0.previousState) to \($0.event)" } == [
        "depot: unknown to satisfied", "yard: unknown to satisfied",
        "depot: satisfied to unsatisfied", "yard: satisfied to unsatisfied",
        "depot: unsatisfied to satisfied", "yard: unsatisfied to satisfied",
      ])
  }

  @Test("SIGHUP ends a fleet without areas", .needsBroker)
  func endsWithoutAreas() async throws {
    let broker = try await RealBroker()
    let fleet = try Self.fleet(broker, "--count 5")
    await broker.waitForSubscribers(1)
    fleet.send(SIGHUP)
    #expect(await fleet.end().status == 128 + SIGHUP)
  }
}
