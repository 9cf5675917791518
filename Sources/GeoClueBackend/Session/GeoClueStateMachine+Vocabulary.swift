import AsyncLocation
import LocationTransport

extension GeoClueStateMachine {
  struct Configuration: Sendable {
    /// The purpose of the connection.
    enum Purpose: Sendable {
      /// Receives locations until stopped.
      case watch
      /// Asks once whether the program may use locations.
      case ask
      /// Waits until the program may use locations.
      case awaitGrant
    }

    var purpose = Purpose.watch
    var endpoint = "D-Bus"
    var desktopID = "program"
    /// The user that this process runs as.
    var user: UInt32 = 0
    var reconnection = Reconnection.exponential()
    var connectTimeout = Duration.seconds(10)
    var answerTimeout = Duration.seconds(5)
    var authorizationTimeout = Duration.seconds(30)
    var locationTimeout = Duration.seconds(15)
    var silenceTimeout = Duration.seconds(60)
  }

  enum Event: Hashable, Sendable {
    /// The bus accepted the connection.
    case opened
    /// The connection to the bus could not be opened, or broke.
    case broke(LocationError)
    /// - Parameters:
    ///   - sender: The unique name of the program that answered.
    ///   - arguments: Nil if they are malformed.
    case answered(Call, sender: String, arguments: [BusValue]?)
    case refused(Call, BusError)
    case signalled(BusSignal)
    case demanded(GeoClueDemand)
  }

  enum Action: Hashable, Sendable {
    case open
    case call(Call)
    case deliver(GeoClueLocation)
    case count(Count)
  }

  /// A call to the bus or to GeoClue.
  enum Call: Hashable, Sendable {
    case subscribe(rule: String)
    /// Reads the manager's properties. The bus starts GeoClue if it does not run.
    case readManager
    case createClient(owner: String)
    case setProperty(Property, of: Client)
    case start(Client)
    case stop(Client)
    case delete(Client)
    /// Reads whether the client is active.
    case readActivity(Client)
    case readLocation(path: String, of: Client)
  }

  /// A property that clients set.
  enum Property: Hashable, Sendable {
    case desktopID(String)
    case accuracyLevel(AccuracyLevel)
    case distanceThreshold(UInt32)
    case timeThreshold(UInt32)
  }

  /// A client object of GeoClue.
  struct Client: Hashable, Sendable {
    /// The unique name of the service, so that a successor is not mistaken for it.
    var owner: String
    var path: String
  }

  /// What is counted in the statistics.
  enum Count: Hashable, Sendable {
    /// A location with an invalid coordinate, or an answer or signal of another form.
    case malformed
    /// A location that was replaced before it was read.
    case superseded
    /// A location object that could not be read.
    case vanished
    /// A signal of another program or object.
    case foreignSignal
  }

  /// The reason why GeoClue refuses locations.
  enum Refusal: Hashable, Sendable {
    /// No agent runs for the user.
    case noAgent
    /// The agent allows no accuracy at all: location is switched off for the user.
    case switchedOff
    /// The configuration forbids the program, or forbids it for the user.
    case configuration
    /// The agent refused the program.
    case agent
    /// The bus forbids the program to call GeoClue.
    case bus
    case other

    /// Classifies the error of a start by GeoClue's message, which is not translated.
    init(_ error: BusError) {
      let message = error.message
      self =
        if message.contains("no agent for UID") {
          .noAgent
        } else if message.contains("Geolocation disabled for UID") {
          .switchedOff
        } else if message.contains("disallowed by configuration") {
          .configuration
        } else if message.contains("Agent rejected") {
          .agent
        } else {
          .other
        }
    }
  }
}

extension GeoClueStateMachine.Call {
  private static let service = "org.freedesktop.GeoClue2"
  private static let manager = "/org/freedesktop/GeoClue2/Manager"

  /// The rules for the signals of a connection: the owner of the service changed, and GeoClue's own
  /// signals.
  static let subscriptions = [
    Self.subscribe(
      rule: "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0='\(service)'"),
    Self.subscribe(
      rule: "type='signal',sender='\(service)',interface='\(service).Client',"
        + "member='LocationUpdated'"),
    Self.subscribe(
      rule: "type='signal',sender='\(service)',interface='org.freedesktop.DBus.Properties',"
        + "member='PropertiesChanged',arg0='\(service).Client'"),
  ]

  /// The call in D-Bus's terms.
  var message: BusCall {
    let properties = "org.freedesktop.DBus.Properties"
    switch self {
    case .subscribe(let rule):
      return BusCall(
        destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus", member: "AddMatch", arguments: [.string(rule)])
    case .readManager:
      return BusCall(
        destination: Self.service, path: Self.manager, interface: properties, member: "GetAll",
        arguments: [.string("\(Self.service).Manager")])
    case .createClient(let owner):
      return BusCall(
        destination: owner, path: Self.manager, interface: "\(Self.service).Manager",
        member: "CreateClient")
    case .setProperty(let property, let client):
      let (name, value) = property.variant
      return BusCall(
        destination: client.owner, path: client.path, interface: properties, member: "Set",
        arguments: [.string("\(Self.service).Client"), .string(name), .variant(value)])
    case .start(let client): return Self.method("Start", of: client)
    case .stop(let client): return Self.method("Stop", of: client)
    case .delete(let client):
      return BusCall(
        destination: client.owner, path: Self.manager, interface: "\(Self.service).Manager",
        member: "DeleteClient", arguments: [.objectPath(client.path)])
    case .readActivity(let client):
      return BusCall(
        destination: client.owner, path: client.path, interface: properties, member: "Get",
        arguments: [.string("\(Self.service).Client"), .string("Active")])
    case .readLocation(let path, let client):
      return BusCall(
        destination: client.owner, path: path, interface: properties, member: "GetAll",
        arguments: [.string("\(Self.service).Location")])
    }
  }

  private static func method(_ name: String, of client: GeoClueStateMachine.Client) -> BusCall {
    BusCall(
      destination: client.owner, path: client.path, interface: "\(service).Client", member: name)
  }
}

extension GeoClueStateMachine.Property {
  /// The name and the value over D-Bus.
  fileprivate var variant: (name: String, value: BusValue) {
    switch self {
    case .desktopID(let text): ("DesktopId", .string(text))
    case .accuracyLevel(let level): ("RequestedAccuracyLevel", .uint32(level.rawValue))
    case .distanceThreshold(let meters): ("DistanceThreshold", .uint32(meters))
    case .timeThreshold(let seconds): ("TimeThreshold", .uint32(seconds))
    }
  }
}
