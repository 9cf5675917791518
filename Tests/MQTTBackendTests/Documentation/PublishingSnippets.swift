import AsyncLocation
import FoundationEssentials
import LocationStorage
import MQTTBackend
import OwnTracks

/// Compiles the code of the article "Publishing locations", of the overview and of doc comments.
@MainActor
enum PublishingSnippets {
  static func publish(_ manager: LocationManager) async throws {
    // On each device:
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"),
      to: try MQTTConfiguration(url: "mqtts://broker.example"),
      storage: SQLitePublicationStorage(file: "/var/lib/boat/publications.sqlite"))
    try await publisher.run()
  }

  static func publishAtHome(_ manager: LocationManager) async throws {
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"),
      to: try MQTTConfiguration(url: "mqtt://broker.local"),
      storage: SQLitePublicationStorage(file: "/var/lib/boat/publications.sqlite"))
    try await publisher.run()
  }

  static func publishToServer(_ manager: LocationManager) async throws {
    let publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: "boat"),
      to: OwnTracksServer(
        url: "https://recorder.example.org/pub", credentials: .file("/etc/boat/recorder")),
      storage: SQLitePublicationStorage(file: "/var/lib/boat/publications.sqlite"))
    try await publisher.run()
  }

  static func runAgain(_ publisher: LocationPublisher, _ manager: LocationManager) async throws {
    for await _ in manager.authorizationUpdates {
      // The update may be an old one. Without a decision, a run asks for permission.
      guard ![.denied, .restricted].contains(await manager.authorization().status) else { continue }
      do {
        try await publisher.run()
      } catch let error as LocationError where error.isRefusal {
        // What waited is deleted.
      }
    }
  }

  static func configure() throws -> MQTTConfiguration {
    var broker = try MQTTConfiguration(url: "mqtts://broker.example")
    broker.credentials = .file("/etc/boat/broker-password")
    broker.tls?.authorityFile = "/etc/boat/authority.pem"
    return broker
  }

  static func confirm() -> PublisherOptions {
    let options = PublisherOptions(confirmation: .stored)
    return options
  }

  static func choose() -> PublisherOptions {
    var options = PublisherOptions(limits: PublicationLimits(age: .seconds(86_400)))
    options.updates.minimumInterval = .seconds(10)
    options.updates.distanceFilter = 20
    return options
  }

  static func watch(_ publisher: LocationPublisher) async {
    for await state in publisher.connectionStates {
      let statistics = publisher.statistics
      print(state, "\(statistics.backlog.count) wait", statistics.problem?.message ?? "")
    }
  }

  static func define(_ publisher: LocationPublisher, at coordinate: Coordinate) async throws {
    let harbour = WaypointMessage("Harbour", time: Date(), coordinate: coordinate, radius: 150)
    try await publisher.publish(.waypoint(harbour))
  }

  static func receive() throws {
    let backend = MQTTBackend(
      try MQTTConfiguration(url: "mqtt://broker.local"),
      topic: try OwnTracksTopic(user: "jane", device: "boat"))
    let manager = LocationManager(backend: backend)
    _ = manager
  }

  static func follow() async throws {
    let backend = MQTTBackend(
      try MQTTConfiguration(url: "mqtt://broker.local"),
      topic: try OwnTracksTopic(user: "jane", device: "boat"))
    let manager = LocationManager(backend: backend)
    for try await location in manager.updates { print(location.coordinate) }
  }
}
