import AsyncLocation
import FoundationEssentials
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

/// A GeoJSON file of conditions, removed with its last reference.
private final class FenceFile: Sendable {
  private let folder: PolicyFolder
  var path: String { folder.path + "/fences.geojson" }

  init(_ features: String...) throws {
    folder = try PolicyFolder()
    try write(features)
  }

  func write(_ features: [String]) throws {
    try folder.write(
      #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#, to: path)
  }

  /// A circle on the equator.
  static func circle(_ id: String, longitude: Double, radius: Double = 200) -> String {
    #"{"type":"Feature","id":"\#(id)","properties":{"radius":\#(radius)},"#
      + #""geometry":{"type":"Point","coordinates":[\#(longitude),0]}}"#
  }
}

@Suite(.inTurn) struct FencesCommandTests {
  /// Returns a location on the equator. Its time is 90 s later for each degree to the east.
  private static func fix(_ longitude: Double, after seconds: Double = 0) throws -> Location {
    try Location(
      latitude: 0, longitude: longitude, timestamp: Samples.time + longitude * 90 + seconds,
      horizontalAccuracy: 5)
  }

  /// Returns a source that stays at each longitude for a minute, which is enough to enter and to
  /// leave an area.
  private func drive(_ longitudes: Double..., ending: Bool = true) throws -> MockBackend {
    let events = try longitudes.flatMap { longitude in
      try [0, 30, 60].map { BackendEvent.location(try Self.fix(longitude, after: $0)) }
    }
    return try MockBackend(script: ending ? [.emit(events), .end] : [.emit(events)])
  }

  @Test func eventsAreLines() async throws {
    let file = try FenceFile(FenceFile.circle("the\u{7F} depot", longitude: 1))
    let bench = Bench(try drive(0, 1, 2))
    #expect(try await bench.run("fences --all --conditions \(file.path)") == .done)
    #expect(
      await bench.output.lines == [
        "2026-05-04T03:02:01.250Z unknown     → unsatisfied   0.0000000    0.0000000    5.0 the\\u007f depot",
        "2026-05-04T03:04:01.250Z unsatisfied → satisfied     0.0000000    1.0000000    5.0 the\\u007f depot",
        "2026-05-04T03:06:01.250Z satisfied   → unsatisfied   0.0000000    2.0000000    5.0 the\\u007f depot",
      ])
    #expect(await bench.errors.lines == ["async-location-example: 1 condition"])
  }

