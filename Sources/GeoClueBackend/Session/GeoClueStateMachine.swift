import AsyncLocation
import LocationTransport

/// Decides how to use GeoClue over one connection to the bus. Performs no I/O.
///
/// Each attempt has a connection of its own, and the attempt fails when GeoClue ends. So no answer
/// of an earlier client or of an earlier GeoClue can arrive.
struct GeoClueStateMachine: LinkStateMachine {
  enum State: Hashable, Sendable {
    /// There is no connection.
    case closed
    case opening
    /// Connected to the bus; the manager's properties were requested.
    case introducing
    /// A client was requested. GeoClue answers when the user has an agent.
    case creating(owner: String)
    /// GeoClue has not answered in time. The manager was read again, to find out whether it works.
    case doubting(owner: String)
    /// The client was started, and GeoClue may be asking the agent.
    case starting(Client)
    case running(Client)
    /// The client was stopped, to start again with another accuracy.
    case stopping(Client)
  }

  let configuration: Configuration
  var state = State.closed
  var hasWorked = false
  /// The last refusal of this run.
  var refusal: Refusal?

  /// The demand of the manager.
  var demand: GeoClueDemand
  /// The demand that GeoClue was told.
  var applied: GeoClueDemand
  /// Whether exact locations are requested in any case, because there were none of a lower level.
  var needsExact = false

  /// The object of the location that is being read.
  var reading: String?
  /// The object of the location to read next.
  var next: String?
  /// Whether there was a location since the client was created.
  var hasLocation = false
  /// When the lack of locations is reported.
  var locationDeadline: Duration?
  /// When an answer is overdue, or the client counts as silent.
  var answerDeadline = Duration.zero
  /// Whether the client's activity was requested.
  var isProbing = false
  /// Whether the connection was reported as connected.
  var isReported = false

  init(_ configuration: Configuration, demand: GeoClueDemand = GeoClueDemand()) {
    self.configuration = configuration
    self.demand = demand
    applied = demand
  }

  var endpoint: String { configuration.endpoint }

  var reconnection: Reconnection {
    switch configuration.purpose {
    case .watch, .awaitGrant: configuration.reconnection
    case .ask: .never
    }
  }

  /// Whether to try again. Only a wait for a grant outlasts refusals, and not the agent's: each
  /// attempt would ask the user again.
  func mayHeal(_ error: LocationError) -> Bool {
    if error.isTransient { return true }
    return configuration.purpose == .awaitGrant && refusal != nil && refusal != .agent
  }

  var closingActions: [Action] {
    guard let client else { return [] }
    return [.call(.stop(client)), .call(.delete(client))]
  }

  /// The client, once it was created.
  private var client: Client? {
    switch state {
    case .starting(let client), .running(let client), .stopping(let client): client
    case .closed, .opening, .introducing, .creating, .doubting: nil
    }
  }

  mutating func connect(at now: Duration) -> [Decision] {
    state = .opening
    (hasWorked, refusal, isReported) = (false, nil, false)
    return [.arm(at: now + configuration.connectTimeout), .perform(.open)]
  }

  mutating func handle(_ event: Event, at now: Duration) -> [Decision] {
    switch event {
    case .opened: opened(now)
    case .broke(let error): state == .closed ? [] : failed(error)
    case .answered(let call, let sender, let arguments): answered(call, sender, arguments, now)
    case .refused(let call, let error): refused(call, error, now)
    case .signalled(let signal): signalled(signal, now)
    case .demanded(let demand): demanded(demand, now)
    }
  }
}

// MARK: - Until the client runs

extension GeoClueStateMachine {
  private mutating func opened(_ now: Duration) -> [Decision] {
    guard state == .opening else { return [] }
    state = .introducing
    return [.arm(at: now + configuration.connectTimeout)]
      + (Call.subscriptions + [.readManager]).map { .perform(.call($0)) }
  }

