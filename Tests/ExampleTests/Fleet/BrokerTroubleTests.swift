import AsyncLocation
import Foundation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

/// The tool with brokers and files that fail.
@Suite(.needsBroker, .inTurn)
struct BrokerTroubleTests {
  private static let publish = "publish --topic owntracks/jane/boat --backend replay --rate 100"

  private static func address(_ broker: RealBroker, _ scheme: String = "mqtt") -> String {
    " --broker \(scheme)://127.0.0.1:\(broker.port) "
  }

  // MARK: Timeout

  /// Starts `publish`, and returns its task once it has stored a number of locations.
  private static func store(
    _ count: Int, in bench: Bench, _ options: String
  ) async throws -> Task<ExitCode?, any Error> {
    let run = Task { try await bench.run(Self.publish + options) }
    await bench.backend.waitForReaders(of: .batches)
    // Live updates are read once the command connects.
    await bench.backend.waitForReaders(of: .liveUpdates)
    await bench.backend.waitUntilRunning()
    try bench.backend.emit(
      try (0..<count).map {
        .location(try Location(latitude: 48, longitude: 11, timestamp: Samples.time + Double($0)))
      })
    try await bench.backend.settle()
    return run
  }

  @Test("publish gives up when the broker refuses the publications", arguments: [false, true])
  func givesUpOnRefusal(_ hasStorage: Bool) async throws {
    let broker = try await RealBroker(
      ["allow_anonymous true", "acl_file $FOLDER/rules"], files: ["rules": "topic read #\n"])
    let folder = try RecordingFolder()
    let storage = hasStorage ? "--storage \(folder.path)/queue.db" : ""
    let bench = Bench(MockBackend())
    let run = try await Self.store(
      3, in: bench, Self.address(broker) + "--count 3 --timeout 2 " + storage)
    // The sleepers are the timeout, the status, and the pause after a refusal.
    await bench.clock.waitForSleepers(atLeast: 3)
    bench.clock.advance(by: .seconds(2))
    let status = try await run.value?.status
    let errors = await bench.errors.text
    #expect(status == 4, "\(errors)")
    let waiting =
      hasStorage ? "3 wait in \(folder.path)/queue.db." : "3 wait and are lost with this process."
    #expect(errors.contains("Published 0 locations; \(waiting)"))
    #expect(errors.contains("No location was delivered for 2.0 s. Cause: The broker at "))
    #expect(errors.contains("refuses publications to owntracks/jane/boat (Not authorized)"))
  }

