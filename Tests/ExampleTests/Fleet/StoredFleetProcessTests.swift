import AsyncLocation
import Foundation
import Glibc
import LocationFleet
import LocationStorage
import MockBackend
import PostgreSQLStorage
import TestSupport
import Testing

@testable import async_location_example

/// `fleet --storage` and `history`, as processes beside a real broker.
@Suite(.needsBroker, .inTurn)
struct StoredFleetProcessTests {
  /// The number of times that the server is killed.
  private static let kills = Rounds.environment("ASYNC_LOCATION_CRASHES", otherwise: 8)

  private struct Event: Decodable, Hashable {
    let number: UInt64
    let isRepeated: Bool
    let event, previousState, identifier, device: String
    let timestamp: String
  }

  private static func events(_ output: String) -> [Event] {
    output.split(separator: "\n").compactMap {
      try? JSONDecoder().decode(Event.self, from: Data($0.utf8))
    }
  }

  private static let area =
    #"{"type":"Feature","id":"depot","properties":{"radius":1000},"geometry":{"type":"Point","#
    + #""coordinates":[8,47]}}"#

  /// Devices that enter and leave the depot, with messages an hour and a half apart.
  private struct Commuters {
    var random: SplitMix64
    /// Whether each device is in the depot.
    var isInside = [false, false, false]
    /// The devices that have been in the depot.
    var visitors: Set<Int> = []
    private var time = 1_700_000_000

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The time of the last message, as lines of JSON contain it.
    var lastTime: String {
      Date(timeIntervalSince1970: Double(time)).formatted(.iso8601).replacing("Z", with: ".000Z")
    }

    mutating func messages(_ count: Int) -> [RawPublisher.Message] {
      (0..<count).map { index in
        time += 5_400
        let device = index % isInside.count
        isInside[device] = Bool.random(using: &random)
        if isInside[device] { visitors.insert(device) }
        let latitude = isInside[device] ? 47 : 48
        return RawPublisher.Message(
          "owntracks/user/\(device)",
          #"{"_type":"location","lat":\#(latitude),"lon":8,"tst":\#(time),"acc":5}"#,
          isRetained: true)
      }
    }
  }

  /// The kind of storage that a test's server uses.
  private enum Engine: String {
    case file, database

    static let all: [Self] = [.file] + (RealDatabase.isExpected ? [.database] : [])

    /// Returns the storage, and the value of `--storage` for it.
    func storage(in folder: RecordingFolder) async throws -> (any FleetStorage, String) {
      switch self {
      case .file:
        let path = "\(folder.path)/fleet.db"
        return (SQLiteFleetStorage(file: path), path)
      case .database:
        let connection = try await RealDatabase.shared().databaseURI()
        return (PostgreSQLFleetStorage(connection, part: FleetText.topic), connection)
      }
    }
  }

