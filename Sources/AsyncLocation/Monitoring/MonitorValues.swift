public import FoundationEssentials

extension Monitor {
  /// Whether a condition is met. The raw values are those of Core Location.
  public enum State: Int, Sendable, Hashable, CaseIterable {
    /// Not determined yet.
    case unknown = 0
    /// The condition is met.
    case satisfied = 1
    /// The condition is not met.
    case unsatisfied = 2
    /// The condition is not monitored at the moment, or no longer; see ``Event/diagnostics``.
    case unmonitored = 3
  }

  /// A change of a condition's state.
  public struct Event: Sendable, Hashable {
    /// The condition's identifier.
    public let identifier: String
    /// The number of the event. A monitor numbers its events from 1, across restarts. A repeated
    /// event keeps its number.
    public let number: UInt64
    /// The new state.
    public let state: State
    /// The state before.
    public let previousState: State
    /// The time of the location that caused the change, or the host's time if none did.
    public let date: Date
    /// The location that caused the change; nil if none did, in ``Record/lastEvent``, and with
    /// ``Diagnostics/locationWithheld``.
    public let location: Location?
    /// A narrower condition that was met, such as one beacon of many; nil if there is none.
    public let refinement: Condition?
    /// The reasons why the condition is not monitored, and other problems.
    public let diagnostics: Diagnostics
    /// True when the event may have been delivered before. It was not finished: the loop was left,
    /// or the process ended.
    public let isRepeated: Bool

    /// Creates an event, for storages and tests.
    public init(
      identifier: String, number: UInt64, state: State, previousState: State, date: Date,
      location: Location? = nil, refinement: Condition? = nil, diagnostics: Diagnostics = [],
      isRepeated: Bool = false
    ) {
      self.identifier = identifier
      self.number = number
      self.state = state
      self.previousState = previousState
      self.date = date
      self.location = location
      self.refinement = refinement
      self.diagnostics = diagnostics
      self.isRepeated = isRepeated
    }
  }

  /// The reasons why a condition is not monitored, and other problems, as in Core Location.
  ///
  /// Encoded as a JSON array of option names. Unknown names are ignored.
  public struct Diagnostics: NamedOptions, Sendable, Hashable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Permission was refused or withdrawn.
    public static var authorizationDenied: Self { Self(rawValue: 1 << 0) }
    /// Location services are off for everybody; ``authorizationDenied`` is set as well.
    public static var authorizationDeniedGlobally: Self { Self(rawValue: 1 << 1) }
    /// Permission is refused, and the policy or source cannot grant it.
    public static var authorizationRestricted: Self { Self(rawValue: 1 << 2) }
    /// Permission is not determined and no request is open.
    public static var serviceSessionRequired: Self { Self(rawValue: 1 << 4) }
    /// Only when-in-use permission is granted, and the application is out of use.
    public static var insufficientlyInUse: Self { Self(rawValue: 1 << 5) }
    /// Accuracy is reduced: no condition is monitored.
    public static var accuracyLimited: Self { Self(rawValue: 1 << 6) }
    /// The backend cannot monitor conditions of this kind.
    public static var conditionUnsupported: Self { Self(rawValue: 1 << 7) }
    /// The condition's ``Condition/expiry`` has passed. It was removed.
    public static var conditionExpired: Self { Self(rawValue: 1 << 8) }
    /// The storage failed. Monitoring continues in memory; changes are lost if the process ends
    /// before the storage works again.
    public static var persistenceUnavailable: Self { Self(rawValue: 1 << 9) }
    /// Events before this one were discarded because too many waited to be read.
    public static var eventsDiscarded: Self { Self(rawValue: 1 << 10) }
    /// The permission under which the event was made was withdrawn or reduced before the event was
    /// read, so the location and the refinement are nil.
    public static var locationWithheld: Self { Self(rawValue: 1 << 11) }
    /// Locations or beacon reports were discarded since the previous event, because too many waited
    /// to be compared with the conditions. A crossing may have been missed.
    public static var locationsDiscarded: Self { Self(rawValue: 1 << 12) }

    /// Another condition with the same identifier has replaced the condition of the event. In
    /// ``LocationManager/events``, set only if the replacement preceded the storing of the event.
    public static var conditionReplaced: Self { Self(rawValue: 1 << 13) }

