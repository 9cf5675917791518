import AsyncLocation
import CombinedBackend
import FoundationEssentials
import Glibc
import MockBackend
import NMEABackend
import TestSupport
import Testing

@testable import async_location_example

/// The sources beside gpsd.
@Suite(.inTurn) struct SourceTests {
  private static let sentences = (0..<4).map { NMEAFeed.epoch($0).joined() }

  @Test("the tool shows locations of NMEA 0183", arguments: ["once", "watch --count 1"])
  func nmeaOverTCP(_ command: String) async throws {
    let server = SentenceServer(greeting: Self.sentences.joined())
    let source = "--backend nmea --port tcp://127.0.0.1:\(server.port)"
    let run = try ChildProcess("\(command) \(source) --format json --timeout 100")
    let ended = await run.end()
    #expect(ended.status == 0, "\(ended.errors)")
    let location = try JSONDecoder().decode(Location.self, from: Data(ended.output.utf8))
    #expect(location.sourceInformation?.device == "tcp://127.0.0.1:\(server.port)")
    #expect(abs(location.latitude - 60.2517) < 0.001)
    #expect(abs(location.longitude - 24.5083) < 0.001)
  }

  @Test func doctorDiagnosesNMEAWithoutAPosition() async throws {
    let server = SentenceServer(greeting: Self.sentences.joined())
    let run = try ChildProcess(
      "doctor --backend nmea --port tcp://127.0.0.1:\(server.port) --format json")
    let ended = await run.end()
    #expect(ended.status == 0, "\(ended.output)\(ended.errors)")
    let checks = ended.output.split(separator: "\n").compactMap {
      $0.split(separator: "\"").first { Finding.Check(rawValue: String($0)) != nil }
    }
    #expect(checks == ["source", "permission", "sky", "fix", "time"])
    #expect(!ended.output.contains("60.25"))
    #expect(!ended.output.contains("24.50"))
  }

  @Test("the tool names the source in force", arguments: ["nmea,gpsd", "nmea,geoclue"])
  func combinedSource(_ list: String) async throws {
    let server = SentenceServer(greeting: Self.sentences.joined())
    let source = "--backend \(list) --port tcp://127.0.0.1:\(server.port)"
    let run = try ChildProcess("watch \(source) --format json --timeout 100")
    await run.waitForError("locations are from nmea")
    let line = await run.read(atLeast: 1)
    run.send(SIGINT)
    let ended = await run.end()
    #expect(ended.status == 0, "\(ended.errors)")
    let json = (line + ended.output).split(separator: "\n").first ?? ""
    let location = try JSONDecoder().decode(Location.self, from: Data(json.utf8))
    #expect(location.sourceInformation?.device == "nmea:tcp://127.0.0.1:\(server.port)")
  }

  @Test func listIsOneBackendInItsOrder() async throws {
    guard
      case .run(let arguments) = try Invocation.parse(
        "watch --backend nmea,gpsd --port 5 --port /dev/ttyUSB0 --device /dev/a".split(
          separator: " "
        ).map(String.init))
    else { return }
    let source = try await Sources.source(arguments)
    #expect(source.name == "NMEA 0183 from /dev/ttyUSB0, else gpsd localhost:5")
    #expect(source.isCombined)
    #expect((source.backend as? CombinedBackend)?.sourceNames == ["nmea", "gpsd"])
    // gpsd itself selects the receiver, which has another name in a combined backend.
    #expect(arguments.subscribedDevice == nil)
    #expect(arguments.limited(to: .gpsd).subscribedDevice == "/dev/a")
    #expect(arguments.limited(to: .nmea).subscribedDevice == nil)
  }

