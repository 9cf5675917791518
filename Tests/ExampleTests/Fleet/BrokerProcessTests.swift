import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import async_location_example

/// The built tool with a real broker.
@Suite(.needsBroker, .inTurn)
struct BrokerProcessTests {
  private static let topic = "--topic owntracks/jane/boat"

  private func address(_ broker: RealBroker) -> String {
    "--broker mqtt://127.0.0.1:\(broker.port)"
  }

  @Test func fleetShowsAPublishedRecording() async throws {
    let broker = try await RealBroker()
    let fleet = try ChildProcess("fleet \(address(broker)) --count 20 --format json")
    await broker.waitForSubscribers(1)
    let ended = try await ChildProcess(
      "publish \(address(broker)) \(Self.topic) --backend replay --rate 100 --count 20 --tracker-id JB"
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.output.isEmpty)
    #expect(ended.errors.contains("Published 20 locations; 0 wait."))
    #expect(ended.errors.contains("in memory only"))
    let shown = await fleet.end()
    #expect(shown.status == 0)
    #expect(shown.errors.contains("20 locations of 1 device; nothing was dropped"))
    let lines = shown.output.split(separator: "\n").map { Data($0.utf8) }
    let locations = lines.compactMap { try? JSONDecoder().decode(Location.self, from: $0) }
    #expect(locations.count == 20)
    #expect(shown.output.contains(#""device":"jane/boat","presence":"online""#))
  }

