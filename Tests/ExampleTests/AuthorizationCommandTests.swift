import FoundationEssentials
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

/// The command `authorization`, and the option `--policy` of other commands.
@Suite(.inTurn) struct AuthorizationCommandTests {
  static let text = """
    {
      "version": 1,
      "default": { "status": "denied" },
      "clients": {
        "map": {
          "status": "authorizedAlways", "accuracy": "reduced",
          "expires": "2130-01-01T00:00:00Z",
          "temporaryFullAccuracy": { "docking": 600, "anchoring": 60 }
        },
        "drive": { "status": "authorizedWhenInUse" },
        "vault": { "status": "restricted" },
        "trial": { "status": "authorizedAlways", "expires": "2020-01-01T00:00:00Z" }
      }
    }
    """

  @Test(
    arguments: [
      ("map", ExitCode.done), ("drive", .done), ("vault", .permission), ("trial", .permission),
      ("stranger", .permission),
    ])
  func theExitStatusIsThePermissionInForce(client: String, code: ExitCode) async throws {
    let folder = try PolicyFolder(Self.text)
    let bench = Bench(MockBackend())
    #expect(
      try await bench.run("authorization --policy \(folder.policy) --client \(client)") == code)
    #expect(await bench.errors.text.isEmpty)
  }

  @Test func textShowsTheDecisionAndItsLine() async throws {
    let folder = try PolicyFolder(Self.text)
    let bench = Bench(MockBackend())
    _ = try await bench.run("authorization --policy \(folder.policy) --client map")
    #expect(
      await bench.output.lines == [
        "Client      map", "Policy      \(folder.policy)", "Status      authorizedAlways",
        "Permission  always", "Accuracy    reduced", "Services    on",
        "Expires     2130-01-01T00:00:00Z", "Purposes    anchoring for 60 s, docking for 600 s",
        "Why         \(folder.policy): the rule for \"map\" on line 5",
        "Key         There is no \(folder.policy).key yet; it is made when locations are first reduced.",
      ])
  }

  @Test func showingTheDecisionCreatesNoFile() async throws {
    let folder = try PolicyFolder(Self.text)
    let bench = Bench(MockBackend())
    #expect(try await bench.run("authorization --policy \(folder.policy) --client map") == .done)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["policy.json"])
  }

  @Test func jsonIsOneObject() async throws {
    struct Record: Decodable, Equatable {
      var policy: String?
      var client: String?
      var status, permission, accuracy: String
      var locationServicesEnabled: Bool
      var expires: String?
      var temporaryFullAccuracy: [String: Double]
      var reason: String?
    }
    let folder = try PolicyFolder(Self.text)
    let bench = Bench(MockBackend(), shape: .json)
    _ = try await bench.run("authorization --policy \(folder.policy) --client map --format json")
    let text = await bench.output.text
    #expect(text.hasSuffix("}\n"))
    #expect(text.dropLast().firstIndex(of: "\n") == nil)
    #expect(
      try JSONDecoder().decode(Record.self, from: Data(text.utf8))
        == Record(
          policy: folder.policy, client: "map", status: "authorizedAlways", permission: "always",
          accuracy: "reduced", locationServicesEnabled: true, expires: "2130-01-01T00:00:00Z",
          temporaryFullAccuracy: ["docking": 600, "anchoring": 60],
          reason: "\(folder.policy): the rule for \"map\" on line 5"))
  }

  @Test func servicesOffOverridesAGrant() async throws {
    let folder = try PolicyFolder(
      #"{"version": 1, "locationServicesEnabled": false, "default": {"status": "authorizedAlways"}}"#
    )
    let bench = Bench(MockBackend())
    #expect(try await bench.run("authorization --policy \(folder.policy)") == .permission)
    let text = await bench.output.text
    #expect(text.contains("Status      denied\n"))
    #expect(text.contains("Services    off\n"))
    #expect(text.contains("location services are switched off"))
  }

  @Test func withoutAFileRequestsAreGranted() async throws {
    let bench = Bench(MockBackend())
    #expect(try await bench.run("authorization") == .done)
    #expect(await bench.output.text.contains("Status      authorizedWhenInUse"))
  }

  @Test func aMissingFileDeniesAndIsNamed() async throws {
    let bench = Bench(MockBackend())
    #expect(try await bench.run("authorization --policy /nonexistent/p.json") == .permission)
    #expect(await bench.output.text.contains("/nonexistent/p.json"))
  }

  @Test("F41 text of a policy file is escaped") func fileContentsAreEscaped() async throws {
    let folder = try PolicyFolder("{\"version\": 1, \"default\": {\"status\": \"\u{202E}x\"}}")
    let bench = Bench(MockBackend())
    #expect(try await bench.run("authorization --policy \(folder.policy)") == .permission)
    #expect(await bench.output.text.contains("\u{202E}") == false)
  }

  @Test(
    arguments: [
      ("watch --backend replay --rate 50 --count 2", "drive", 0),
      ("watch --backend replay --rate 50 --count 2", "stranger", 3),
      ("once --backend replay --rate 50", "drive", 0),
      ("once --backend replay --rate 50", "map", 0),
      ("once --backend replay --rate 50", "vault", 3),
      ("devices --port 1", "stranger", 3), ("devices --port 1", "vault", 3),
      ("devices --port 1", "drive", 1), ("once --port 1", "stranger", 3),
      ("authorization", "drive", 0), ("authorization", "stranger", 3),
      ("headings --port 1", "stranger", 3), ("headings --backend replay --rate 50", "map", 3),
      ("headings --backend replay --rate 50 --count 1", "drive", 0),
      ("sky --port 1", "vault", 3), ("sky --backend replay --rate 50", "map", 3),
      ("sky --backend replay --rate 50 --count 1", "drive", 0),
      ("reports --port 1", "stranger", 3), ("reports --port 1", "map", 3),
      ("reports --port 1 --timeout 0.1", "drive", 4),
      ("fences --conditions FILE --port 1", "stranger", 3),
      ("fences --conditions FILE --port 1 --timeout 0.1", "drive", 4),
      ("fences --conditions FILE --backend replay --rate 50", "map", 3),
      ("fences --all --conditions FILE --backend replay --rate 50 --count 1", "drive", 0),
      ("doctor --port 1", "stranger", 3), ("doctor --port 1", "drive", 1),
    ] as [(String, String, Int32)])
  func theFileAppliesToEveryCommand(line: String, client: String, status: Int32) async throws {
    let folder = try PolicyFolder(Self.text)
    let areas = folder.path + "/areas.geojson"
    try folder.write(
      #"{"type":"Feature","id":"a","properties":{"radius":9},"#
        + #""geometry":{"type":"Point","coordinates":[0,0]}}"#, to: areas)
    let line = line.split(separator: " ").map { $0 == "FILE" ? areas : String($0) }
      .joined(separator: " ")
    let ended = try await ChildProcess(
      "\(line) --policy \(folder.policy) --client \(client)"
    ).end()
    #expect(ended.status == status, "\(ended.errors)")
    // The purpose of these two commands is to report permission.
    let reportsPermission = line.hasPrefix("authorization") || line.hasPrefix("doctor")
    #expect(status == 0 || reportsPermission || ended.output.isEmpty)
  }

  @Test func aReducedDecisionPrintsReducedLocations() async throws {
    let folder = try PolicyFolder(Self.text)
    let line = "once --backend replay --rate 50 --accuracy 20000 --format json --policy"
    let ended = try await ChildProcess("\(line) \(folder.policy) --client map").end()
    #expect(ended.output.contains("\"horizontalAccuracy\":9000,"), "\(ended.output)")
    var status = stat()
    #expect(stat(folder.policy + ".key", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func theKeyIsStoredAtItsPath() async throws {
    let folder = try PolicyFolder(Self.text)
    let key = folder.path + "/elsewhere.key"
    let line = "--policy \(folder.policy) --client map --key \(key)"
    #expect(try await ChildProcess("once --backend replay --rate 50 \(line)").end().status == 0)
    #expect(access(key, F_OK) == 0)
    #expect(access(folder.policy + ".key", F_OK) != 0)
    // The command prints the enforced permission: denied while others may read the key.
    #expect(chmod(key, 0o644) == 0)
    let ended = try await ChildProcess("authorization \(line)").end()
    #expect(ended.status == 3)
    #expect(ended.output.contains("Status      denied"))
  }

  @Test func savingTheFileEndsRunningCommands() async throws {
    let folder = try PolicyFolder(Self.text)
    let child = try ChildProcess(
      "watch --backend replay --rate 5 --policy \(folder.policy) --client drive")
    _ = await child.read(atLeast: 1)
    try folder.replace(#"{"version": 1, "default": {"status": "denied"}}"#)
    let ended = await child.end()
    #expect(ended.status == 3)
    #expect(ended.errors.contains("the default on line 1"), "\(ended.errors)")
  }
}
