import AsyncLocation
import FoundationEssentials
import MQTTBackend
import OwnTracks

/// Lines of `fleet` for pipes: each begins with its kind. A space in a device's name is written as
/// `\u0020`, so that every name is one column.
enum FleetLine {
  static let locationColumns: [(name: String, meaning: String)] = [
    ("location", "the word"),
    ("time", "UTC, by the device's clock"),
    ("latitude", "degrees north, WGS 84"),
    ("longitude", "degrees east"),
    ("accuracy", "meters, horizontal"),
    ("speed", "meters per second"),
    ("course", "degrees clockwise from true north"),
    ("origin", "live, or retained if the broker had kept it"),
    LocationLine.integrityColumn,
    ("device", "USER/DEVICE"),
  ]
  static let presenceColumns: [(name: String, meaning: String)] = [
    ("presence", "the word"),
    ("time", "UTC, by this computer's clock"),
    ("state", "online, offline, forgotten, or unknown after a loss of the connection"),
    ("device", "USER/DEVICE; '-' for all"),
  ]
  static let eventColumns: [(name: String, meaning: String)] = [
    ("event", "the word"),
    ("time", "UTC, of the location that caused the event"),
    ("previous", "the state before: unknown, satisfied or unsatisfied"),
    ("arrow", "an arrow"),
    ("state", "the new state"),
    ("latitude", "degrees north, WGS 84"),
    ("longitude", "degrees east"),
    ("origin", "live or retained; repeated, if an earlier run may have printed it"),
    ("device", "USER/DEVICE"),
    ("identifier", "the condition; last, because it may contain spaces"),
  ]

  static let messageColumns: [(name: String, meaning: String)] = [
    ("message", "the word"),
    ("time", "UTC, by this computer's clock"),
    ("origin", "live or retained"),
    ("device", "USER/DEVICE"),
    ("content", "the message as JSON; last, because it may contain spaces"),
  ]

  static func line(_ update: FleetUpdate) -> String {
    let location = update.location
    return [
      "location",
      NumberText.time(location.timestamp),
      Columns.number(location.latitude, 7, 11),
      Columns.number(location.longitude, 7, 12),
      Columns.number(location.horizontalAccuracy, 1, 6),
      Columns.number(location.speed, 2, 6),
      Columns.text(location.course.map { Angles.direction($0, 1) }, 5),
      origin(update.isRetained),
      TextWidth.pad(LocationLine.integrity(of: location), 9),
      device(update.device),
    ].joined(separator: " ")
  }

  static func line(_ presence: FleetPresence) -> String {
    [
      "presence",
      NumberText.time(presence.timestamp),
      TextWidth.pad(presence.presence, 9),
      presence.device.map(device) ?? "-",
    ].joined(separator: " ")
  }

  static func line(_ event: FleetEvent, _ glyphs: Glyphs) -> String {
    [
      TextWidth.pad("event", 8),
      NumberText.time(event.location.timestamp),
      TextWidth.pad(event.previousState.description, 11),
      glyphs.arrow,
      TextWidth.pad(event.state.description, 11),
      Columns.number(event.location.latitude, 7, 11),
      Columns.number(event.location.longitude, 7, 12),
      event.isRepeated ? "repeated" : origin(event.isRetained),
      device(event.device),
      Escaping.escape(event.identifier, limit: 200),
    ].joined(separator: " ")
  }

  static func line(_ message: FleetMessage, at date: Date) -> String {
    [
      TextWidth.pad("message", 8),
      NumberText.time(date),
      origin(message.isRetained),
      device(message.device),
      content(of: message),
    ].joined(separator: " ")
  }

  /// A message as one line of JSON with the members `device`, `isRetained`, `timestamp` and
  /// `message`.
  static func json(_ message: FleetMessage, at date: Date) throws -> String {
    let arrival = FleetArrival(
      device: message.device, isRetained: message.isRetained, timestamp: date)
    return try "\(JSONLine.line(arrival).dropLast()),\"message\":\(content(of: message))}"
  }

  /// The JSON of a message, escaped for the terminal. Characters that need an escape occur only in
  /// JSON strings, where the escapes are valid JSON.
  private static func content(of message: FleetMessage) -> String {
    Escaping.escape(String(decoding: message.message.json, as: UTF8.self))
  }

  static func device(_ id: FleetDevice.ID) -> String {
    Escaping.escape(id.description, limit: 300).replacing(" ", with: "\\u0020")
  }

  private static func origin(_ isRetained: Bool) -> String {
    TextWidth.pad(isRetained ? "retained" : "live", 8)
  }
}

/// A change of the presence of one device, or of all devices.
struct FleetPresence: Hashable, Sendable, Encodable {
  /// Nil for all devices.
  let device: FleetDevice.ID?
  let presence: String
  let timestamp: Date

  /// Nil for any other kind of change.
  init?(_ change: FleetChange, at date: Date) {
    switch change {
    case .added, .dropping, .storageFailed, .storageRecovered, .storageLost: return nil
    case .online(let id): (device, presence) = (id, "online")
    case .offline(let id): (device, presence) = (id, "offline")
    case .forgotten(let id): (device, presence) = (id, "forgotten")
    case .interrupted: (device, presence) = (nil, "unknown")
    @unknown default: return nil
    }
    timestamp = date
  }
}

/// A location as one line of JSON: the members of the location, `device` and `isRetained`.
struct FleetLocation: Encodable {
  let update: FleetUpdate

  private enum CodingKeys: String, CodingKey { case device, isRetained }

  func encode(to encoder: any Encoder) throws {
    try update.location.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(update.device, forKey: .device)
    try values.encode(update.isRetained, forKey: .isRetained)
  }
}

/// The origin and the time of a message.
private struct FleetArrival: Encodable {
  let device: FleetDevice.ID
  let isRetained: Bool
  let timestamp: Date
}

/// A change of a condition's state as one line of JSON; `event` is the new state.
struct FleetCrossing: Encodable {
  let event, previousState, identifier: String
  let device: FleetDevice.ID
  let location: Location
  let timestamp: Date
  let isRetained: Bool
  /// Nil without a storage.
  let number: UInt64?
  let isRepeated: Bool?

  init(_ change: FleetEvent) {
    (event, previousState) = (change.state.description, change.previousState.description)
    (identifier, device, location) = (change.identifier, change.device, change.location)
    (timestamp, isRetained) = (change.location.timestamp, change.isRetained)
    number = change.number > 0 ? change.number : nil
    isRepeated = change.number > 0 ? change.isRepeated : nil
  }
}
