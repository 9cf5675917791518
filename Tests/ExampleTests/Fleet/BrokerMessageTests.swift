import AsyncLocation
import MQTTBackend
import TestSupport
import Testing

@testable import async_location_example

/// The tool's messages about a broker, in addition to the library's.
@Suite(.inTurn) struct BrokerMessageTests {
  @Test(
    arguments: [
      (BrokerAdvice.setCredentials, "Set MQTT_USER and MQTT_PASSWORD, or use --credentials FILE."),
      (BrokerAdvice.setCertificate, "Use --certificate FILE and --certificate-key FILE."),
      (BrokerAdvice.checkAuthority, "Check the host's name and --ca."),
      ("Check the port.", "Check the port."),
    ])
  func adviceNamesTheOptionsOfTheCommand(_ advice: String, _ text: String) {
    let refused = LocationError(.denied, "The broker refuses. " + advice)
    #expect(Reason.text(refused) == "The broker refuses. " + text)
    #expect(
      Reason.text(LocationError(.timedOut, "No location.", cause: refused))
        == "No location. Cause: The broker refuses. " + text)
  }

  @Test(
    arguments: [
      (.credentialsRefused, .credentials, 3), (.denied, .notAuthorized(topic: nil), 3),
      (.serverUntrusted, .certificateUntrusted, 1), (.backendUnavailable, .certificateExpired, 1),
      (.credentialsRefused, .handshake, 3), (.backendUnavailable, .handshake, 1), (.denied, nil, 3),
      (.timedOut, nil, 4), (.unsupported, .protocolVersion, 1),
    ] as [(LocationError.Code, BrokerRefusal?, Int32)])
  func refusalsHaveAStatus(
    _ code: LocationError.Code, _ refusal: BrokerRefusal?, _ status: Int32
  ) {
    #expect(ExitCode(LocationError(code, "", cause: refusal)).status == status)
  }

  private static func credentials(
    _ environment: [String: String], _ options: String = ""
  ) throws -> MQTTConfiguration.Credentials? {
    let line = "fleet --broker mqtt://a" + options
    guard
      case .run(let arguments) = try Invocation.parse(line.split(separator: " ").map(String.init))
    else { return nil }
    return try arguments.brokerConfiguration(environment: environment).credentials
  }

  @Test(
    arguments: [
      ([:], false), (["MQTT_USER": "jane", "MQTT_PASSWORD": "x"], true),
      (["MQTT_USER": "jane", "MQTT_PASSWORD": ""], true),
      (["MQTT_USER": "", "MQTT_PASSWORD": ""], false), (["MQTT_USER": ""], false),
    ] as [([String: String], Bool)])
  func readsTheEnvironment(_ environment: [String: String], _ isUsed: Bool) throws {
    let expected: MQTTConfiguration.Credentials? =
      isUsed ? .environment(user: "MQTT_USER", password: "MQTT_PASSWORD") : nil
    #expect(try Self.credentials(environment) == expected)
    #expect(try Self.credentials(environment, " --credentials f") == .file("f"))
  }

  @Test(
    arguments: [
      (["MQTT_USER": "jane"], "MQTT_USER is set, but MQTT_PASSWORD is not"),
      (["MQTT_PASSWORD": "x"], "MQTT_PASSWORD is set, but MQTT_USER is not"),
      (["MQTT_USER": "", "MQTT_PASSWORD": "x"], "MQTT_PASSWORD is set, but MQTT_USER is not"),
    ])
  func userAndPasswordAreRequiredTogether(_ environment: [String: String], _ text: String) {
    let error = #expect(throws: UsageError.self) { try Self.credentials(environment) }
    #expect(error?.message == text + "; set both, or use --credentials FILE")
  }
}