  @Test("publish --confirm stored ends when a server has stored everything")
  func confirmedByAServer() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    let arguments =
      "publish \(address(broker)) \(Self.topic) --backend replay --rate 100000 --count 20 "
      + "--confirm stored"
    let alone = try await ChildProcess(arguments + " --timeout 1").end()
    #expect(alone.status == 4, "\(alone.errors)")
    #expect(alone.errors.contains("no server has confirmed one"))
    let fleet = try ChildProcess("fleet \(address(broker)) --storage \(folder.path)/fleet.db")
    await broker.waitForSubscribers(1)
    let ended = try await ChildProcess(arguments).end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.errors.contains("Published 20 locations; 0 wait."))
    fleet.send(SIGTERM)
    _ = await fleet.end()
    let history = try await ChildProcess(
      "history jane/boat --storage \(folder.path)/fleet.db --format json"
    ).end()
    #expect(history.output.split(separator: "\n").count == 20, "\(history.errors)")
  }

  @Test("a replay ends when everything is delivered; watch and once read it again")
  func endsWithTheReplay() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    let ended = try await ChildProcess(
      "publish \(address(broker)) \(Self.topic) --backend replay --rate 100000 "
        + "--storage \(folder.path)/queue.db"
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    #expect(ended.errors.contains("; 0 wait."))
    #expect(!ended.errors.contains("memory"))
    for command in ["watch --count 1", "once --timeout 20"] {
      let read = try await ChildProcess(
        "\(command) --backend mqtt \(address(broker)) \(Self.topic) --format json"
      ).end()
      #expect(read.status == 0, "\(read.errors)")
      #expect(read.output.contains("latitude"))
    }
  }

  @Test("waiting publications are sent by the next run, also after a signal")
  func nextRunSendsWaitingPublications() async throws {
    let folder = try RecordingFolder()
    let storage = "--storage \(folder.path)/queue.db"
    var text = ""
    repeat {
      // Nothing listens on port 1.
      let first = try ChildProcess(
        "publish --broker mqtt://127.0.0.1:1 \(Self.topic) --backend replay --rate 20 \(storage)")
      await first.waitForError("not connected")
      first.send(SIGTERM)
      let interrupted = await first.end()
      text = interrupted.errors
      // A location that arrives with the signal may be lost, which the tool reports.
      #expect(interrupted.status == (text.contains("lost") ? 1 : 0), "\(text)")
    } while text.contains("lost")
    let waiting = try #require(text.firstMatch(of: /0 locations; (\d+) wait/)?.1)
    let broker = try await RealBroker()
    let second = try await ChildProcess(
      "publish \(address(broker)) \(Self.topic) --backend replay --rate 100 --count 5 \(storage)"
    ).end()
    #expect(second.status == 0)
    #expect(second.errors.contains("Published \((Int(waiting) ?? 0) + 5) locations; 0 wait."))
  }

  @Test func crossingsOfAreasArePrintedAsEvents() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    try folder.write(
      #"{"type":"Feature","id":"start","properties":{"radius":300},"geometry":{"type":"Point","#
        + #""coordinates":[-69.63499,-46.91501]}}"#, to: "areas.geojson")
    let fleet = try ChildProcess(
      "fleet \(address(broker)) --count 5 --conditions \(folder.path)/areas.geojson "
        + "--plot \(folder.path)/tracks.svg")
    await broker.waitForSubscribers(1)
    _ = try await ChildProcess(
      "publish \(address(broker)) \(Self.topic) --backend replay --rate 100 --count 5"
    ).end()
    let shown = await fleet.end()
    #expect(shown.status == 0)
    let lines = shown.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("location ") } == 5)
    // The publisher's last will may add a line before the end.
    #expect(lines.count { $0.hasPrefix("presence ") && $0.contains(" online ") } == 1)
    #expect(lines.count { $0.hasPrefix("event ") && $0.hasSuffix("jane/boat start") } == 1)
    let picture = try folder.read("tracks.svg")
    #expect(picture.contains("jane/boat"))
    #expect(picture.contains("<title>start</title>"))
    // The drive begins in Argentina, whose local time is shown.
    #expect(picture.contains(" -03"))
    #expect(shown.errors.contains("tracks.svg: 1 device, 5 locations"))
  }

  @Test("all messages of devices are lines, if requested")
  func showsMessages() async throws {
    let broker = try await RealBroker()
    let fleet = try ChildProcess("fleet \(address(broker)) --messages --count 1")
    await broker.waitForSubscribers(1)
    let publisher = try await RawPublisher(to: broker.port)
    try await publisher.publish([
      .init(
        "owntracks/jane/boat/event", #"{"_type":"transition","event":"enter","tst":1777863600}"#),
      .init("owntracks/jane/boat/cmd", #"{"_type":"cmd","action":"dump"}"#),
      .init(
        "owntracks/jane/boat",
        #"{"_type":"location","lat":1,"lon":2,"tst":1777863601,"batt":40}"#),
    ])
    let shown = await fleet.end()
    #expect(shown.status == 0)
    let lines = shown.output.split(separator: "\n").filter { $0.hasPrefix("message ") }
    #expect(lines.count == 2)
    #expect(lines.first?.contains(#"jane/boat {"_type":"transition""#) == true)
    #expect(lines.last?.contains(#""batt":40"#) == true)
  }

  @Test("messages that are not understood are counted")
  func countsMalformedMessages() async throws {
    let broker = try await RealBroker()
    let fleet = try ChildProcess("fleet \(address(broker)) --count 1")
    await broker.waitForSubscribers(1)
    let payloads = [
      #"{"_type":"location"}"#, #"{"_type":"location","lat":1,"lon":2,"tst":1777863601}"#,
    ]
    for (index, payload) in payloads.enumerated() {
      let sender = try ServerProcess([
        "/usr/bin/mosquitto_pub", "-p", String(broker.port), "-q", "1", "-t", "owntracks/a/b",
        "-m", payload,
      ])
      await broker.waitForLog("Sending PUBACK", count: index + 1)
      sender.stop(SIGTERM)
    }
    let shown = await fleet.end()
    #expect(shown.status == 0)
    #expect(shown.errors.contains("1 location of 1 device; messages dropped: 1 malformed"))
  }

  @Test("a broker that refuses the credentials is a missing permission")
  func reportsRefusal() async throws {
    let broker = try await RealBroker(
      ["allow_anonymous false", "password_file $FOLDER/passwords"],
      files: ["passwords": ""])
    let variables = ["MQTT_USER=jane", "MQTT_PASSWORD=secret"]
    let ended = try await ChildProcess("fleet \(address(broker))", environment: variables).end()
    #expect(ended.status == 3, "\(ended.errors)")
    #expect(!ended.errors.contains("secret"))
  }

  @Test("a publisher whose credentials are refused ends, or tries again with what it stores")
  func reportsRefusedCredentials() async throws {
    let broker = try await RealBroker(
      ["allow_anonymous false", "password_file $FOLDER/passwords"],
      files: ["passwords": ""])
    let command = "publish \(Self.topic) --backend replay --rate 100 \(address(broker))"
    let variables = ["MQTT_USER=jane", "MQTT_PASSWORD=secret"]
    let refusal = "The broker at mqtt://127.0.0.1:\(broker.port) does not accept the user name"
    let ended = try await ChildProcess(command, environment: variables).end()
    #expect(ended.status == ExitCode.permission.status, "\(ended.errors)")
    #expect(ended.errors.contains(refusal), "\(ended.errors)")
    #expect(!ended.errors.contains("secret"))

    let folder = try RecordingFolder()
    let publisher = try ChildProcess(
      "\(command) --storage \(folder.path)/queue.db", environment: variables)
    await publisher.waitForError("trying again: " + refusal)
    publisher.send(SIGTERM)
    let stopped = await publisher.end()
    // One location, which is being stored at the end, may be lost.
    #expect([0, 1].contains(stopped.status), "\(stopped.errors)")
    #expect(stopped.errors.contains(" in \(folder.path)/queue.db."), "\(stopped.errors)")
    #expect(!stopped.errors.contains("secret"))
  }

  @Test func publishEndsWithoutPermission() async throws {
    let folder = try RecordingFolder()
    let policy = "\(folder.path)/policy.json"
    try folder.write(#"{"default":{"status":"denied"}}"#, to: "policy.json")
    chmod(policy, 0o600)
    let ended = try await ChildProcess(
      "publish --broker mqtt://127.0.0.1:1 \(Self.topic) --backend replay --policy \(policy)"
    ).end()
    #expect(ended.status == 3, "\(ended.errors)")
    #expect(ended.errors.contains("Published 0 locations; 0 wait."))
  }

  @Test(
    arguments: [
      ("fleet --broker mqtt://127.0.0.1:1 --timeout 0.1", 4),
      ("publish --broker mqtt://127.0.0.1:1 --topic owntracks/a/b --port 1 --timeout 0.1", 4),
      ("fleet", 2), ("publish --broker mqtt://a", 2), ("fleet --broker mqtt://u:p@a", 2),
      ("fleet --broker mqtt://a --topic owntracks/#", 2),
    ] as [(String, Int32)])
  func failuresHaveTheirExitStatus(_ line: String, _ status: Int32) async throws {
    let ended = try await ChildProcess(line).end()
    #expect(ended.status == status, "\(ended.errors)")
    #expect(ended.output.isEmpty)
  }
}
