import AsyncLocation
import LocationTransport

// A client that runs: its signals, its locations and changes of demand.
extension GeoClueStateMachine {
  /// Handles the answer to a start.
  mutating func run(_ client: Client, _ now: Duration) -> [Decision] {
    guard configuration.purpose == .watch else {
      let closing = closingActions.map(Decision.perform)
      state = .closed
      return closing + [.finish([])]
    }
    state = .running(client)
    hasWorked = true
    locationDeadline = hasLocation ? nil : now + configuration.locationTimeout
    var decisions: [Decision] = []
    if !isReported {
      isReported = true
      decisions.append(.reportConnected(nil, receivers: [], devices: nil))
    }
    return decisions + apply(client, now)
  }

  mutating func demanded(_ demand: GeoClueDemand, _ now: Duration) -> [Decision] {
    if demand.level != self.demand.level { needsExact = false }
    self.demand = demand
    guard case .running(let client) = state else { return [] }
    return apply(client, now)
  }

  /// Applies the demand, if it differs from what GeoClue was told, and reads the next location.
  private mutating func apply(_ client: Client, _ now: Duration) -> [Decision] {
    let wanted = wanted
    if wanted.level != applied.level {
      // GeoClue uses the level when the client starts.
      state = .stopping(client)
      (reading, next) = (nil, next ?? reading)
      (isProbing, hasLocation) = (false, false)
      return [.arm(at: now + configuration.answerTimeout), .perform(.call(.stop(client)))]
    }
    var decisions: [Decision] = []
    if wanted.timeThreshold != applied.timeThreshold {
      applied = wanted
      decisions.append(
        .perform(.call(.setProperty(.timeThreshold(wanted.timeThreshold), of: client))))
    }
    return decisions + (reading == nil ? readNext(client, now) : [])
  }

  mutating func signalled(_ signal: BusSignal, _ now: Duration) -> [Decision] {
    if signal.member == "NameOwnerChanged" { return ownerChanged(signal) }
    let client: Client
    switch state {
    case .starting(let current), .running(let current), .stopping(let current): client = current
    // Signals of clients that others have.
    case .closed, .opening, .introducing, .creating, .doubting: return []
    }
    guard signal.sender == client.owner else { return [.perform(.count(.foreignSignal))] }
    guard signal.path == client.path else { return [] }
    switch signal.member {
    case "LocationUpdated":
      guard let path = signal.arguments?.dropFirst().first?.objectPath, path != "/" else {
        return [.perform(.count(.malformed))]
      }
      return locationUpdated(path, client, now)
    case "PropertiesChanged":
      guard let changed = signal.arguments?.dropFirst().first?.dictionary else {
        return [.perform(.count(.malformed))]
      }
      guard changed["Active"]?.boolean == false, case .running = state else { return [] }
      return activityKnown(false, client, now)
    default: return []
    }
  }

  private mutating func ownerChanged(_ signal: BusSignal) -> [Decision] {
    guard signal.sender == "org.freedesktop.DBus" else {
      return [.perform(.count(.foreignSignal))]
    }
    let owner: String
    switch state {
    case .creating(let current), .doubting(let current): owner = current
    case .starting(let client), .running(let client), .stopping(let client): owner = client.owner
    case .closed, .opening, .introducing: return []
    }
    guard signal.arguments?.count == 3, let new = signal.arguments?[2].string else {
      return [.perform(.count(.malformed))]
    }
    guard new != owner else { return [] }
    state = .closed  // The client ended with its service.
    return [.fail(.serviceEnded(configuration))]
  }

  // MARK: Locations

  private mutating func locationUpdated(
    _ path: String, _ client: Client, _ now: Duration
  ) -> [Decision] {
    let superseded: [Decision] = next == nil ? [] : [.perform(.count(.superseded))]
    next = path
    // Until the client runs, it is not certain that locations are permitted.
    guard case .running = state, reading == nil else { return superseded }
    return superseded + readNext(client, now)
  }

  /// Reads the newest location, if there is one that was not read.
  mutating func readNext(_ client: Client, _ now: Duration) -> [Decision] {
    reading = next
    next = nil
    guard let reading else {
      answerDeadline =
        now + (isProbing ? configuration.answerTimeout : configuration.silenceTimeout)
      return [arm()]
    }
    answerDeadline = now + configuration.answerTimeout
    return [.perform(.call(.readLocation(path: reading, of: client))), arm()]
  }

  mutating func locationRead(
    _ properties: [String: BusValue]?, _ client: Client, _ now: Duration
  ) -> [Decision] {
    guard let location = properties.flatMap(GeoClueLocation.init) else {
      return [.perform(.count(.malformed))] + readNext(client, now)
    }
    hasLocation = true
    locationDeadline = nil
    return [.perform(.deliver(location))] + readNext(client, now)
  }

  // MARK: Permission and silence

  /// Handles the client's activity. GeoClue stops a client when the user withdraws permission. A
  /// start asks again, and its answer has the reason.
  mutating func activityKnown(_ isActive: Bool, _ client: Client, _ now: Duration) -> [Decision] {
    isProbing = false
    guard isActive else {
      let superseded: [Decision] = next == nil ? [] : [.perform(.count(.superseded))]
      next = nil
      return superseded + start(client, now)
    }
    return reading == nil ? readNext(client, now) : []
  }

  mutating func timerFired(_ client: Client, _ now: Duration) -> [Decision] {
    if let deadline = locationDeadline, deadline <= now {
      locationDeadline = nil
      guard applied.level < .exact else {
        return [.reportUnavailable(.noLocation(from: configuration)), arm()]
      }
      needsExact = true
      return apply(client, now)
    }
    guard answerDeadline <= now else { return [arm()] }
    if reading != nil || isProbing { return failed(.noAnswer(from: configuration)) }
    isProbing = true
    answerDeadline = now + configuration.answerTimeout
    return [.perform(.call(.readActivity(client))), arm()]
  }

  private func arm() -> Decision {
    .arm(at: locationDeadline.map { min($0, answerDeadline) } ?? answerDeadline)
  }
}