  @Test("publish gives up when the broker does not answer")
  func givesUpOnSilence() async throws {
    let broker = try await RealBroker()
    broker.send(SIGSTOP)
    let bench = Bench(MockBackend())
    let run = try await Self.store(3, in: bench, Self.address(broker) + "--count 3 --timeout 1")
    // The sleepers are the timeout and the status.
    await bench.clock.waitForSleepers(atLeast: 2)
    bench.clock.advance(by: .seconds(1))
    let status = try await run.value?.status
    broker.send(SIGCONT)
    let errors = await bench.errors.text
    #expect(status == 4, "\(errors)")
    #expect(
      errors.contains(
        "No location was delivered for 1.0 s: not connected to mqtt://127.0.0.1:\(broker.port)."))
  }

  @Test(arguments: ["fleet", "publish"])
  func theTimeoutNamesWhyTheBrokerIsNotConnected(_ command: String) async throws {
    let bench = Bench(MockBackend())
    // Nothing listens on port 1.
    let options = " --broker mqtt://127.0.0.1:1 --timeout 0.5"
    let run =
      try await command == "publish"
      ? Self.store(1, in: bench, options + " --count 1")
      : Task { try await bench.run(command + options) }
    await bench.errors.wait(for: "not connected, trying again: ")
    // The sleepers are the timeout and the status of `publish`.
    await bench.clock.waitForSleepers(atLeast: command == "publish" ? 2 : 1)
    bench.clock.advance(by: .milliseconds(500))
    let status = try await run.value?.status
    let errors = await bench.errors.text
    #expect(status == 4, "\(errors)")
    let text = "for 0.5 s: not connected to mqtt://127.0.0.1:1. Cause: The broker at "
    #expect(errors.contains(text), "\(errors)")
    #expect(errors.contains("nothing listens there"))
  }

  @Test(
    "publish reports that an absent broker may keep the last location after a denial",
    arguments: [false, true])
  func reportsTheLocationKeptByTheBroker(_ hasStorage: Bool) async throws {
    let folder = try RecordingFolder()
    let storage = hasStorage ? " --storage \(folder.path)/queue.db" : ""
    let bench = Bench(MockBackend())
    // Nothing listens on port 1.
    let run = try await Self.store(1, in: bench, " --broker mqtt://127.0.0.1:1" + storage)
    bench.backend.setAuthorization(.denied)
    // The message is printed before the command ends.
    await bench.errors.wait(for: "permission was withdrawn")
    // Advances beyond the time limit of the removal.
    let advancing = Task {
      while !Task.isCancelled {
        bench.clock.advance(by: .seconds(1))
        await Task.yield()
      }
    }
    defer { advancing.cancel() }
    let status = try await run.value?.status
    let errors = await bench.errors.text
    #expect(status == ExitCode.permission.status, "\(errors)")
    let end =
      hasStorage
      ? "the next run with --storage \(folder.path)/queue.db removes it"
      : "this process cannot remove it any more"
    #expect(errors.contains("The broker may still keep the last location: \(end)"), "\(errors)")
  }

  @Test("an interrupt that loses waiting publications is a failure")
  func interruptLosingPublicationsFails() async throws {
    // The broker refuses publications, so that they wait.
    let broker = try await RealBroker(
      ["allow_anonymous true", "acl_file $FOLDER/rules"], files: ["rules": "topic read #\n"])
    let publisher = try ChildProcess(Self.publish + Self.address(broker))
    await publisher.waitForError("publications wait")
    publisher.send(SIGINT)
    let ended = await publisher.end()
    #expect(ended.errors.contains("lost with this process"), "\(ended.errors)")
    #expect(ended.status == 1)
  }

  // MARK: Storage

  @Test("a file of the user is refused and stays")
  func refusesAnotherFile() async throws {
    let folder = try RecordingFolder()
    try folder.write("Dear Jane\n", to: "letter")
    let ended = try await ChildProcess(
      Self.publish + " --broker mqtt://127.0.0.1:1 --storage \(folder.path)/letter"
    ).end()
    #expect(ended.status == 1)
    #expect(ended.errors.contains("\(folder.path)/letter is not the file of a publication queue"))
    #expect(try folder.names == ["letter"])
    #expect(try folder.read("letter") == "Dear Jane\n")
  }

  @Test("a missing directory is refused", arguments: ["--storage", "--state"])
  func refusesAMissingDirectory(_ option: String) async throws {
    let folder = try RecordingFolder()
    try folder.write(
      #"{"type":"Feature","id":"a","properties":{"radius":9},"geometry":{"type":"Point","#
        + #""coordinates":[1,2]}}"#, to: "areas")
    let command =
      option == "--storage"
      ? Self.publish + " --broker mqtt://127.0.0.1:1"
      : "fences --backend replay --conditions \(folder.path)/areas"
    let ended = try await ChildProcess("\(command) \(option) \(folder.path)/missing/file").end()
    #expect(ended.status == 2)
    #expect(ended.errors.contains("\(option): \(folder.path)/missing/: No such file or directory"))
    #expect(try folder.names == ["areas"])
  }

  @Test("a damaged file is renamed, which is reported once")
  func reportsADamagedFile() async throws {
    let broker = try await RealBroker()
    let folder = try RecordingFolder()
    // SQLite's header string, and the application ID of a queue at byte 68.
    let title = "SQLite format 3\0" + String(repeating: "\0", count: 52)
    try folder.write(title + "ALPu and no more", to: "queue.db")
    chmod(folder.path + "/queue.db", 0o600)
    let ended = try await ChildProcess(
      Self.publish + Self.address(broker) + "--count 3 --storage \(folder.path)/queue.db"
    ).end()
    #expect(ended.status == 0, "\(ended.errors)")
    let lines = ended.errors.split(separator: "\n").filter { $0.contains(".corrupt-") }
    #expect(lines.count == 1, "\(ended.errors)")
    #expect(lines.first?.contains("the storage: ") == true, "\(ended.errors)")
    #expect(try folder.names.contains { $0.hasPrefix("queue.db.corrupt-") })
  }

  // MARK: Credentials and certificates

  @Test(
    arguments: [
      ("--credentials /nonexistent/file", [], "/nonexistent/file: No such file or directory"),
      ("", ["MQTT_USER=jane"], "MQTT_USER is set, but MQTT_PASSWORD is not"),
      ("", ["MQTT_PASSWORD=x"], "MQTT_PASSWORD is set, but MQTT_USER is not"),
      (
        "--ca /nonexistent/ca.pem", [],
        "The authorities' certificates cannot be read from /nonexistent/ca.pem: No such file"
      ),
    ] as [(String, [String], String)])
  func unreadableFilesAreUsageErrors(
    _ options: String, _ environment: [String], _ text: String
  ) async throws {
    let commands = [
      Self.publish, "fleet", "watch --backend mqtt --topic owntracks/jane/boat",
    ]
    for command in commands {
      let ended = try await ChildProcess(
        "\(command) --broker mqtts://127.0.0.1:1 \(options)", environment: environment
      ).end()
      #expect(ended.status == 2, "\(command): \(ended.errors)")
      #expect(ended.errors.contains(text), "\(ended.errors)")
      #expect(!ended.errors.contains("system lib"))
    }
  }

  @Test("a broker that requires a user names the tool's options")
  func namesItsOptions() async throws {
    let broker = try await RealBroker(["allow_anonymous false"])
    let ended = try await ChildProcess("fleet" + Self.address(broker)).end()
    #expect(ended.status == 3)
    #expect(ended.errors.contains("Set MQTT_USER and MQTT_PASSWORD, or use --credentials FILE."))
  }

  @Test(.enabled(if: TestAuthority.isInstalled, "openssl is not installed"))
  func aRefusedCertificateIsAFailure() async throws {
    let (authority, stranger) = try await onThread { (try TestAuthority(), try TestAuthority()) }
    let (server, client) = try await onThread {
      (try authority.issue("server"), try authority.issue("client"))
    }
    let broker = try await RealBroker([
      "allow_anonymous true", "cafile \(authority.certificateFile)",
      "certfile \(server.certificateFile)", "keyfile \(server.keyFile)",
      "require_certificate true",
    ])
    let identity = "--certificate \(client.certificateFile) --certificate-key \(client.keyFile)"
    let line = Self.publish + Self.address(broker, "mqtts") + "--count 3"
    let untrusted = try await ChildProcess(
      "\(line) \(identity) --ca \(stranger.certificateFile)"
    ).end()
    #expect(untrusted.status == 1)
    #expect(untrusted.errors.contains("is refused: "), "\(untrusted.errors)")
    #expect(untrusted.errors.contains("Check the host's name and --ca."))
    let anonymous = try await ChildProcess(
      "fleet" + Self.address(broker, "mqtts") + " --ca \(authority.certificateFile)"
    ).end()
    #expect(anonymous.status == 3)
    #expect(
      anonymous.errors.contains("Use --certificate FILE and --certificate-key FILE."),
      "\(anonymous.errors)")
    let accepted = try await ChildProcess(
      "\(line) \(identity) --ca \(authority.certificateFile)"
    ).end()
    #expect(accepted.status == 0, "\(accepted.errors)")
  }
}