  @Test func doctorDiagnosesEachSource() async throws {
    let server = SentenceServer(greeting: Self.sentences.joined())
    let list = "--backend nmea,gpsd --port tcp://127.0.0.1:\(server.port) --port 1"
    let ended = try await ChildProcess("doctor \(list) --format json").end()
    // gpsd is a problem.
    #expect(ended.status == 1, "\(ended.output)\(ended.errors)")
    let lines = ended.output.split(separator: "\n")
    #expect(lines.prefix(5).allSatisfy { $0.contains(#""backend":"nmea""#) }, "\(lines)")
    #expect(lines.dropFirst(5).allSatisfy { $0.contains(#""backend":"gpsd""#) }, "\(lines)")
    #expect(lines.count == 12)
    let text = try await ChildProcess("doctor \(list) --no-color").end().output
    let titles = text.split(separator: "\n").filter { $0.hasPrefix("NMEA") || $0.hasPrefix("gpsd") }
    #expect(
      titles == [
        "NMEA 0183 from tcp://127.0.0.1:\(server.port)", "gpsd localhost:1",
      ])
  }

  @Test func changeOfTheSourceInForceIsPrinted() {
    var messages = ConnectionMessages(namesSource: true)
    func message(_ receiver: String?) -> String? {
      messages.nextMessage(for: ConnectionState(.connected, preferredReceiver: receiver))
    }
    #expect(message(nil) == "connected")
    #expect(message("gpsd:/dev/ttyACM0") == "locations are from gpsd")
    #expect(message("gpsd:/dev/ttyACM1") == nil)
    #expect(message(nil) == nil)
    #expect(message("gpsd:/dev/ttyACM0") == nil)
    #expect(message("nmea:tcp://plotter:10110") == "locations are from nmea")
    #expect(message("gpsd") == "locations are from gpsd")
    var single = ConnectionMessages()
    #expect(
      single.nextMessage(for: ConnectionState(.connected, preferredReceiver: "a")) == "connected")
  }

  @Test func tableNamesTheSourceInForce() {
    let connection = ConnectionState(
      .connected, receivers: [Receiver(name: "gpsd:a"), Receiver(name: "nmea:b")],
      preferredReceiver: "nmea:b")
    func title(isCombined: Bool) -> String? {
      var state = WatchState(source: "gpsd, else nmea", isCombined: isCombined)
      state.record(connection, at: .zero)
      return WatchTable().lines(state, now: .zero).first?.text(color: false)
    }
    #expect(
      title(isCombined: true) == "gpsd, else nmea  ● connected  nmea in force  waiting for a fix")
    #expect(title(isCombined: false) == "gpsd, else nmea  ● connected  waiting for a fix")
  }

  /// A source and the expected results of its checks.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let backend: Arguments.Backend
    let change: @Sendable (inout Evidence) -> Void
    let results: [Finding.Result]
    /// A part of the first finding that is not ok.
    let text: String
  }

  private static let refusal = LocationError(
    .restricted, "In /etc/geoclue/geoclue.conf, in the section [tool], set allowed=true.")

  @Test(arguments: [
    Case(
      testDescription: "GeoClue without a problem", backend: .geoclue, change: { _ in },
      results: [.ok, .ok, .ok, .ok], text: ""),
    Case(
      testDescription: "NMEA 0183 without a problem", backend: .nmea, change: { _ in },
      results: [.ok, .ok, .ok, .ok, .ok], text: ""),
    Case(
      testDescription: "a refused request", backend: .geoclue,
      change: {
        ($0.location, $0.connection) = (nil, nil)
        $0.authorization = Authorization(status: .restricted, reason: refusal.message)
      }, results: [.skipped, .problem, .skipped, .skipped], text: "allowed=true"),
    Case(
      testDescription: "reduced accuracy", backend: .nmea,
      change: {
        $0.view = nil
        $0.authorization = Authorization(status: .authorizedWhenInUse, accuracy: .reduced)
      }, results: [.ok, .warning, .skipped, .ok, .skipped], text: "reduced"),
    Case(
      testDescription: "a refusal during the run", backend: .nmea,
      change: { ($0.location, $0.failure) = (nil, refusal) },
      results: [.ok, .problem, .skipped, .skipped, .skipped], text: "allowed=true"),
    Case(
      testDescription: "a source that is absent", backend: .nmea,
      change: {
        ($0.location, $0.view) = (nil, nil)
        $0.connection = ConnectionState(
          .waiting, problem: LocationError(.backendUnavailable, "There is no /dev/ttyUSB0."))
      }, results: [.problem, .ok, .skipped, .skipped, .skipped], text: "no /dev/ttyUSB0"),
    Case(
      testDescription: "a port that may not be read", backend: .nmea,
      change: {
        ($0.location, $0.view) = (nil, nil)
        let denied = LocationError(.denied, "Add its user to the group dialout.")
        $0.connection = ConnectionState(.failed, problem: denied)
        $0.authorization = Authorization(status: .denied, reason: denied.message)
      }, results: [.skipped, .problem, .skipped, .skipped, .skipped], text: "dialout"),
    Case(
      testDescription: "a source without sentences", backend: .nmea,
      change: {
        ($0.location, $0.view) = (nil, nil)
        $0.connection = ConnectionState(
          .connected, problem: LocationError(.backendUnavailable, "It has sent nothing."))
      }, results: [.warning, .ok, .warning, .problem, .skipped], text: "sent nothing"),
    Case(
      testDescription: "GeoClue without a location", backend: .geoclue,
      change: { $0.location = nil }, results: [.ok, .ok, .problem, .skipped],
      text: "no fix arrived"),
    Case(
      testDescription: "GeoClue's last location, an hour old", backend: .geoclue,
      change: { $0.locatedAt = $0.locatedAt.map { $0 + 3_600 } },
      results: [.ok, .ok, .ok, .warning], text: "1 h 0 min old"),
  ])
  func eachCaseHasItsFindings(_ test: Case) throws {
    var evidence = try DoctorTests.evidence()
    evidence.survey = Evidence.Survey()
    (evidence.backend, evidence.source) = (test.backend, "the source")
    evidence.locatedAt = evidence.location?.timestamp
    test.change(&evidence)
    let findings = Diagnosis.findings(evidence)
    #expect(findings.map(\.result) == test.results)
    let first = findings.first { $0.result == .problem || $0.result == .warning }
    #expect(test.text.isEmpty || first?.finding.contains(test.text) == true)
  }

  /// The source's own problem has the remedy, and GeoClue has no antenna.
  @Test(arguments: [Arguments.Backend.nmea, .geoclue])
  func theSkyIsBlamedForMissingPositionsOnly(_ backend: Arguments.Backend) throws {
    var evidence = try DoctorTests.evidence()
    (evidence.backend, evidence.location, evidence.view) = (backend, nil, nil)
    if backend == .nmea {
      evidence.connection = ConnectionState(
        .connected, problem: LocationError(.backendUnavailable, "It has sent nothing."))
    }
    let fix = try #require(Diagnosis.findings(evidence).first { $0.check == .fix })
    #expect(fix.result == .problem)
    #expect(fix.advice?.contains("nmea-socket") == (backend == .nmea ? nil : true))
  }

  @Test func aPortOfNMEANeedsItsBackend() {
    let error = #expect(throws: UsageError.self) {
      try Invocation.parse(["watch", "--port", "/dev/ttyUSB0"])
    }
    #expect(error?.message.contains("it needs --backend nmea") == true)
  }
}
