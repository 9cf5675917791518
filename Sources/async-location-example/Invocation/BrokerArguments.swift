import AsyncLocation
import MQTTBackend
import OwnTracks

/// The arguments about a broker, and about the messages read or published.
struct BrokerArguments: Hashable, Sendable {
  /// The names of the environment variables for the user name and the password.
  static let variables = (user: "MQTT_USER", password: "MQTT_PASSWORD")

  /// The address of the broker.
  var url: String?
  /// The topic of a device, or of a fleet.
  var topic: String?
  /// The path of the file with the user name and the password.
  var credentials: String?
  /// The path of the certificates of the trusted authorities.
  var authority: String?
  /// The path of this client's certificate.
  var certificate: String?
  /// The path of the key of ``certificate``.
  var certificateKey: String?
  /// For `publish`, the file that stores waiting messages. For `fleet` and `history`, the file or
  /// the database URI that stores the fleet. With nil, `publish` and `fleet` store in memory.
  var storage: String?
  /// The name of the group of processes that share the messages of a fleet.
  var group: String?
  /// The partition of the devices that is followed; nil for all devices.
  var partition: FleetConfiguration.Partition?
  /// Whether all messages of the devices are shown in addition to locations.
  var showsMessages = false
  /// Whether the state of the device is published in addition to locations.
  var publishesStatus = false
  /// Who confirms a published location.
  var confirmation = PublisherOptions.Confirmation.broker
  /// OwnTracks' `tid`.
  var trackerID: String?
}

extension Arguments {
  /// Whether the command reads from a broker or publishes to one.
  private var usesBroker: Bool { uses(.mqtt) || command == .publish || command == .fleet }

  /// Rejects broker options that are missing or have no effect.
  func checkBroker(_ given: Set<Option>) throws(UsageError) {
    guard usesBroker else {
      let unused = Set<Option>.broker.intersection(given)
      if let option = Option.allCases.first(where: unused.contains) {
        throw UsageError("\(option.flag) needs --backend mqtt", command: command)
      }
      return
    }
    // Checks the values too; the environment is read later.
    _ = try brokerConfiguration(environment: [:])
    if command != .fleet { _ = try deviceTopic() }
  }

  /// Rejects a source without satellites and headings.
  func requireMoreThanLocations() throws(UsageError) {
    guard let source = [Backend.mqtt, .geoclue].first(where: uses) else { return }
    let others = source == .geoclue ? ", publish, doctor" : ""
    throw UsageError(
      "--backend \(source.rawValue) has locations only; watch, once, fences\(others) and record "
        + "use it",
      command: command)
  }

  /// The broker, with the credentials from a file or otherwise from the environment.
  ///
  /// - Throws: ``UsageError`` if the address is missing or invalid, if certificates are given
  ///   without TLS, if only one of a certificate and its key is given, or if only one of
  ///   ``BrokerArguments/variables`` is set and there is no credentials file.
  func brokerConfiguration(
    environment: [String: String]
  ) throws(UsageError) -> MQTTConfiguration {
    guard let url = broker.url else {
      throw UsageError(
        "--broker is missing: --broker mqtt://HOST or mqtts://HOST, with :PORT if it is not the "
          + "usual one", command: command)
    }
    var configuration: MQTTConfiguration
    do throws(LocationError) {
      configuration = try MQTTConfiguration(url: url)
    } catch {
      throw UsageError("--broker: \(error.message)", command: command)
    }
    if broker.authority != nil || broker.certificate != nil || broker.certificateKey != nil {
      guard configuration.tls != nil else {
        throw UsageError("certificates need TLS: --broker mqtts://HOST", command: command)
      }
      guard (broker.certificate == nil) == (broker.certificateKey == nil) else {
        throw UsageError(
          "--certificate and --certificate-key need each other", command: command)
      }
      configuration.tls?.authorityFile = broker.authority
      configuration.tls?.certificateFile = broker.certificate
      configuration.tls?.keyFile = broker.certificateKey
    }
    configuration.credentials = try credentials(environment)
    return configuration
  }

  /// The source of the credentials: the file or else the environment variables; nil without either.
  /// An empty user name counts as not set. An empty password is valid with a user name, and
  /// otherwise counts as not set.
  private func credentials(
    _ environment: [String: String]
  ) throws(UsageError) -> MQTTConfiguration.Credentials? {
    if let file = broker.credentials { return .file(file) }
    let (user, password) = BrokerArguments.variables
    let hasUser = environment[user]?.isEmpty == false
    guard hasUser || environment[password]?.isEmpty == false else { return nil }
    guard hasUser, environment[password] != nil else {
      throw UsageError(
        "\(hasUser ? user : password) is set, but \(hasUser ? password : user) is not; set both, or "
          + "use --credentials FILE", command: command)
    }
    return .environment(user: user, password: password)
  }

  /// The topic of one device.
  ///
  /// - Throws: ``UsageError`` if the topic is missing or names no device.
  func deviceTopic() throws(UsageError) -> OwnTracksTopic {
    let expected = "owntracks/USER/DEVICE, such as owntracks/jane/boat"
    guard let text = broker.topic else {
      throw UsageError("--topic is missing: --topic \(expected)", command: command)
    }
    guard let topic = OwnTracksTopic(text), topic.kind == .location else {
      throw UsageError(
        "--topic is \(expected); got '\(Escaping.escape(text, limit: 60))'", command: command)
    }
    return topic
  }
}