  private mutating func answered(
    _ call: Call, _ sender: String, _ arguments: [BusValue]?, _ now: Duration
  ) -> [Decision] {
    switch (call, state) {
    case (.readManager, .introducing):
      guard !sender.isEmpty, arguments?.first?.dictionary != nil else {
        return failed(.malformedAnswer(from: configuration))
      }
      state = .creating(owner: sender)
      let deadline: Decision =
        configuration.purpose == .awaitGrant
        ? .disarm : .arm(at: now + configuration.answerTimeout)
      return [deadline, .perform(.call(.createClient(owner: sender)))]
    case (.readManager, .doubting): return refused(.noAgent)
    case (.createClient, .creating(let owner)), (.createClient, .doubting(let owner)):
      guard let path = arguments?.first?.objectPath, path != "/" else {
        return failed(.malformedAnswer(from: configuration))
      }
      return configure(Client(owner: owner, path: path), now)
    case (.start(let started), .starting(let client)) where started == client:
      return run(client, now)
    case (.stop(let stopped), .stopping(let client)) where stopped == client:
      return restart(client, now)
    case (.readActivity(let probed), .running(let client)) where probed == client:
      guard let isActive = arguments?.first?.content?.boolean else {
        return failed(.malformedAnswer(from: configuration))
      }
      return activityKnown(isActive, client, now)
    case (.readLocation(let path, _), .running(let client)) where path == reading:
      return locationRead(arguments?.first?.dictionary, client, now)
    default: return []  // Late, or of no consequence.
    }
  }

  private mutating func configure(_ client: Client, _ now: Duration) -> [Decision] {
    (reading, next, hasLocation, isProbing) = (nil, nil, false, false)
    return [
      .perform(.call(.setProperty(.desktopID(configuration.desktopID), of: client))),
      .perform(.call(.setProperty(.distanceThreshold(0), of: client))),
    ] + restart(client, now)
  }

  /// Sets what is demanded, and starts a client that is not active.
  private mutating func restart(_ client: Client, _ now: Duration) -> [Decision] {
    applied = wanted
    return [
      .perform(.call(.setProperty(.accuracyLevel(applied.level), of: client))),
      .perform(.call(.setProperty(.timeThreshold(applied.timeThreshold), of: client))),
    ] + start(client, now)
  }

  /// Starts a client. One that is active answers at once.
  mutating func start(_ client: Client, _ now: Duration) -> [Decision] {
    state = .starting(client)
    (reading, isProbing) = (nil, false)
    return [
      .arm(at: now + configuration.authorizationTimeout), .perform(.call(.start(client))),
    ]
  }

  /// The demand to apply.
  var wanted: GeoClueDemand {
    GeoClueDemand(
      level: needsExact ? .exact : demand.level, timeThreshold: demand.timeThreshold)
  }

  private mutating func refused(
    _ call: Call, _ error: BusError, _ now: Duration
  ) -> [Decision] {
    switch (call, state) {
    case (.subscribe, _): return failed(.subscriptionRefused(by: configuration, error))
    case (.readManager, .introducing), (.readManager, .doubting),
      (.createClient, .creating), (.createClient, .doubting):
      if error.isAccessDenied { return refused(.bus, error) }
      return failed(.cannotStart(configuration, error))
    case (.setProperty(let property, _), _):
      switch property {
      case .desktopID, .accuracyLevel: return failed(.failed(configuration, error))
      // Older versions do not have the property, and the manager filters.
      case .distanceThreshold, .timeThreshold: return []
      }
    case (.start(let started), .starting(let client)) where started == client:
      if error.isAccessDenied { return refused(Refusal(error), error) }
      return failed(.failed(configuration, error))
    case (.stop(let stopped), .stopping(let client)) where stopped == client:
      return failed(.failed(configuration, error))
    case (.readActivity(let probed), .running(let client)) where probed == client:
      return failed(.failed(configuration, error))
    case (.readLocation(let path, _), .running(let client)) where path == reading:
      return [.perform(.count(.vanished))] + readNext(client, now)
    default: return []
    }
  }

  private mutating func refused(_ refusal: Refusal, _ error: BusError? = nil) -> [Decision] {
    self.refusal = refusal
    return failed(.refused(refusal, configuration, error))
  }

  mutating func failed(_ error: LocationError) -> [Decision] {
    let closing = closingActions.map(Decision.perform)
    state = .closed
    return closing + [.fail(error)]
  }

  mutating func timerFired(at now: Duration) -> [Decision] {
    switch state {
    case .opening: return failed(.busTimedOut(configuration))
    case .introducing, .doubting: return failed(.noAnswer(from: configuration))
    case .creating(let owner):
      state = .doubting(owner: owner)
      return [
        .arm(at: now + configuration.answerTimeout), .perform(.call(.readManager)),
      ]
    case .starting: return failed(.noDecision(from: configuration))
    case .stopping: return failed(.noAnswer(from: configuration))
    case .running(let client): return timerFired(client, now)
    case .closed: return []
    }
  }
}