  @Test(
    "F76 after kill -9 of the server at any moment, no crossing is lost or reported twice",
    arguments: Engine.all)
  private func kills(engine: Engine) async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    try folder.write(Self.area, to: "areas.geojson")
    let (storage, name) = try await engine.storage(in: folder)
    let command =
      "fleet --broker mqtt://127.0.0.1:\(broker.port) --format json "
      + "--storage \(name) --conditions \(folder.path)/areas.geojson"
    let publisher = try await RawPublisher(to: broker.port)
    var commuters = Commuters(seed: 76)
    var received: [Event] = []
    for round in 1...Self.kills {
      let server = try ChildProcess(command)
      await broker.waitForSubscribers(1)
      try await publisher.publish(commuters.messages(6))
      // The lines of six locations have more than 500 bytes, so the read ends.
      let output = await server.read(atLeast: Int.random(in: 1...500, using: &commuters.random))
      server.send(SIGKILL)
      let ended = await server.end()
      #expect(ended.status == -SIGKILL, "\(ended.errors)")
      received += Self.events(output + ended.output)
      await broker.waitForEnds(round)
      // These messages arrive while no server runs.
      try await publisher.publish(
        commuters.messages(Int.random(in: 0...4, using: &commuters.random)))
    }
    let server = try ChildProcess(command)
    await broker.waitForSubscribers(1)
    try await publisher.publish(commuters.messages(3))
    var output = ""
    while !output.contains(commuters.lastTime) { output += await server.read(atLeast: 1) }
    server.send(SIGTERM)
    let ended = await server.end()
    #expect(ended.status == 0, "\(ended.errors)")
    received += Self.events(output + ended.output)
    // Adds the events that the last run stored and did not print.
    received += try await Self.unfinished(in: storage)
    Self.check(received, commuters.isInside)
    print("F76: \(engine) \(Self.kills) times killed, \(Set(received.map(\.number)).count) events")
  }

  @Test("a waiting server takes over when the owner is killed", .needsDatabase)
  func takeover() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    try folder.write(Self.area, to: "areas.geojson")
    let (_, name) = try await Engine.database.storage(in: folder)
    let command =
      "fleet --broker mqtt://127.0.0.1:\(broker.port) --format json "
      + "--storage \(name) --conditions \(folder.path)/areas.geojson"
    let owner = try ChildProcess(command)
    await broker.waitForSubscribers(1)
    // The next server connects to the broker only once it owns the part.
    let next = try ChildProcess(command)
    await next.waitForError("waiting: Another server owns the part \"owntracks/+/+\"")
    let publisher = try await RawPublisher(to: broker.port)
    var commuters = Commuters(seed: 79)
    try await publisher.publish(commuters.messages(9))
    var output = ""
    while !output.contains(commuters.lastTime) { output += await owner.read(atLeast: 1) }
    owner.send(SIGKILL)
    output += await owner.end().output
    await broker.waitForEnds(1)
    await broker.waitForSubscribers(1)
    try await publisher.publish(commuters.messages(9))
    var later = ""
    while !later.contains(commuters.lastTime) { later += await next.read(atLeast: 1) }
    next.send(SIGTERM)
    let ended = await next.end()
    #expect(ended.status == 0, "\(ended.errors)")
    let received = Self.events(output) + Self.events(later + ended.output)
    let rest = try await Self.unfinished(
      in: PostgreSQLFleetStorage(name, part: FleetText.topic))
    Self.check(received + rest, commuters.isInside)
  }

  /// Returns the stored events that no server has finished: it stored but did not print them, or did
  /// not record that it printed them.
  private static func unfinished(in storage: any FleetStorage) async throws -> [Event] {
    let (session, stored) = try await storage.open()
    await session.close()
    return stored.events.map { event in
      Event(
        number: event.number, isRepeated: event.isRepeated, event: event.state.description,
        previousState: event.previousState.description, identifier: event.identifier,
        device: event.device.description, timestamp: "")
    }
  }

  /// Requires that the events have no gaps and lead each device to its state.
  private static func check(_ received: [Event], _ isInside: [Bool]) {
    var first: [UInt64: Event] = [:]
    for event in received {
      if let before = first[event.number] {
        // Only the event in progress at a kill is repeated.
        #expect(event.isRepeated, "\(event)")
        #expect(event.event == before.event && event.device == before.device)
      } else {
        first[event.number] = event
      }
    }
    #expect(first.keys.sorted() == (1..<UInt64(first.count) + 1).map(\.self))
    for (index, isInside) in isInside.enumerated() {
      let events = first.values.filter { $0.device == "user/\(index)" }
        .sorted { $0.number < $1.number }
      for (before, after) in zip(events, events.dropFirst()) {
        #expect(after.previousState == before.event, "\(before) \(after)")
        #expect(after.event != before.event)
      }
      #expect((events.last?.event == "satisfied") == isInside)
    }
  }

  @Test("--count prints the events of the last locations, too")
  func printsTheLastEvents() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    let areas = (1...200).map { Self.area.replacing("depot", with: "depot \($0)") }
    try folder.write(
      #"{"type":"FeatureCollection","features":[\#(areas.joined(separator: ","))]}"#,
      to: "areas.geojson")
    let server = try ChildProcess(
      "fleet --broker mqtt://127.0.0.1:\(broker.port) --format json --count 1 "
        + "--storage \(folder.path)/fleet.db --conditions \(folder.path)/areas.geojson")
    await broker.waitForSubscribers(1)
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish([
      RawPublisher.Message(
        "owntracks/jane/van", #"{"_type":"location","lat":47,"lon":8,"tst":1700000000,"acc":5}"#)
    ])
    let ended = await server.end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(Self.events(ended.output).map(\.number) == Array(1...200))
    #expect(
      try await Self.unfinished(in: SQLiteFleetStorage(file: "\(folder.path)/fleet.db")).isEmpty)
  }

  @Test("history prints where a device was, and who was in an area")
  func history() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    try folder.write(Self.area, to: "areas.geojson")
    let storage = "--storage \(folder.path)/fleet.db"
    let server = try ChildProcess(
      "fleet --broker mqtt://127.0.0.1:\(broker.port) \(storage) --count 6")
    await broker.waitForSubscribers(1)
    let publisher = try await RawPublisher(to: broker.port)
    var commuters = Commuters(seed: 2)
    try await publisher.publish(commuters.messages(6))
    let ended = await server.end()
    #expect(ended.status == 0, "\(ended.errors)")
    func history(_ words: String) async throws -> ChildProcess.Ended {
      try await ChildProcess("history \(words) \(storage)").end()
    }
    let track = try await history("user/1")
    #expect(track.status == 0, "\(track.errors)")
    #expect(
      track.output.split(separator: "\n").map { $0.prefix(20) } == [
        "2023-11-15T01:13:20.", "2023-11-15T05:43:20.",
      ])
    let at = try await history("user/1 --at 2023-11-15T03:00:00Z --format json")
    #expect(at.output.contains("2023-11-15T01:13:20"))
    let until = try await history("user/1 --until 2023-11-15T01:13:20Z")
    #expect(until.status == 1)
    #expect(until.errors.contains("nothing was found"))
    let visits = try await history("--conditions \(folder.path)/areas.geojson --format json")
    let devices = visits.output.split(separator: "\n")
    #expect(visits.status == 0)
    #expect(devices.count == commuters.visitors.count)
    for (line, visitor) in zip(devices, commuters.visitors.sorted()) {
      #expect(line.contains(#""identifier":"depot""#))
      #expect(line.contains(#""device":"user/\#(visitor)""#))
    }
    let missing = try await ChildProcess("history a/b --storage \(folder.path)/none.db").end()
    #expect(missing.status == 2)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/none.db"))
  }
}
