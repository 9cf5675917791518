import AsyncLocation
import TestSupport
import Testing

@testable import MQTTBackend

@Suite(.inTurn) struct MQTTConfigurationTests {
  // MARK: Addresses

  @Test(
    arguments: [
      ("mqtt://broker.local", "broker.local", 1883, false),
      ("mqtts://broker.local", "broker.local", 8883, true),
      ("MQTT://broker.local", "broker.local", 1883, false),
      ("Mqtts://Broker.Local:1", "Broker.Local", 1, true),
      ("mqtt://broker.local/", "broker.local", 1883, false),
      ("mqtt://broker.local:65535/", "broker.local", 65_535, false),
      ("mqtt://192.0.2.1:01883", "192.0.2.1", 1883, false),
      ("mqtt://[::1]", "::1", 1883, false), ("mqtts://[::1]:99", "::1", 99, true),
      ("mqtt://[fe80::1%eth0]:99/", "fe80::1%eth0", 99, false),
      ("mqtt://a", "a", 1883, false), ("mqtts://a:99,b", "a", 99, true),
    ] as [(String, String, Int, Bool)])
  func accepts(url: String, host: String, port: Int, isSecure: Bool) throws {
    let configuration = try MQTTConfiguration(url: url)
    #expect(configuration.host == host)
    #expect(configuration.port == port)
    #expect((configuration.tls != nil) == isSecure)
    try configuration.validate()
  }

  private static let scheme = "it must begin with mqtt:// or mqtts://"
  private static let port = "the port must be a number in 1...65535"
  private static let rest = "nothing may follow the port"
  private static let user = "user name and password do not belong in it"
  private static let brackets = "an IPv6 address needs brackets"

  @Test(
    arguments: [
      ("", scheme), ("broker.local", scheme), ("broker.local:1883", scheme),
      ("http://broker.local", scheme), ("tcp://broker.local", scheme), ("mqtt:/broker", scheme),
      ("mqtt:broker", scheme), (" mqtt://broker", scheme), ("ws://broker", scheme),
      ("mqtt://", "the host is missing"), ("mqtts:///", "the host is missing"),
      ("mqtt://:1883", "the host is missing"),
      ("mqtt://broker:", port), ("mqtt://broker:0", port), ("mqtt://broker:65536", port),
      ("mqtt://broker:+1", port), ("mqtt://broker:-1", port), ("mqtt://broker:1x", port),
      ("mqtt://broker:0x10", port), ("mqtt://broker:99999999999999999999", port),
      ("mqtt://broker:١", port), ("mqtt://[::1]99", port), ("mqtt://[::1]:", port),
      ("mqtt://broker/path", rest), ("mqtt://broker:1883/path", rest), ("mqtt://broker//", rest),
      ("mqtt://broker?query", rest), ("mqtt://broker/?query", rest), ("mqtt://broker#part", rest),
      ("mqtt://broker name", rest), ("mqtt://broker\n", rest), ("mqtt://broker\0", rest),
      ("mqtt://broker\u{7F}", rest), ("mqtt://bro%6Ber", "without percent-encoding"),
      ("mqtt://broker%2Fpath:1883", "without percent-encoding"),
      ("mqtt://[broker]", "only IPv6 addresses have brackets"),
      ("mqtt://,", "the host is missing"), ("mqtt://a,", "the host is missing"),
      ("mqtt://a,,b", "the host is missing"), ("mqtt://a,mqtt://b", rest),
      ("mqtt://a,b:0", port), ("mqtt://a/,b", rest), ("mqtt://a,::1", brackets),
      ("mqtt://[]", "only IPv6 addresses have brackets"),
      ("mqtt://[::1", "a bracket is missing"), ("mqtt://::1", brackets),
      ("mqtt://fe80::1:1883", brackets), ("mqtt://2001:db8::1", brackets),
      ("mqtt://jane@broker", user), ("mqtts://jane:secret@broker:1", user),
      ("http://jane:secret@broker", user), ("jane:secret@broker", user),
      ("mqtt://jane:secret@", user), ("mqtt://broker/jane:secret@x", user),
    ])
  func refuses(_ url: String, _ reason: String) {
    let error = #expect(throws: LocationError.self) { try MQTTConfiguration(url: url) }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("secret") == false)
    #expect(error?.message.unicodeScalars.contains { $0.value < 0x20 } == false)
  }

