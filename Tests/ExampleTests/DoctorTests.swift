import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct DoctorTests {
  typealias Check = Finding.Check
  typealias Result = Finding.Result

  /// The checks of gpsd, in their order.
  static let gpsdChecks = Check.allCases.filter { $0 != .source }

  /// Evidence without problems except for one change, and the resulting findings.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let change: @Sendable (inout Evidence) throws -> Void
    let results: [Check: Result]
    /// Parts of the text of the first warning or problem, and of its advice.
    let words: [String]
  }

  static let receiver = Receiver(
    name: "/dev/ttyACM0", driver: "u-blox", activated: Samples.time, cycle: .seconds(1))

  static func evidence() throws -> Evidence {
    var evidence = Evidence()
    evidence.survey = Evidence.Survey(
      libgpsAPI: 11, endpoint: "localhost:2947", release: "3.22", protocolVersion: (3, 14),
      receivers: .success([receiver]))
    evidence.authorization = Authorization(status: .authorizedWhenInUse)
    evidence.connection = ConnectionState(.connected, receivers: [receiver])
    evidence.location = try Samples.location()
    evidence.locatedAt = Samples.time + 0.3
    evidence.view = try Samples.sky(40)
    evidence.watchDuration = .seconds(10)
    return evidence
  }

  private static func fix(
    mode: GNSSFix.Mode = .threeDimensional, jamming: Int? = nil,
    time: SourceInformation.TimeSource = .receiver
  ) throws -> Location {
    try Location(
      latitude: 48.137154, longitude: 11.576124, timestamp: Samples.time,
      sourceInformation: SourceInformation(device: "d", timeSource: time),
      gnss: GNSSFix(mode: mode, jamming: jamming))
  }

  private static func suspectFix() throws -> Location {
    let json = #"""
      {"timestamp":"2026-05-04T03:02:01.250Z","latitude":48.137154,"longitude":11.576124,
      "sourceInformation":{"device":"d","isSimulated":false,"timeSource":"receiver"},
      "gnss":{"mode":"3D"},"integrity":["jump","clock"]}
      """#
    return try JSONDecoder().decode(Location.self, from: Data(json.utf8))
  }

  /// The results of the checks that need gpsd and permission, if one of the two is missing.
  static let laterSkipped: [Check: Result] = [
    .receivers: .skipped, .sky: .skipped, .fix: .skipped, .time: .skipped,
  ]

  static let cases: [Case] = [
    Case(testDescription: "no problem", change: { _ in }, results: [:], words: []),
    Case(
      testDescription: "no libgps, not required", change: { $0.survey.libgpsAPI = nil },
      results: [:], words: []),
    Case(
      testDescription: "no libgps for shared memory",
      change: {
        $0.survey.libgpsAPI = nil
        $0.usesSharedMemory = true
      }, results: [.library: .problem], words: ["without libgps", "--transport socket"]),
    Case(
      testDescription: "nothing listens on the port",
      change: { $0.survey.receivers = .failure(Samples.refused) },
      results: laterSkipped.merging([.daemon: .problem]) { $1 },
      words: ["cannot be reached", "Connection refused", "systemctl start gpsd.socket"]),
    Case(
      testDescription: "another program listens on the port",
      change: {
        $0.survey.receivers = .failure(LocationError(.notGPSD, "It is a web server."))
      }, results: laterSkipped.merging([.daemon: .problem]) { $1 },
      words: ["web server", "--port"]),
    Case(
      testDescription: "no greeting",
      change: { $0.survey.receivers = .failure(LocationError(.timedOut, "No greeting.")) },
      results: laterSkipped.merging([.daemon: .problem]) { $1 }, words: ["64 clients"]),
    Case(
      testDescription: "the system denies the connection",
      change: { $0.survey.receivers = .failure(LocationError(.denied, "EACCES")) },
      results: laterSkipped.merging([.daemon: .problem, .permission: .problem]) { $1 },
      words: ["EACCES", "firewall"]),
    Case(
      testDescription: "an unknown protocol", change: { $0.survey.protocolVersion = (4, 0) },
      results: [.daemon: .warning], words: ["protocol 4.0", "protocol 3"]),
    Case(
      testDescription: "an old gpsd", change: { $0.survey.protocolVersion = (3, 11) },
      results: [.daemon: .warning], words: ["3.11", "altitudes"]),
    Case(
      testDescription: "the policy refuses",
      change: { $0.authorization = Authorization(status: .denied, reason: "by night") },
      results: laterSkipped.merging([.permission: .problem]) { $1 },
      words: ["denied", "by night", "policy"]),
    Case(
      testDescription: "location services are off",
      change: {
        $0.authorization = Authorization(status: .denied, locationServicesEnabled: false)
      },
      results: laterSkipped.merging([.permission: .problem]) { $1 },
      words: ["location services", "switched off"]),
    Case(
      testDescription: "the policy reduces",
      change: {
        $0.authorization = Authorization(status: .authorizedAlways, accuracy: .reduced)
        $0.view = nil
      }, results: [.permission: .warning, .sky: .skipped, .time: .skipped],
      words: ["reduced accuracy"]),
    Case(
      testDescription: "no receiver",
      change: {
        $0.survey.receivers = .success([])
        $0.connection = ConnectionState(.connected)
      }, results: [.receivers: .problem], words: ["no receiver", "gpsdctl add"]),
    Case(
      testDescription: "another receiver", change: { $0.device = "/dev/other" },
      results: [.receivers: .problem], words: ["/dev/other", "/dev/ttyACM0", "--device"]),
    Case(
      testDescription: "a receiver that is not open",
      change: { $0.connection = ConnectionState(.connected, receivers: [Receiver(name: "x")]) },
      results: [.receivers: .problem], words: ["x (not open)", "cable"]),
    Case(
      testDescription: "a receiver without reports",
      change: {
        $0.connection = ConnectionState(
          .connected, receivers: [Receiver(name: "x", activated: Samples.time)])
      }, results: [.receivers: .warning], words: ["x (open)", "baud rate"]),
    Case(
      testDescription: "no sky", change: { $0.view = nil }, results: [.sky: .warning],
      words: ["within 10 s", "--timeout"]),
    Case(
      testDescription: "an antenna under a roof", change: { $0.view = try Samples.sky(6) },
      results: [.sky: .warning], words: ["3 used", "6 dB-Hz", "antenna"]),
    Case(
      testDescription: "no fix",
      change: {
        $0.location = nil
        $0.failure = LocationError(.deviceUnknown, "No such receiver.")
      }, results: [.fix: .problem, .time: .skipped],
      words: ["No such receiver.", "does not recover"]),
    Case(
      testDescription: "a requested receiver is missing",
      change: {
        ($0.location, $0.view) = (nil, nil)
        $0.failure = LocationError(.deviceUnknown, "No such receiver.")
      }, results: [.sky: .skipped, .fix: .problem, .time: .skipped],
      words: ["No such receiver."]),
    Case(
      testDescription: "an unknown receiver is one problem",
      change: {
        ($0.location, $0.view, $0.device) = (nil, nil, "/dev/other")
        $0.failure = LocationError(.deviceUnknown, "No such receiver.")
      }, results: [.receivers: .problem, .sky: .skipped, .fix: .skipped, .time: .skipped],
      words: ["/dev/other", "--device"]),
    Case(
      testDescription: "a silent receiver",
      change: {
        $0.location = nil
        $0.connection = ConnectionState(
          .connected, problem: LocationError(.locationUnknown, "It is silent."),
          receivers: [receiver])
      }, results: [.fix: .problem, .time: .skipped],
      words: ["within 10 s", "It is silent.", "--timeout 300"]),
    Case(
      testDescription: "no shared memory",
      change: {
        ($0.usesSharedMemory, $0.location) = (true, nil)
        $0.connection = ConnectionState(
          .waiting, problem: LocationError(.backendUnavailable, "No memory is shared."),
          receivers: [receiver])
      }, results: [.fix: .problem, .time: .skipped],
      words: ["No memory is shared.", "systemctl start gpsd.socket"]),
    Case(
      testDescription: "two dimensions", change: { $0.location = try fix(mode: .twoDimensional) },
      results: [.fix: .warning], words: ["2D", "altitude"]),
    Case(
      testDescription: "jamming", change: { $0.location = try fix(jamming: 200) },
      results: [.fix: .warning], words: ["jamming 200 of 255", "interferes"]),
    Case(
      testDescription: "a suspect fix",
      change: {
        $0.location = try suspectFix()
        $0.locatedAt = $0.location.map { $0.timestamp + 0.3 }
      }, results: [.fix: .warning],
      words: ["SUSPECT: the position jumped, the clock is wrong", "another source"]),
    Case(
      testDescription: "no time", change: { $0.location = try fix(time: .host) },
      results: [.time: .warning], words: ["no usable time", "firmware"]),
    Case(
      testDescription: "an unconfirmed time",
      change: { $0.location = try fix(time: .provisional) }, results: [.time: .warning],
      words: ["not confirmed", "Three consecutive"]),
    Case(
      testDescription: "another time", change: { $0.locatedAt = Samples.time - 3600 },
      results: [.time: .warning], words: ["1 h 0 min ahead of", "recording"]),
    Case(
      testDescription: "shared memory, whose receivers have no open state",
      change: {
        $0.usesSharedMemory = true
        $0.survey.receivers = .failure(Samples.refused)
        $0.connection = ConnectionState(.connected, receivers: [Receiver(name: "x")])
      }, results: [.daemon: .warning], words: ["cannot be reached"]),
  ]

  @Test(arguments: cases)
  func eachCaseHasItsFindings(_ test: Case) throws {
    var evidence = try Self.evidence()
    try test.change(&evidence)
    let findings = Diagnosis.findings(evidence)
    #expect(findings.map(\.check) == Self.gpsdChecks)
    for finding in findings {
      #expect(finding.result == test.results[finding.check] ?? .ok, "\(finding)")
      #expect((finding.advice == nil) == (finding.result == .ok || finding.result == .skipped))
      #expect(!finding.finding.contains("48.13"))
    }
    let first = findings.first { $0.result != .ok && $0.result != .skipped }
    let text = first.map { $0.finding + " " + ($0.advice ?? "") } ?? ""
    for word in test.words { #expect(text.contains(word), "\(text)") }
  }

  @Test("F41 text of a device is escaped")
  func escapes() {
    let finding = Finding(.receivers, .ok, "x\u{1B}[2J", advice: "y\u{7}")
    let text = finding.lines.map { $0.text(color: false) }.joined()
    #expect(!text.contains("\u{1B}"))
    #expect(!text.contains("\u{7}"))
  }

  /// Waits until the command observes both locations and satellites. It starts with one of them.
  private static func waitUntilItWatches(_ backend: MockBackend) async {
    while backend.demand?.kinds.isSuperset(of: [.locations, .satellites]) != true {
      await Task.yield()
    }
  }

  @Test func doctorEndsWithStatus0WithoutAProblem() async throws {
    let backend = MockBackend()
    let bench = Bench(backend, survey: try Self.evidence().survey)
    let run = Task { try await bench.run("doctor") }
    await Self.waitUntilItWatches(backend)
    try backend.emit(
      .connection(ConnectionState(.connected, receivers: [Self.receiver])),
      .satellites(try Samples.sky(40)), .location(try Samples.location()))
    #expect(try await run.value == .done)
    let lines = await bench.output.lines
    #expect(lines.prefix(6).allSatisfy { $0.hasPrefix("ok       ") }, "\(lines)")
    // The time of the sample location is long past.
    #expect(lines[6].hasPrefix("warning  time"))
    let text = await bench.output.text + bench.errors.text
    #expect(!text.contains("48.13"))
    #expect(!text.contains("11.57"))
  }

  @Test(
    "F58 measurements from before a withdrawal are not printed",
    arguments: [
      [.denied], [AuthorizationDecision(.whenInUse, accuracy: .reduced)],
      [AuthorizationDecision(.whenInUse, accuracy: .reduced), AuthorizationDecision(.whenInUse)],
    ])
  func aWithdrawalDiscardsEarlierMeasurements(_ decisions: [AuthorizationDecision]) async throws {
    let backend = MockBackend()
    let bench = Bench(backend, survey: try Self.evidence().survey)
    let run = Task { try await bench.run("doctor --timeout 5") }
    await Self.waitUntilItWatches(backend)
    // The fix has only two dimensions, so the command waits for a better one.
    try backend.emit(
      .connection(ConnectionState(.connected, receivers: [Self.receiver])),
      .satellites(try Samples.sky(40)), .location(try Self.fix(mode: .twoDimensional)))
    try await backend.settle()
    await backend.waitForReaders(of: .authorizationUpdates)
    for decision in decisions {
      backend.setAuthorization(decision)
      try await backend.settle()
    }
    if decisions != [.denied] {
      await bench.clock.waitForSleepers()
      bench.clock.advance(by: .seconds(5))
    }
    let code = try await run.value
    #expect((code == .permission) == (decisions == [.denied]))
    let text = await bench.output.text
    #expect(!text.contains("in view"), "\(text)")
    #expect(!text.contains("2D"), "\(text)")
  }

  @Test("F58 findings are printed while permission holds, not when the source has ended")
  func findingsArePrintedBeforeTheSourceHasEnded() async throws {
    let source = SlowSource([
      .connection(ConnectionState(.connected, receivers: [Self.receiver])),
      .satellites(try Samples.sky(40)), .location(try Samples.location()),
    ])
    let bench = Bench(MockBackend(), survey: try Self.evidence().survey)
    guard case .run(let arguments) = try Invocation.parse(["doctor"]) else {
      Issue.record("no command")
      return
    }
    let command = DoctorCommand(arguments: arguments, context: bench.tool.context)
    let survey = try Self.evidence().survey
    let run = Task {
      try await command.run(
        { _ in NamedBackend(name: "slow", backend: source) }, survey: { _ in survey })
    }
    for await _ in source.cancelled.stream {}
    await bench.output.wait(for: "in view")
    source.released.continuation.finish()
    #expect(try await run.value == .done)
  }

  @Test func aProblemEndsWithStatus1AndJSONIsOneObjectALine() async throws {
    var survey = try Self.evidence().survey
    survey.receivers = .failure(Samples.refused)
    let bench = Bench(MockBackend(), shape: .json, survey: survey)
    #expect(try await bench.run("doctor --format json") == .failed)
    let lines = await bench.output.lines
    #expect(lines.count == Self.gpsdChecks.count)
    #expect(lines[1].contains(#""check":"daemon""#))
    #expect(lines[1].contains(#""result":"problem""#))
    #expect(lines[2].contains(#""result":"ok""#))
  }

  @Test func theTimeoutEndsTheWait() async throws {
    let bench = Bench(
      try MockBackend(script: [.connection(Samples.connected)]), survey: try Self.evidence().survey)
    let run = Task { try await bench.run("doctor --timeout 5") }
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(5))
    #expect(try await run.value == .failed)
    #expect(await bench.output.text.contains("no fix arrived within 5.0 s"))
  }

  @Test func failingSourceIsAFinding() async throws {
    let error = LocationError(.deviceUnknown, "No such receiver.")
    let bench = Bench(
      try MockBackend(script: [.fail(error)]), survey: try Self.evidence().survey)
    #expect(try await bench.run("doctor") == .failed)
    #expect(await bench.output.text.contains("No such receiver."))
  }

  @Test func aRefusalIsAFinding() async throws {
    let bench = Bench(
      MockBackend(authorization: .denying), survey: try Self.evidence().survey)
    #expect(try await bench.run("doctor") == .permission)
    let text = await bench.output.text
    #expect(text.contains("problem  permission"))
    #expect(!text.contains("ttyACM0"))
  }
}
