import AsyncLocation
import FoundationEssentials
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
}