  @Test func acceptsTheNodesOfACluster() throws {
    let configuration = try MQTTConfiguration(url: "mqtts://a.example:99,b.example,[::1]:1/")
    #expect(
      configuration.alternatives == [
        .init(host: "b.example", port: 8883), .init(host: "::1", port: 1),
      ])
    #expect(configuration.endpoint == "mqtts://a.example:99,b.example:8883,[::1]:1")
  }

  // MARK: Values

  struct Change: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// A part of the expected error message; nil if the configuration is valid.
    let refusal: String?
    let apply: @Sendable (inout MQTTConfiguration) -> Void

    init(
      _ description: String, _ refusal: String? = nil,
      _ apply: @escaping @Sendable (inout MQTTConfiguration) -> Void
    ) {
      (testDescription, self.refusal, self.apply) = (description, refusal, apply)
    }
  }

  static let changes = [
    Change("the default") { _ in },
    Change("an empty host", "The host must") { $0.host = "" },
    Change("NUL in the host", "The host must") { $0.host = "broker\0" },
    Change("port 0", "The port must") { $0.port = 0 },
    Change("port 65,536", "The port must") { $0.port = 65_536 },
    Change("a negative port", "The port must") { $0.port = -1 },
    Change("port 65,535") { $0.port = 65_535 },
    Change("another node") { $0.alternatives = [.init(host: "b", port: 1)] },
    Change("another node without a host", "The host must") {
      $0.alternatives = [.init(host: "", port: 1)]
    },
    Change("17 nodes", "at most 16 nodes") {
      $0.alternatives = (1...16).map { .init(host: "b\($0)", port: 1) }
    },
    Change("port 0 of another node", "The port must") {
      $0.alternatives = [.init(host: "b", port: 1), .init(host: "c", port: 0)]
    },
    Change("keepalive of less than 5 s", "keepAlive must") { $0.keepAlive = .milliseconds(4_999) },
    Change("keepalive of 5 s") { $0.keepAlive = .seconds(5) },
    Change("keepalive of 65,535 s") { $0.keepAlive = .seconds(65_535) },
    Change("keepalive above 65,535 s", "keepAlive must") {
      $0.keepAlive = .seconds(65_535) + .nanoseconds(1)
    },
    Change("a negative keepalive", "keepAlive must") { $0.keepAlive = .seconds(-60) },
    Change("no session") { $0.sessionExpiry = .zero },
    Change("the longest session") { $0.sessionExpiry = .seconds(4_294_967_294) },
    Change("a session without an end", "sessionExpiry must") {
      $0.sessionExpiry = .seconds(4_294_967_295)
    },
    Change("a negative session", "sessionExpiry must") { $0.sessionExpiry = .seconds(-1) },
    Change("packets of 256 bytes") { $0.maximumPacketSize = 256 },
    Change("packets of 255 bytes", "maximumPacketSize must") { $0.maximumPacketSize = 255 },
    Change("packets of 268,435,455 bytes") { $0.maximumPacketSize = 268_435_455 },
    Change("packets of 268,435,456 bytes", "maximumPacketSize must") {
      $0.maximumPacketSize = 268_435_456
    },
    Change("connectTimeout of 0", "connectTimeout must") { $0.connectTimeout = .zero },
    Change("connectTimeout of a day") { $0.connectTimeout = .seconds(86_400) },
    Change("connectTimeout of more than a day", "connectTimeout must") {
      $0.connectTimeout = .seconds(86_401)
    },
    Change("a client identifier") { $0.clientIdentifier = "boat 7/ä" },
    Change("an empty client identifier", "clientIdentifier must") { $0.clientIdentifier = "" },
    Change("a client identifier of 1,024 bytes") {
      $0.clientIdentifier = String(repeating: "x", count: 1_024)
    },
    Change("a client identifier of 1,025 bytes", "clientIdentifier must") {
      $0.clientIdentifier = String(repeating: "ä", count: 512) + "x"
    },
    Change("NUL in the client identifier", "clientIdentifier must") {
      $0.clientIdentifier = "boat\0"
    },
    Change("a newline in the client identifier", "clientIdentifier must") {
      $0.clientIdentifier = "boat\n"
    },
    Change("DEL in the client identifier", "clientIdentifier must") {
      $0.clientIdentifier = "boat\u{7F}"
    },
    Change("a certificate without a key", "needs its key") {
      $0.tls = .init(certificateFile: "a")
    },
    Change("a key without a certificate", "needs its key") { $0.tls = .init(keyFile: "a") },
    Change("NUL in the path of an authority", "NUL") { $0.tls = .init(authorityFile: "a\0b") },
    Change("NUL in the path of a key", "NUL") {
      $0.tls = .init(certificateFile: "a", keyFile: "a\0b")
    },
  ]

  @Test(arguments: changes)
  func configurationsAreValidated(_ change: Change) throws {
    var configuration = MQTTConfiguration()
    change.apply(&configuration)
    guard let refusal = change.refusal else { return try configuration.validate() }
    let error = #expect(throws: LocationError.self) { try configuration.validate() }
    #expect(error?.code == .invalidValue)
    #expect(error?.message.contains(refusal) == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      ("mqtt://a", "mqtt://a:1883"), ("mqtts://a:1", "mqtts://a:1"),
      ("mqtt://[::1]", "mqtt://[::1]:1883"),
    ])
  func namesItsEndpoint(_ url: String, _ endpoint: String) throws {
    #expect(try MQTTConfiguration(url: url).endpoint == endpoint)
  }
}
