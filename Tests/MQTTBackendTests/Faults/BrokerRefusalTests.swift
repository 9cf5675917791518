import AsyncLocation
import Foundation
import Glibc
import TestSupport
import Testing

@testable import MQTTBackend

/// F56: a broker that refuses a connection, and a server that is not a broker.
@Suite(.needsBroker, .inTurn)
struct BrokerRefusalTests {
  /// The error that ends a run. A transient error ends it after four attempts, any other at once.
  struct Expectation: Sendable {
    var code: LocationError.Code
    var refusal: BrokerRefusal?
    /// A part of the error message.
    var advice: String
  }

  /// Four attempts, with growing delays.
  static let reconnection = Reconnection.exponential(
    initial: .milliseconds(10), maximum: .milliseconds(20), jitter: 0, attempts: 4)

  static func verify(
    _ trial: ConnectionTrial, _ expected: Expectation, connections: Int,
    _ location: SourceLocation = #_sourceLocation
  ) {
    let error = trial.error
    #expect(error?.code == expected.code, sourceLocation: location)
    #expect((error?.cause as? BrokerRefusal) == expected.refusal, sourceLocation: location)
    #expect(
      error?.message.contains(expected.advice) == true, "\(error?.message ?? "none")",
      sourceLocation: location)
    let isTransient = LocationError(expected.code, "").isTransient
    #expect(
      trial.waits.map(\.retryDelay)
        == (isTransient ? [10, 20, 20] : []).map { Duration.milliseconds($0) },
      "\(trial.waits.compactMap(\.problem))", sourceLocation: location)
    #expect(connections <= (isTransient ? 4 : 1), sourceLocation: location)
  }

  // MARK: Rules of a broker

  struct Rule: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var lines: [String]
    var files: [String: String] = [:]
    var credentials: MQTTConfiguration.Credentials?
    var role = BrokerRun.Role()
    let expected: Expectation
  }

  static let passwords = ["allow_anonymous false", "password_file $FOLDER/passwords"]

  static let rules = [
    Rule(
      testDescription: "a wrong password", lines: passwords,
      credentials: .password(user: "jane", password: "wrong"),
      expected: Expectation(
        code: .credentialsRefused, refusal: .credentials,
        advice: "does not accept the user name and password")),
    Rule(
      testDescription: "an unknown user", lines: passwords,
      credentials: .password(user: "joe", password: "secret"),
      expected: Expectation(
        code: .credentialsRefused, refusal: .credentials,
        advice: "does not accept the user name and password")),
    Rule(
      testDescription: "no user name", lines: passwords,
      expected: Expectation(
        code: .credentialsRefused, refusal: .credentials,
        advice: "Set the configuration's credentials")),
    Rule(
      testDescription: "a rule against a subscription",
      lines: RealBroker.dynamicRules, files: RealBroker.noSubscriptions,
      role: BrokerRun.Role(subscriptions: [.init(filter: "owntracks/+/+")]),
      expected: Expectation(
        code: .denied, refusal: .notAuthorized(topic: "owntracks/+/+"),
        advice: "refuses the subscription to owntracks/+/+")),
  ]

  @Test("F56 a violation of a rule of the broker is reported", arguments: rules)
  func ruleViolationIsReported(_ rule: Rule) async throws {
    let broker = try await RealBroker(rule.lines, files: rule.files, passwords: ["jane": "secret"])
    let relay = Relay(to: broker.port)
    let trial = try await ConnectionTrial(
      MQTTConfiguration(
        host: "127.0.0.1", port: relay.port, credentials: rule.credentials,
        reconnection: Self.reconnection), rule.role)
    Self.verify(trial, rule.expected, connections: relay.accepted)
  }

  @Test func acceptsTheRightPassword() async throws {
    let broker = try await RealBroker(Self.passwords, passwords: ["jane": "secret"])
    try broker.write("jane\nsecret\n", to: "credentials")
    let sources: [MQTTConfiguration.Credentials] = [
      .password(user: "jane", password: "secret"), .file(broker.folder + "/credentials"),
    ]
    for credentials in sources {
      let recorder = RecordingHandler()
      let events = recorder.events
      let run = try BrokerRun(
        MQTTConfiguration(host: "127.0.0.1", port: broker.port, credentials: credentials),
        BrokerRun.Role(), identifier: "one", handler: recorder)
      let task = Task { try await run.run() }
      for await event in events {
        if case .connected = event { break }
        if case .changed(let state) = event { #expect(state.phase == .connecting) }
      }
      task.cancel()
      _ = await task.result
    }
  }

  // MARK: Credentials

  struct CredentialCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The file's content; nil for no file.
    let content: String?
    var mode: mode_t = 0o600
    let advice: String
  }

  @Test(arguments: [
    CredentialCase(
      testDescription: "no file", content: nil, advice: "cannot be read"),
    CredentialCase(
      testDescription: "a file that others can read", content: "jane\nsecret\n", mode: 0o644,
      advice: "chmod 600"),
    CredentialCase(
      testDescription: "a file with one line", content: "jane:secret",
      advice: "the password in line 2"),
  ])
  func needsReadableCredentials(_ example: CredentialCase) async throws {
    let broker = try await RealBroker(Self.passwords, passwords: ["jane": "secret"])
    let relay = Relay(to: broker.port)
    let path = broker.folder + "/credentials"
    if let content = example.content {
      try broker.write(content, to: "credentials")
      chmod(path, example.mode)
    }
    let trial = try await ConnectionTrial(
      MQTTConfiguration(host: "127.0.0.1", port: relay.port, credentials: .file(path)))
    Self.verify(
      trial, Expectation(code: .invalidValue, refusal: nil, advice: example.advice),
      connections: relay.accepted)
    #expect(relay.accepted == 0)
  }

  // MARK: Servers that are no MQTT 5 broker

  struct Impostor: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let answer: ScriptedServer.Answer
    let expected: Expectation
  }

  static let noBroker = Expectation(
    code: .unsupported, refusal: .protocolVersion,
    advice: "does not speak MQTT in a requested version")

  static let impostors = [
    Impostor(
      testDescription: "closes at once", answer: .close,
      expected: Expectation(code: .connectionLost, refusal: nil, advice: "Check the port")),
    Impostor(
      testDescription: "closes after CONNECT", answer: .sendAndClose([]),
      expected: Expectation(code: .connectionLost, refusal: nil, advice: "Check the port")),
    Impostor(
      testDescription: "accepts no version above 3.1.1",
      answer: .send([0x20, 0x02, 0x00, 0x01]), expected: noBroker),
    Impostor(
      testDescription: "accepts as MQTT 3.1.1 does",
      answer: .send([0x20, 0x02, 0x00, 0x00]), expected: noBroker),
    Impostor(
      testDescription: "refuses the version as MQTT 5 does",
      answer: .send([0x20, 0x03, 0x00, 0x84, 0x00]), expected: noBroker),
    Impostor(
      testDescription: "is busy",
      answer: .send([0x20, 0x03, 0x00, 0x89, 0x00]),
      expected: Expectation(
        code: .backendUnavailable, refusal: .other(reasonCode: 0x89), advice: "Server busy")),
    Impostor(
      testDescription: "accepts no such client identifier",
      answer: .send([0x20, 0x03, 0x00, 0x85, 0x00]),
      expected: Expectation(
        code: .invalidValue, refusal: .clientIdentifier, advice: "client identifier")),
    Impostor(
      testDescription: "sends zeros", answer: .send(Array(repeating: 0, count: 4_096)),
      expected: noBroker),
    Impostor(
      testDescription: "sends 0xFF", answer: .send(Array(repeating: 0xFF, count: 4_096)),
      expected: noBroker),
    Impostor(
      testDescription: "speaks HTTP",
      answer: .send(
        Array(
          ("HTTP/1.1 400 Bad Request\r\nContent-Type: text/html; charset=utf-8\r\n"
            + "Content-Length: 11\r\nConnection: close\r\n\r\nBad Request").utf8)),
      expected: noBroker),
    Impostor(
      testDescription: "speaks SSH", answer: .send(Array("SSH-2.0-OpenSSH_9.2p1\r\n".utf8)),
      expected: noBroker),
    Impostor(
      testDescription: "is gpsd",
      answer: .send(Array(#"{"class":"VERSION","release":"3.25"}"#.utf8) + [13, 10]),
      expected: noBroker),
    Impostor(
      testDescription: "announces a packet of 256 MiB",
      answer: .send([0x30, 0xFF, 0xFF, 0xFF, 0x7F] + Array(repeating: 0, count: 4_096)),
      expected: noBroker),
  ]

  @Test("F56 a server of another protocol is reported", arguments: impostors)
  func detectsServersOfOtherProtocols(_ impostor: Impostor) async throws {
    let server = ScriptedServer(impostor.answer)
    var configuration = MQTTConfiguration(
      host: "127.0.0.1", port: server.port, reconnection: Self.reconnection,
      connectTimeout: .seconds(60))
    configuration.version = .mqtt5
    let trial = try await ConnectionTrial(configuration)
    Self.verify(trial, impostor.expected, connections: server.accepted)
  }

  @Test("F56 a server that never answers") func silentServerTimesOut() async throws {
    let server = ScriptedServer(.silence)
    let trial = try await ConnectionTrial(
      MQTTConfiguration(
        host: "127.0.0.1", port: server.port, reconnection: Self.reconnection,
        connectTimeout: .milliseconds(50)))
    Self.verify(
      trial, Expectation(code: .timedOut, refusal: nil, advice: "whether it expects TLS"),
      connections: server.accepted)
  }

  /// A timeout would mean that the handshake continued over a closed connection.
  @Test(
    "F56 a server that does not speak TLS",
    arguments: [
      ScriptedServer.Answer.close, .sendAndClose([]),
      .sendAndClose([0x20, 0x03, 0x00, 0x00, 0x00]),
    ])
  func endsAHandshake(_ answer: ScriptedServer.Answer) async throws {
    let server = ScriptedServer(answer)
    let trial = try await ConnectionTrial(
      MQTTConfiguration(
        host: "127.0.0.1", port: server.port, tls: MQTTConfiguration.TLS(),
        reconnection: Self.reconnection, connectTimeout: .seconds(600)))
    #expect(trial.error?.isTransient == true)
    #expect(trial.waits.count == 3)
  }

  @Test(arguments: [nil, MQTTConfiguration.TLS()])
  func aPortWithoutAListenerIsReported(_ tls: MQTTConfiguration.TLS?) async throws {
    let trial = try await ConnectionTrial(
      MQTTConfiguration(
        host: "127.0.0.1", port: freePort(), tls: tls, reconnection: Self.reconnection,
        connectTimeout: .seconds(600)))
    Self.verify(
      trial,
      Expectation(
        code: .backendUnavailable, refusal: nil, advice: "Check the port and whether it runs"),
      connections: 4)
  }
}
