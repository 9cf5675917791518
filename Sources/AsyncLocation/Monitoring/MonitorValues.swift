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
    /// Counts the monitor's events, from 1, across restarts. An event that comes again keeps its
    /// number.
    public let number: UInt64
    /// The new state.
    public let state: State
    /// The state before.
    public let previousState: State
    /// The time of the location that caused the change, or of the host if none did.
    public let date: Date
    /// The location that caused the change; nil if none did, in ``Record/lastEvent``, and with
    /// ``Diagnostics/locationWithheld``.
    public let location: Location?
    /// The condition narrowed to what met it, such as one beacon of many; nil if there is nothing
    /// to add.
    public let refinement: Condition?
    /// Why the condition is not monitored, or what else is wrong.
    public let diagnostics: Diagnostics
    /// True when the event may have been delivered before: the process ended before it requested
    /// the next.
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

  /// Why a condition is not monitored, or what else is wrong, as in Core Location.
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
    /// The storage failed. Monitoring goes on in memory; what changes is lost with the process until
    /// the storage works again.
    public static var persistenceUnavailable: Self { Self(rawValue: 1 << 9) }
    /// Events before this one were discarded because too many waited to be read.
    public static var eventsDiscarded: Self { Self(rawValue: 1 << 10) }
    /// The permission under which the event was made was withdrawn or reduced before the event was
    /// read, so the location and the refinement are nil.
    public static var locationWithheld: Self { Self(rawValue: 1 << 11) }
    /// Locations were discarded since the event before was read, because too many waited to be
    /// compared: a crossing may have been missed.
    public static var locationsDiscarded: Self { Self(rawValue: 1 << 12) }

    /// The event is of a condition whose identifier another one has now; in
    /// ``LocationManager/events``, had when the event was stored.
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
    /// The last event that was handled. While an event is being handled, this is the event before
    /// it. Before the first event, the assumption that the condition was added with, as number 0.
    public let lastEvent: Event

    /// Creates a record, for tests.
    public init(condition: Condition, lastEvent: Event) {
      self.condition = condition
      self.lastEvent = lastEvent
    }
  }
}

/// Encoded by its name.
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

/// Encoded with the property names; absent members, empty diagnostics and a false `isRepeated` are
/// omitted.
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
  /// The diagnostics of a location update that stop monitoring. A missing fix and a request without
  /// an answer do not: states hold.
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