    package static var names: [(name: String, option: Self)] {
      [
        ("authorizationDenied", .authorizationDenied),
        ("authorizationDeniedGlobally", .authorizationDeniedGlobally),
        ("authorizationRestricted", .authorizationRestricted),
        ("serviceSessionRequired", .serviceSessionRequired),
        ("insufficientlyInUse", .insufficientlyInUse),
        ("accuracyLimited", .accuracyLimited),
        ("conditionUnsupported", .conditionUnsupported),
        ("conditionExpired", .conditionExpired),
        ("persistenceUnavailable", .persistenceUnavailable),
        ("eventsDiscarded", .eventsDiscarded),
        ("locationWithheld", .locationWithheld),
        ("locationsDiscarded", .locationsDiscarded), ("conditionReplaced", .conditionReplaced),
      ]
    }
  }

  /// A condition and its last event.
  public struct Record: Sendable, Hashable {
    /// The condition.
    public let condition: Condition
    /// The last event that a consumer finished. While an event is being handled, this is the event
    /// before it. Before the first event, this is an event with the number 0 and the state that was
    /// assumed when the condition was added.
    public let lastEvent: Event

    /// Creates a record, for tests.
    public init(condition: Condition, lastEvent: Event) {
      self.condition = condition
      self.lastEvent = lastEvent
    }
  }
}

/// Encoded as the name of its case.
extension Monitor.State: Codable, CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknown: "unknown"
    case .satisfied: "satisfied"
    case .unsatisfied: "unsatisfied"
    case .unmonitored: "unmonitored"
    }
  }

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    let name = try value.decode(String.self)
    guard let state = Self.allCases.first(where: { $0.description == name }) else {
      throw DecodingError.dataCorruptedError(
        in: value, debugDescription: "\"\(String(printable: name))\" is not a state.")
    }
    self = state
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(description)
  }
}

/// Encoded with the property names, except that ``date`` is `timestamp`. Absent members, empty
/// diagnostics and a false `isRepeated` are omitted.
extension Monitor.Event: Codable {
  private enum CodingKeys: String, CodingKey {
    case identifier, number, state, previousState, timestamp, location, refinement, diagnostics
    case isRepeated
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      identifier: try values.decode(String.self, forKey: .identifier),
      number: try values.decode(UInt64.self, forKey: .number),
      state: try values.decode(Monitor.State.self, forKey: .state),
      previousState: try values.decode(Monitor.State.self, forKey: .previousState),
      date: try values.decodeTimestamp(forKey: .timestamp),
      location: try values.decodeIfPresent(Location.self, forKey: .location),
      refinement: try values.decodeIfPresent(Condition.self, forKey: .refinement),
      diagnostics: try values.decodeIfPresent(Monitor.Diagnostics.self, forKey: .diagnostics)
        ?? [],
      isRepeated: try values.decodeIfPresent(Bool.self, forKey: .isRepeated) ?? false)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(identifier, forKey: .identifier)
    try values.encode(number, forKey: .number)
    try values.encode(state, forKey: .state)
    try values.encode(previousState, forKey: .previousState)
    try values.encode(Timestamp.format(date), forKey: .timestamp)
    try values.encodeIfPresent(location, forKey: .location)
    try values.encodeIfPresent(refinement, forKey: .refinement)
    if !diagnostics.isEmpty { try values.encode(diagnostics, forKey: .diagnostics) }
    if isRepeated { try values.encode(isRepeated, forKey: .isRepeated) }
  }
}

extension Monitor.Diagnostics {
  /// The diagnostics of a location update that suspend monitoring. A missing fix and an unanswered
  /// permission request do not suspend it: states remain.
  init(suspending diagnostics: LocationUpdate.Diagnostics) {
    let pairs: [(LocationUpdate.Diagnostics, Self)] = [
      (.authorizationDenied, .authorizationDenied),
      (.authorizationDeniedGlobally, .authorizationDeniedGlobally),
      (.authorizationRestricted, .authorizationRestricted),
      (.serviceSessionRequired, .serviceSessionRequired),
      (.insufficientlyInUse, .insufficientlyInUse),
      (.accuracyLimited, .accuracyLimited),
    ]
    self = pairs.reduce(into: []) { result, pair in
      if diagnostics.contains(pair.0) { result.insert(pair.1) }
    }
  }
}