  /// A first state is neither an entry nor an exit.
  @Test func firstStatesAreNotPrintedAsChanges() async throws {
    let file = try FenceFile(
      FenceFile.circle("left", longitude: 0), FenceFile.circle("entered", longitude: 2),
      FenceFile.circle("far", longitude: 9))
    let bench = Bench(try drive(0, 2))
    #expect(try await bench.run("fences --conditions \(file.path)") == .done)
    #expect(
      await bench.output.lines.map { String($0.split(separator: " ").last ?? "") }.sorted()
        == ["entered", "left"])
  }

  /// First states are not counted either.
  @Test func onlyChangesAreCounted() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(try drive(0, 1, ending: false))
    #expect(try await bench.run("fences --conditions \(file.path) --count 1") == .done)
    #expect(await bench.output.lines.map { $0.contains("→ satisfied") } == [true])
  }

  @Test func eventsAreJSON() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(try drive(0, 1, ending: false), shape: .json)
    let line = "fences --all --conditions \(file.path) --format json --count 2"
    #expect(try await bench.run(line) == .done)
    let events = [
      (try Self.fix(0), Monitor.State.unknown, Monitor.State.unsatisfied),
      (try Self.fix(1, after: 30), .unsatisfied, .satisfied),
    ]
    .enumerated().map { index, step in
      let (fix, previous, state) = step
      return Monitor.Event(
        identifier: "depot", number: UInt64(index + 1), state: state, previousState: previous,
        date: fix.timestamp, location: fix)
    }
    #expect(await bench.output.lines == (try events.map { try JSONLine.line($0) }))
  }

  @Test func theEndBeforeTheCountIsAFailure() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(try drive(0))
    #expect(try await bench.run("fences --all --conditions \(file.path) --count 2") == .failed)
    #expect(await bench.errors.text.contains("ended after 1 of 2 events"))
  }

  @Test func aFailureOfTheSourceFollowsTheEvents() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(
      try MockBackend(script: [
        .locations(try Self.fix(0)), .fail(LocationError(.notGPSD, "It is a web server.")),
      ]))
    #expect(try await bench.run("fences --all --conditions \(file.path)") == .failed)
    #expect(await bench.output.lines.count == 1)
    #expect(await bench.errors.lines.last == "async-location-example: It is a web server.")
  }

  @Test func silenceTimesOutWithTheReason() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(
      try MockBackend(script: [.connection(ConnectionState(.waiting, problem: Samples.refused))]))
    let run = Task { try await bench.run("fences --all --conditions \(file.path) --timeout 5") }
    await bench.errors.wait(for: "not connected")
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(5))
    #expect(try await run.value == .timedOut)
    #expect(
      await bench.errors.lines.last
        == "async-location-example: No events arrived for 5.0 s. Cause: gpsd at localhost:2947 "
        + "cannot be reached. Cause: Connection refused.")
  }

  // MARK: Files

  @Test(arguments: [
    ("[", "line 1, column 2: not valid JSON; the file seems to be cut"),
    (
      #"{"type":"Feature","id":"a","geometry":{"type":"Point","coordinates":[0,0]}}"#,
      "line 1: the feature \"a\": a Point needs the property radius, in meters; add it"
    ),
    (
      #"{"type":"Feature","id":"a","properties":{"radius":1,"expiry":"2020-01-01T00:00:00Z"},"#
        + #""geometry":{"type":"Point","coordinates":[0,0]}}"#,
      "every condition has expired; change the property expiry"
    ),
  ])
  func aBadFileIsAUsageError(text: String, message: String) async throws {
    let folder = try PolicyFolder()
    let path = folder.path + "/bad.geojson"
    try folder.write(text, to: path)
    let bench = Bench(MockBackend())
    #expect(try await bench.run("fences --conditions \(path)") == .usage)
    #expect(await bench.errors.lines == ["async-location-example: \(path): \(message)"])
    #expect(bench.backend.backendCalls.isEmpty)
  }

  @Test func anUnreadableFileIsAUsageError() async throws {
    let folder = try PolicyFolder()
    let bench = Bench(MockBackend())
    #expect(try await bench.run("fences --conditions \(folder.path)/none") == .usage)
    #expect(try await bench.run("fences --conditions \(folder.path)") == .usage)
    #expect(
      await bench.errors.lines == [
        "async-location-example: \(folder.path)/none: the file cannot be opened: No such file or directory",
        "async-location-example: \(folder.path): the file cannot be read: Is a directory",
      ])
  }

  // MARK: Permission

  @Test(arguments: [
    (AuthorizationDecision.denied, "Permission for locations is denied. In town."),
    (
      AuthorizationDecision.authorizedWhenInUse.limited(to: .reduced),
      "Accuracy is reduced, and fences need full accuracy. In town."
    ),
  ])
  func nothingIsPrintedWithoutPermission(
    decision: AuthorizationDecision, message: String
  ) async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(MockBackend(authorization: .answering(decision.withReason("In town."))))
    #expect(try await bench.run("fences --all --conditions \(file.path)") == .permission)
    #expect(await bench.output.text.isEmpty)
    #expect(await bench.errors.lines.last == "async-location-example: \(message)")
  }

  @Test func aWithdrawalBeforeTheFirstStateEndsTheRun() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(MockBackend())
    let run = Task { try await bench.run("fences --all --conditions \(file.path)") }
    await bench.backend.waitUntilRunning()
    bench.backend.setAuthorization(.denied)
    #expect(try await run.value == .permission)
  }

  @Test func monitoringResumesAfterALaterWithdrawal() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let bench = Bench(try drive(0, ending: false))
    let run = Task { try await bench.run("fences --all --conditions \(file.path) --count 3") }
    await bench.output.wait(for: "unsatisfied")
    bench.backend.setAuthorization(.denied)
    await bench.output.wait(for: "unmonitored")
    await bench.backend.waitUntilIdle()
    bench.backend.setAuthorization(.authorizedWhenInUse)
    // This is printed before a location determines a state.
    await bench.errors.wait(for: "permission is granted again")
    await bench.backend.waitUntilRunning()
    try bench.backend.emit(.location(try Self.fix(1)))
    #expect(try await run.value == .done)
    #expect(
      await bench.output.lines.map { line in
        line.split(separator: " ").dropFirst().prefix(3).joined(separator: " ")
      } == ["unknown → unsatisfied", "unsatisfied → unmonitored", "unmonitored → satisfied"])
    #expect(
      await bench.errors.text.contains(
        "nothing is monitored: Permission is refused or was withdrawn."))
  }

  // MARK: State

  @Test func aPrintedEventIsNotPrintedAgain() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let storage = MemoryMonitorStorage()
    let line = "fences --all --state s --format json --conditions \(file.path)"
    let first = Bench(try drive(0, 1, ending: false), shape: .json, storage: storage)
    #expect(try await first.run(line + " --count 1") == .done)
    let second = Bench(try drive(1, 2), shape: .json, storage: storage)
    #expect(try await second.run(line) == .done)
    let events = try await (first.output.lines + second.output.lines).map {
      try JSONDecoder().decode(Monitor.Event.self, from: Data($0.utf8))
    }
    #expect(events.map(\.number) == [1, 2, 3])
    #expect(events.map(\.state) == [.unsatisfied, .satisfied, .unsatisfied])
    #expect(events.allSatisfy { !$0.isRepeated })
  }

  @Test func unprintedEventIsRepeated() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let storage = MemoryMonitorStorage()
    let line = "fences --all --state s --conditions \(file.path)"
    let first = Bench(
      try drive(0, 1, ending: false), output: TestOutput(limit: 1), storage: storage)
    #expect(try await first.run(line) == .done)  // The pipe is broken.
    #expect(await first.output.lines.count == 1)
    let second = Bench(try drive(1), storage: storage)
    #expect(try await second.run(line) == .done)
    #expect(await second.output.lines.map { $0.contains("unsatisfied → satisfied") } == [true])
    #expect(
      await second.errors.lines == [
        "async-location-example: 1 condition: 1 kept, 0 added or changed, 0 removed",
        "async-location-example: event 2 of \"depot\" may have been printed before",
      ])
  }

  @Test func conditionsOfTheFileReplaceTheStoredConditions() async throws {
    let file = try FenceFile(
      FenceFile.circle("kept", longitude: 1), FenceFile.circle("changed", longitude: 1),
      FenceFile.circle("removed", longitude: 1))
    let storage = MemoryMonitorStorage()
    let line = "fences --all --state s --conditions \(file.path)"
    #expect(try await Bench(try drive(0), storage: storage).run(line) == .done)
    try file.write([
      FenceFile.circle("kept", longitude: 1),
      FenceFile.circle("changed", longitude: 1, radius: 300),
      FenceFile.circle("new", longitude: 0),
    ])
    let second = Bench(try drive(0), storage: storage)
    #expect(try await second.run(line) == .done)
    #expect(
      await second.output.lines.map { line in
        let words = line.split(separator: " ")
        return "\(words[1]) \(words[3]) \(words[7])"
      }.sorted() == ["unknown satisfied new", "unknown unsatisfied changed"])
    #expect(
      await second.errors.lines == [
        "async-location-example: 3 conditions: 1 kept, 2 added or changed, 1 removed"
      ])
    let (_, stored) = try await storage.open(FencesCommand.monitorName)
    #expect(stored.conditions.map(\.identifier) == ["changed", "kept", "new"])
    #expect(stored.conditions.map(\.state) == [.unsatisfied, .unsatisfied, .satisfied])
    #expect(stored.events.isEmpty)
  }

  @Test func openMonitorIsAFailure() async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let storage = MemoryMonitorStorage()
    let (session, _) = try await storage.open(FencesCommand.monitorName)
    let bench = Bench(MockBackend(), storage: storage)
    #expect(try await bench.run("fences --all --state s --conditions \(file.path)") == .failed)
    #expect(await bench.errors.text.contains("already open"))
    await session.close()
  }

  @Test(arguments: [("", ExitCode.done), (" --count 5", nil)])
  func anInterruptClosesTheMonitor(options: String, code: ExitCode?) async throws {
    let file = try FenceFile(FenceFile.circle("depot", longitude: 1))
    let storage = MemoryMonitorStorage()
    let bench = Bench(try drive(0, ending: false), storage: storage)
    let run = Task { try await bench.run("fences --all --conditions \(file.path)\(options)") }
    await bench.output.wait(for: "unsatisfied")
    run.cancel()
    #expect(try await run.value == code)
    #expect(bench.backend.calls.last == .runEnded)
    let (_, stored) = try await storage.open(FencesCommand.monitorName)
    #expect(stored.events.isEmpty)
  }

  // MARK: Expiry

  @Test func theExpiryOfTheLastConditionEndsTheRun() async throws {
    let folder = try PolicyFolder()
    let path = folder.path + "/fences.geojson"
    try folder.write(
      #"{"type":"Feature","id":"sale","properties":{"radius":9,"expiry":"2020-01-01T00:00:00Z"},"#
        + #""geometry":{"type":"Point","coordinates":[1,0]}}"#, to: path)
    let bench = Bench(MockBackend())
    var arguments = Arguments(command: .fences)
    arguments.conditions = path
    let command = FencesCommand(
      arguments: arguments, context: bench.tool.context,
      now: { Date(timeIntervalSince1970: 1_500_000_000) })
    let code = try await command.run {
      NamedBackend(name: "mock", backend: bench.backend)
    } storage: { _ in
      MemoryMonitorStorage()
    }
    #expect(code == .done)
    #expect(await bench.output.lines.map { $0.hasSuffix(" sale") } == [true])
    #expect(await bench.output.text.contains("unknown     → unmonitored"))
    #expect(
      await bench.errors.lines.last
        == "async-location-example: \"sale\" has expired and is no longer monitored")
  }
}

