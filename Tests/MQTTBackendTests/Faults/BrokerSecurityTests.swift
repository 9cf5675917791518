import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import MQTTBackend

/// F56: failures of TLS.
@Suite(
  .needsBroker, .enabled(if: TestAuthority.isInstalled, "openssl is not installed"), .inTurn)
struct BrokerSecurityTests {
  typealias Expectation = BrokerRefusalTests.Expectation
  typealias TLS = MQTTConfiguration.TLS

  /// The certificates of all tests, created once.
  struct Certificates: Sendable {
    let authority: TestAuthority
    let unknownAuthority: TestAuthority
    let server, expired, early, misnamed, unnamed: TestAuthority.Certificate
    let client, foreignClient: TestAuthority.Certificate

    init() throws {
      authority = try TestAuthority()
      unknownAuthority = try TestAuthority()
      server = try authority.issue("server")
      expired = try authority.issue("expired", validity: .past)
      early = try authority.issue("early", validity: .future)
      misnamed = try authority.issue("misnamed", for: "DNS:elsewhere.example")
      unnamed = try authority.issue("common.example", for: nil)
      client = try authority.issue("client")
      foreignClient = try unknownAuthority.issue("client")
    }
  }

  static let certificates = Task { try await onThread { try Certificates() } }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var server: @Sendable (Certificates) -> TestAuthority.Certificate = \.server
    var requiresClient = false
    let tls: @Sendable (Certificates) -> TLS
    /// The expected error; nil if the connection succeeds.
    let expected: Expectation?
  }

  static func trusted(_ certificates: Certificates) -> TLS {
    TLS(authorityFile: certificates.authority.certificateFile)
  }

  static func untrusted(_ advice: String) -> Expectation {
    Expectation(code: .serverUntrusted, refusal: .certificateUntrusted, advice: advice)
  }

  static func outsideValidity(_ advice: String) -> Expectation {
    Expectation(code: .backendUnavailable, refusal: .certificateExpired, advice: advice)
  }

  static let needsCertificate = Expectation(
    code: .credentialsRefused, refusal: .handshake, advice: "certificateFile")
  static let otherCertificate = Expectation(
    code: .backendUnavailable, refusal: .handshake, advice: "certificate of this client")

  static let cases = [
    Case(testDescription: "a trusted certificate", tls: trusted, expected: nil),
    Case(
      testDescription: "the name of another server in the certificate",
      server: \.misnamed, tls: trusted, expected: untrusted("IP address mismatch")),
    Case(
      testDescription: "another name that is expected",
      tls: { TLS(authorityFile: $0.authority.certificateFile, serverName: "other.example") },
      expected: untrusted("hostname mismatch")),
    Case(
      testDescription: "the name that is expected",
      server: \.misnamed,
      tls: { TLS(authorityFile: $0.authority.certificateFile, serverName: "elsewhere.example") },
      expected: nil),
    Case(
      testDescription: "the name with the dot of the root",
      tls: {
        TLS(authorityFile: $0.authority.certificateFile, serverName: "localhost.")
      },
      expected: nil),
    Case(
      testDescription: "a common name without alternative names",
      server: \.unnamed,
      tls: { TLS(authorityFile: $0.authority.certificateFile, serverName: "common.example") },
      expected: untrusted("hostname mismatch")),
    Case(
      testDescription: "an unknown authority",
      tls: { TLS(authorityFile: $0.unknownAuthority.certificateFile) },
      expected: untrusted("the authority file")),
    Case(
      testDescription: "the authorities of the system",
      tls: { _ in TLS() }, expected: untrusted("the authority file")),
    Case(
      testDescription: "an expired certificate", server: \.expired, tls: trusted,
      expected: outsideValidity("expired")),
    Case(
      testDescription: "a certificate of the future", server: \.early, tls: trusted,
      expected: outsideValidity("not yet valid")),
    Case(
      testDescription: "no certificate of the client", requiresClient: true, tls: trusted,
      expected: needsCertificate),
    Case(
      testDescription: "a certificate of the client", requiresClient: true,
      tls: {
        TLS(
          authorityFile: $0.authority.certificateFile,
          certificateFile: $0.client.certificateFile, keyFile: $0.client.keyFile)
      }, expected: nil),
    Case(
      testDescription: "a certificate of the client by an unknown authority",
      requiresClient: true,
      tls: {
        TLS(
          authorityFile: $0.authority.certificateFile,
          certificateFile: $0.foreignClient.certificateFile, keyFile: $0.foreignClient.keyFile)
      }, expected: otherCertificate),
    Case(
      testDescription: "a key of another certificate",
      tls: {
        TLS(
          authorityFile: $0.authority.certificateFile,
          certificateFile: $0.client.certificateFile, keyFile: $0.server.keyFile)
      },
      expected: Expectation(code: .invalidValue, refusal: nil, advice: "the client's key")),
    Case(
      testDescription: "no authority file",
      tls: { _ in TLS(authorityFile: "/nonexistent/authority.crt") },
      expected: Expectation(
        code: .invalidValue, refusal: nil, advice: "/nonexistent/authority.crt")),
  ]

  @Test("F56 certificates of both sides", arguments: cases)
  func verifiesBothSides(_ example: Case) async throws {
    let certificates = try await Self.certificates.value
    let server = example.server(certificates)
    let broker = try await RealBroker(
      [
        "allow_anonymous true", "cafile \(certificates.authority.certificateFile)",
        "certfile \(server.certificateFile)", "keyfile \(server.keyFile)",
        "require_certificate \(example.requiresClient)",
      ])
    let relay = Relay(to: broker.port)
    let configuration = MQTTConfiguration(
      host: "127.0.0.1", port: relay.port, tls: example.tls(certificates),
      reconnection: BrokerRefusalTests.reconnection)
    guard let expected = example.expected else {
      try await Self.expectConnected(configuration)
      #expect(relay.accepted == 1)
      return
    }
    BrokerRefusalTests.verify(
      try await ConnectionTrial(configuration), expected, connections: relay.accepted)
  }

  /// Records an issue if the first attempt does not connect.
  private static func expectConnected(_ configuration: MQTTConfiguration) async throws {
    let recorder = RecordingHandler()
    let events = recorder.events
    let run = try BrokerRun(configuration, BrokerRun.Role(), identifier: "one", handler: recorder)
    let task = Task { try await run.run() }
    for await event in events {
      if case .connected = event { break }
      if case .changed(let state) = event, state.phase != .connecting {
        Issue.record("\(state)")
        break
      }
    }
    task.cancel()
    _ = await task.result
  }

  @Test func tlsToAPlainPortIsReported() async throws {
    let broker = try await RealBroker()
    let relay = Relay(to: broker.port)
    let trial = try await ConnectionTrial(
      MQTTConfiguration(
        host: "127.0.0.1", port: relay.port, tls: .init(),
        reconnection: BrokerRefusalTests.reconnection))
    BrokerRefusalTests.verify(
      trial,
      Expectation(code: .backendUnavailable, refusal: .handshake, advice: "speaks TLS"),
      connections: relay.accepted)
  }

  @Test func aPlainConnectionToATLSPortIsReported() async throws {
    let certificates = try await Self.certificates.value
    let broker = try await RealBroker([
      "allow_anonymous true", "certfile \(certificates.server.certificateFile)",
      "keyfile \(certificates.server.keyFile)",
    ])
    let relay = Relay(to: broker.port)
    var configuration = MQTTConfiguration(
      host: "127.0.0.1", port: relay.port, reconnection: BrokerRefusalTests.reconnection)
    // Otherwise, each attempt tries both versions.
    configuration.version = .mqtt5
    let trial = try await ConnectionTrial(configuration)
    BrokerRefusalTests.verify(
      trial,
      // The broker closes the connection without an answer.
      Expectation(
        code: .connectionLost, refusal: nil, advice: "whether it expects TLS"),
      connections: relay.accepted)
  }

  /// The broker reads its certificate again at SIGHUP.
  @Test("F56 a renewed certificate restores the connection")
  func aRenewedCertificateHealsTheConnection() async throws {
    let certificates = try await Self.certificates.value
    let broker = try await RealBroker([
      "allow_anonymous true", "certfile $FOLDER/server.crt", "keyfile $FOLDER/server.key",
    ]) { folder in
      try Self.install(certificates.expired, folder)
    }
    let recorder = RecordingHandler()
    let events = recorder.events
    let run = try BrokerRun(
      MQTTConfiguration(
        host: "127.0.0.1", port: broker.port, tls: Self.trusted(certificates),
        reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(100))),
      BrokerRun.Role(), identifier: "one", handler: recorder)
    let task = Task { try await run.run() }
    var isRenewed = false
    for await event in events {
      if case .connected = event { break }
      guard case .changed(let state) = event, state.phase == .waiting, !isRenewed else { continue }
      #expect((state.problem?.cause as? BrokerRefusal) == .certificateExpired)
      try Self.install(certificates.server, broker.folder)
      broker.send(SIGHUP)
      isRenewed = true
    }
    #expect(isRenewed)
    task.cancel()
    _ = await task.result
  }

  private static func install(
    _ certificate: TestAuthority.Certificate, _ folder: String
  ) throws {
    for (source, name) in [(certificate.certificateFile, "crt"), (certificate.keyFile, "key")] {
      try String(contentsOfFile: source, encoding: .utf8).write(
        toFile: "\(folder)/server.\(name)", atomically: true, encoding: .utf8)
    }
  }
}
