/// A message of OwnTracks, by its `_type`.
///
/// Every text in a message is untrusted input: escape it before printing. Unrecognized members are
/// stored as JSON and encoded again, except in commands, encrypted messages and a `DeviceStatus`.
/// At most 128 members of a message are read.
@nonexhaustive
public enum OwnTracksMessage: Sendable, Hashable {
  /// A device reports its location.
  case location(LocationMessage)
  /// A device entered or left a region.
  case transition(TransitionMessage)
  /// A region that a device monitors.
  case waypoint(WaypointMessage)
  /// All regions that a device monitors.
  case waypoints(WaypointsMessage)
  /// A device lost its connection (`lwt`).
  case lastWill(LastWillMessage)
  /// The state of a device.
  case status(StatusMessage)
  /// The name and picture of a user.
  case card(CardMessage)
  /// A command to a device (`cmd`).
  case command(CommandMessage)
  /// The steps that a device counted.
  case steps(StepsMessage)
  /// A message that is encrypted with the device's key.
  case encrypted(EncryptedMessage)
  /// A message of another type, such as `dump` or `beacon`.
  case other(OtherMessage)

  /// Decodes the payload of a message.
  ///
  /// The payload must be one JSON object in UTF-8, of up to 1 MiB and nested up to 32 levels deep,
  /// and the members that its type requires must be valid. Any other member of the wrong type or
  /// out of range is treated as absent. If several members have the same name, the first one is
  /// used.
  ///
  /// - Throws: ``OwnTracksError``.
  public init(json payload: some Collection<UInt8>) throws(OwnTracksError) {
    guard payload.count <= Payload.maximumLength else { throw .tooLong }
    let bytes = Array(payload)
    switch LocationDecoder.decode(bytes.span) {
    case .malformed(let error): throw error
    case .location(let location, _):
      self = .location(LocationMessage(location, try MessageMembers(bytes)))
    case .lastWill, .encrypted, .other: self = try Self(other: bytes)
    }
  }

  /// Decodes a payload, as ``init(json:)`` does.
  package init(copying payload: Span<UInt8>) throws(OwnTracksError) {
    guard payload.count <= Payload.maximumLength else { throw .tooLong }
    self = try Self(json: Array(copying: payload))
  }

  /// - Parameter payload: A valid message that is not a location.
  private init(other payload: [UInt8]) throws(OwnTracksError) {
    let members = try MessageMembers(payload)
    switch members.text("_type") ?? "" {
    case "transition": self = .transition(try TransitionMessage(members))
    case "waypoint": self = .waypoint(try WaypointMessage(members))
    case "waypoints": self = .waypoints(WaypointsMessage(members))
    case "lwt": self = .lastWill(LastWillMessage(members))
    case "status": self = .status(StatusMessage(members))
    case "card": self = .card(CardMessage(members))
    case "cmd": self = .command(try CommandMessage(members))
    case "step", "steps": self = .steps(try StepsMessage(members))
    case "encrypted": self = .encrypted(try EncryptedMessage(members))
    case let type: self = .other(OtherMessage(type: type, members))
    }
  }

  /// The message without its unrecognized members. A command is returned unchanged.
  package var withoutOtherMembers: Self {
    func without<Message>(
      _ message: Message, _ path: WritableKeyPath<Message, [String: String]>
    ) -> Message {
      var message = message
      message[keyPath: path] = [:]
      return message
    }
    return switch self {
    case .location(let message): .location(without(message, \.otherMembers))
    case .transition(let message): .transition(without(message, \.otherMembers))
    case .waypoint(let message): .waypoint(without(message, \.otherMembers))
    case .waypoints(var message):
      {
        message.waypoints = message.waypoints.map { without($0, \.otherMembers) }
        return .waypoints(without(message, \.otherMembers))
      }()
    case .lastWill(let message): .lastWill(without(message, \.otherMembers))
    case .status(let message): .status(without(message, \.otherMembers))
    case .card(let message): .card(without(message, \.otherMembers))
    case .steps(let message): .steps(without(message, \.otherMembers))
    case .command, .encrypted: self
    case .other(let message): .other(without(message, \.otherMembers))
    }
  }

  /// The message as JSON on one line, in UTF-8. Members that are nil are omitted, except that an
  /// unknown number of steps is written as -1.
  public var json: [UInt8] {
    switch self {
    case .location(let message): message.json
    case .transition(let message): message.json
    case .waypoint(let message): message.json
    case .waypoints(let message): message.json
    case .lastWill(let message): message.json
    case .status(let message): message.json
    case .card(let message): message.json
    case .command(let message): message.json
    case .steps(let message): message.json
    case .encrypted(let message): message.json
    case .other(let message): message.json
    }
  }
}