/// The built tool with the recorded drive, which crosses the areas.
@Suite(.inTurn) struct FencesProcessTests {
  private static let features = [
    #"{"type":"Feature","id":"parking","properties":{"radius":100},"#
      + #""geometry":{"type":"Point","coordinates":[-69.635,-46.915,412]}}"#,
    #"{"type":"Feature","id":7,"properties":{"name":"village"},"#
      + #""geometry":{"type":"Polygon","coordinates":[[[-69.638,-46.917],[-69.627,-46.917],"#
      + #"[-69.627,-46.909],[-69.638,-46.909],[-69.638,-46.917]]]}}"#,
    #"{"type":"Feature","properties":{"name":"south road","width":60},"#
      + #""geometry":{"type":"LineString","coordinates":[[-69.604,-46.91788],[-69.618,-46.91788]]}}"#,
  ]

  private func file() throws -> FenceFile {
    let file = try FenceFile()
    try file.write(Self.features)
    return file
  }

  @Test func theDriveCrossesTheAreas() async throws {
    let file = try file()
    let ended = try await ChildProcess(
      "fences --all --conditions \(file.path) --backend replay --rate 1000",
      environment: ["LANG=C.UTF-8"]
    ).end()
    #expect(ended.status == 0)
    // The first location determines three states, whose order is not defined.
    #expect(
      ended.output.split(separator: "\n").sorted() == [
        "2026-05-04T03:00:00.000Z unknown     → satisfied   -46.9150063  -69.6349892    2.1 7",
        "2026-05-04T03:00:00.000Z unknown     → satisfied   -46.9150063  -69.6349892    2.1 parking",
        "2026-05-04T03:00:00.000Z unknown     → unsatisfied -46.9150063  -69.6349892    2.1 south road",
        "2026-05-04T03:00:50.000Z satisfied   → unsatisfied -46.9150061  -69.6301047    1.7 parking",
        "2026-05-04T03:02:47.000Z satisfied   → unsatisfied -46.9103352  -69.6261690    1.9 7",
        "2026-05-04T03:05:37.000Z unsatisfied → satisfied   -46.9178837  -69.6086405    2.2 south road",
        "2026-05-04T03:06:51.000Z satisfied   → unsatisfied -46.9162495  -69.6282295    2.0 south road",
        "2026-05-04T03:07:25.000Z unsatisfied → satisfied   -46.9162485  -69.6322482    2.0 7",
      ])
    #expect(
      ended.errors.split(separator: "\n") == [
        "async-location-example: 3 conditions",
        "async-location-example: connected to sample-drive",
      ])
  }

  @Test func theDriveIsPrintedAsJSON() async throws {
    let file = try file()
    let ended = try await ChildProcess(
      "fences --all --conditions \(file.path) --backend replay --rate 1000 --format json --count 5"
    ).end()
    #expect(ended.status == 0)
    let lines = ended.output.split(separator: "\n")
    let events = try lines.map {
      try JSONDecoder().decode(Monitor.Event.self, from: Data($0.utf8))
    }
    #expect(try events.map { try JSONLine.line($0) } == lines.map(String.init))
    #expect(events.map(\.number) == [1, 2, 3, 4, 5])
    #expect(
      events.suffix(2).map { "\($0.identifier) \($0.previousState) \($0.state)" }
        == ["parking satisfied unsatisfied", "7 satisfied unsatisfied"])
    for event in events {
      #expect(event.location?.timestamp == event.date)
      #expect(event.location?.sourceInformation?.isSimulated == true)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func stopsOnSignals(signal: Int32) async throws {
    let file = try file()
    let child = try ChildProcess("fences --all --conditions \(file.path) --backend replay")
    let first = await child.read(atLeast: 1)
    child.send(signal)
    let ended = await child.end()
    #expect(ended.status == 0)
    #expect((first + ended.output).contains("unknown     -> satisfied"))
  }
}
