import AsyncLocation

@testable import GeoClueBackend

/// A service with GeoClue's name and interfaces that answers as a test specifies.
final class FakeGeoClue: Sendable {
  static let name = "org.freedesktop.GeoClue2"
  static let client = "/org/freedesktop/GeoClue2/Client/1"
  static let denied = "org.freedesktop.DBus.Error.AccessDenied"

  private struct State {
    var clients = 0
    var activeClients: [String: String] = [:]
    var properties: [String: BusValue] = [:]
    var locations: [String: [String: BusValue]] = [:]
    var lastLocation = 0
    var overrides: [String: BusReply] = [:]
  }

  private let state: Locked<State>
  /// The calls that arrived, in order.
  let calls: AsyncStream<BusRequest>
  private let peer: BusPeer

  init(on address: String, overriding overrides: [String: BusReply] = [:]) async throws {
    let state = Locked(State(overrides: overrides))
    self.state = state
    let (calls, sink) = AsyncStream.makeStream(of: BusRequest.self)
    self.calls = calls
    peer = try await BusPeer(on: address) { request in
      sink.yield(request)
      return Self.answer(request, state)
    }
    try await peer.own(Self.name)
  }

  func disconnect() { peer.disconnect() }

  /// The number of clients that are started.
  var listeners: Int { state.withLock { $0.activeClients.count } }
  var properties: [String: BusValue] { state.withLock { $0.properties } }

  /// Sets the answer to calls of a member; nil for the correct one.
  func answer(_ member: String, with reply: BusReply?) {
    state.withLock { $0.overrides[member] = reply }
  }

  /// Waits for the next call of a member.
  func nextCall(_ member: String) async -> BusRequest? {
    await calls.first { $0.member == member }
  }

  /// Announces a location to every started client.
  ///
  /// - Parameter listeners: Does nothing if fewer clients are started.
  /// - Returns: Whether the location was announced.
  @discardableResult
  func send(_ values: [String: BusValue]? = nil, ifHeardBy listeners: Int = 0) -> Bool {
    let announcement = state.withLock { state -> (path: String, clients: [String])? in
      guard state.activeClients.count >= listeners else { return nil }
      state.lastLocation += 1
      let path = "\(Self.client)/Location/\(state.lastLocation)"
      state.locations[path] = values ?? Self.values(state.lastLocation)
      return (path, Array(state.activeClients.keys))
    }
    guard let announcement else { return false }
    for client in announcement.clients { announce(announcement.path, at: client) }
    return true
  }

  /// Announces the path of a location that may not exist.
  func announce(_ path: String, at client: String = FakeGeoClue.client) {
    emit("LocationUpdated", [.objectPath("/"), .objectPath(path)], at: client)
  }

  func emit(_ member: String, _ values: [BusValue], at client: String = FakeGeoClue.client) {
    peer.emit(client, "\(Self.name).Client", member, values)
  }

  /// Stops every client, as GeoClue does when the user switches locations off.
  func deactivate() {
    let clients = state.withLock { state in
      defer { state.activeClients = [:] }
      return Array(state.activeClients.keys)
    }
    for client in clients { announceActivity(false, of: client) }
  }

  /// Announces that a client is active or not.
  func announceActivity(_ isActive: Bool, of client: String = FakeGeoClue.client) {
    peer.emit(
      client, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [.string("\(Self.name).Client"), .dictionary(["Active": .boolean(isActive)])])
  }

  /// The values of a location; each is a second later than the one before.
  static func values(_ number: Int) -> [String: BusValue] {
    [
      "Latitude": .double(60.25), "Longitude": .double(24.5), "Accuracy": .double(12),
      "Altitude": .double(-.greatestFiniteMagnitude), "Speed": .double(-1), "Heading": .double(-1),
      "Description": .string("x"),
      "Timestamp": .structure([.uint64(1_790_000_000 + UInt64(number)), .uint64(0)]),
    ]
  }

  private static func answer(_ request: BusRequest, _ state: Locked<State>) -> BusReply {
    state.withLock { state in
      if let reply = state.overrides[request.member] { return reply }
      if let reply = state.overrides[request.path] { return reply }
      switch request.member {
      case "CreateClient":
        state.clients += 1
        return .values([.objectPath("/org/freedesktop/GeoClue2/Client/\(state.clients)")])
      case "Set":
        if let name = request.arguments.dropFirst().first?.string {
          state.properties[name] = request.arguments.last?.content
        }
        return .values([])
      case "Start":
        state.activeClients[request.path] = request.sender
        guard state.lastLocation > 0 else { return .values([]) }
        // GeoClue announces the last location that it has.
        return .signal(
          interface: "\(name).Client", member: "LocationUpdated",
          [.objectPath("/"), .objectPath("\(client)/Location/\(state.lastLocation)")])
      case "Stop":
        state.activeClients[request.path] = nil
        return .values([])
      case "DeleteClient":
        if let path = request.arguments.first?.objectPath { state.activeClients[path] = nil }
        return .values([])
      case "Get":
        return .values([.variant(.boolean(state.activeClients[request.path] != nil))])
      case "GetAll":
        if request.path.hasSuffix("/Manager") {
          return .values([.dictionary(["InUse": .boolean(false)])])
        }
        guard let values = state.locations[request.path] else {
          return .error(
            BusError(name: "org.freedesktop.DBus.Error.UnknownObject", message: "gone"))
        }
        return .values([.dictionary(values)])
      default: return .error(BusError(name: "org.example.Unknown", message: request.member))
      }
    }
  }
}

extension GeoClueConfiguration {
  /// For a private bus: short retry delays and long timeouts. Tests of a deadline set their own.
  static func local(_ address: String) -> Self {
    Self(
      desktopID: "tests", address: address,
      reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(40)),
      connectTimeout: .seconds(600), answerTimeout: .seconds(600),
      authorizationTimeout: .seconds(600), locationTimeout: .seconds(600),
      silenceTimeout: .seconds(600))
  }
}
