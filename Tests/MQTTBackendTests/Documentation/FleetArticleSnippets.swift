import AsyncLocation
import FoundationEssentials
import LocationFleet
import LocationStorage
import MQTTBackend
import OwnTracks

/// Compiles the code of the article "Following a fleet", of the overview and of the list of
/// features.
@MainActor
enum FleetArticleSnippets {
  static func follow() async throws {
    let fleet = try Fleet(FleetConfiguration(try MQTTConfiguration(url: "mqtt://broker.local")))
    for try await update in fleet.updates {
      print(update.device, update.location.coordinate)
    }
  }

  static func connect() throws {
    var broker = try MQTTConfiguration(url: "mqtts://broker.example")
    broker.credentials = .environment(user: "BROKER_USER", password: "BROKER_PASSWORD")
    broker.clientIdentifier = "dispatch-1"
    let fleet = try Fleet(FleetConfiguration(broker))
    _ = fleet
  }

  static func changes(of fleet: Fleet) async throws {
    for try await change in fleet.changes {
      switch change {
      case .added(let device): print(device, "is new")
      case .online(let device): print(device, "is online")
      case .offline(let device): print(device, "is offline")
      default: break
      }
    }
  }

  /// The code for servers in the list of features.
  static func readme() async throws {
    // On a server:
    let fleet = try Fleet(FleetConfiguration(try MQTTConfiguration(url: "mqtts://broker.example")))
    for try await update in fleet.updates {
      print(update.device, update.location.coordinate)
    }
  }

  static func batches(of fleet: Fleet, store: (FleetUpdate) -> Void) async throws {
    for try await batch in fleet.batches {
      for update in batch { store(update) }
    }
  }

  static func trips(of fleet: Fleet) async throws {
    for try await element in fleet.trips {
      guard let end = element.trip.end else { continue }
      print(element.device, element.trip.start, end, element.trip.distance)
    }
  }

  static func suspects(of fleet: Fleet) {
    let suspects = fleet.devices.filter { $0.location?.integrity?.isSuspect ?? false }
    print(suspects)
  }

  static func last(of fleet: Fleet) throws {
    if let boat = fleet.device(try FleetDevice.ID(user: "jane", device: "boat")) {
      print(boat.presence, boat.location?.coordinate as Any, boat.silence as Any)
    }
  }

  static func audience(of fleet: Fleet, at depot: Coordinate) throws {
    try fleet.add(.circle(center: depot, radius: 150), identifier: "vans", for: .users(["vans"]))
  }

  static func stored(
    _ broker: MQTTConfiguration, notify: (FleetEvent) async throws -> Void
  ) async throws {
    let fleet = try await Fleet(
      FleetConfiguration(broker),
      storage: SQLiteFleetStorage(file: "/var/lib/dispatch/fleet.sqlite"))
    for try await event in fleet.unfinishedEvents {
      try await notify(event)
    }
  }

  static func history(
    _ history: FleetHistory, of boat: FleetDevice.ID, in harbour: Condition, _ yesterday: Date,
    _ noon: Date, _ today: Date
  ) async throws {
    for try await location in history.track(of: boat, from: yesterday, to: today) {
      print(location)
    }
    let there = try await history.location(of: boat, at: noon)
    for try await visit in history.devices(in: harbour, from: yesterday, to: today) {
      print(visit.device, visit.first.timestamp, visit.last.timestamp)
    }
    _ = there
  }

  static func tested(
    at depot: Coordinate, _ location: Location, of boat: FleetDevice.ID
  ) async throws {
    let broker = MockBroker()
    let fleet = try await Fleet(broker: broker, storage: MemoryFleetStorage())
    try fleet.add(.circle(center: depot, radius: 150), identifier: "depot")
    var events = fleet.unfinishedEvents.makeAsyncIterator()
    broker.publish(location, from: boat)
    let arrival = try await events.next()
    _ = arrival
  }

  static func mocked(_ location: Location, of boat: FleetDevice.ID) async throws {
    let broker = MockBroker()
    let fleet = try Fleet(FleetConfiguration(), broker: broker)
    var updates = fleet.updates.makeAsyncIterator()
    broker.publish(location, from: boat)
    let update = try await updates.next()
    _ = update
  }

  static func arrivals(of fleet: Fleet, at depot: Coordinate) async throws {
    try fleet.add(.circle(center: depot, radius: 150), identifier: "depot")
    for try await event in fleet.events where event.state == .satisfied {
      print(event.device, "arrived at", event.identifier, event.location.timestamp)
    }
  }

  static func messages(of fleet: Fleet) async throws {
    for try await message in fleet.messages {
      switch message.message {
      case .location(let location): print(message.device, location.batteryLevel as Any)
      case .transition(let transition): print(message.device, transition.event)
      default: break
      }
    }
  }

  static func command(_ fleet: Fleet, boat: FleetDevice.ID) async throws {
    try await fleet.send(CommandMessage(.reportLocation), to: boat)
  }

  static func keys(_ broker: MQTTConfiguration, passwords: [FleetDevice.ID: String]) {
    var configuration = FleetConfiguration(broker)
    configuration.keys = { device in passwords[device].flatMap { PayloadKey(password: $0) } }
    _ = configuration
  }

  static func followPartition(storage: some FleetStorage) async throws {
    var broker = try MQTTConfiguration(url: "mqtts://a.example,b.example,c.example")
    broker.clientIdentifier = "fleet-3"  // Of the partition: the next server continues its session.
    var configuration = FleetConfiguration(broker)
    configuration.partition = FleetConfiguration.Partition(3)
    let fleet = try await Fleet(configuration, storage: storage)
    _ = fleet
  }

  static func share() throws {
    var broker = try MQTTConfiguration(url: "mqtts://broker.example")
    broker.clientIdentifier = "archive-2"  // Of this server alone, the same after each start.
    let archive = try Fleet(FleetConfiguration(broker, group: "archive"))
    _ = archive
  }
}
