import AsyncLocation
import FoundationEssentials

/// A fix that the backend reported.
struct SimulatedFix {
  let coordinate: Coordinate
  let accuracy: Double?
  let instant: Duration
  /// Whether permission was denied or accuracy was reduced: the fix must not cause an event.
  var isForbidden: Bool
  /// Whether the monitor possibly missed the fix or lost its effects.
  var mayBeLost: Bool
}

/// The expected content and deliveries of a monitor, computed from the writes and reports. It loops
/// over all fixes and conditions, and shares no code with the monitor.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class MonitorModel: @unchecked Sendable {
  struct WatchedCondition {
    let center: Coordinate
    let radius: Double
    let dwell: Duration
    let expiry: Date?
    var state: Monitor.State
    /// The first fix that may count for the next crossing.
    var mayCountFrom: Int
    /// The first fix that certainly counts; nil if it is not known.
    var countsFrom: Int?
    /// Fixes from this index on arrived after the condition was added.
    let addedBefore: Int
    /// The index of the last crossing's fix; nil if something else has determined the state since
    /// then.
    var crossedAt: Int?

    var isDetermined: Bool { state == .satisfied || state == .unsatisfied }
  }

  static let options = CrossingOptions(
    confirmation: .seconds(4), minimumMargin: 2, assumedAccuracy: 30, leastAccuracy: 100,
    longestGap: .seconds(60), marginFactor: 1.5, longestConfirmation: .seconds(8),
    changeMemory: .seconds(30))

  static func date(_ instant: Duration) -> Date {
    Date(timeIntervalSinceReferenceDate: 800_000_000 + (instant / .seconds(1)))
  }

  private(set) var conditions: [String: WatchedCondition] = [:]
  private(set) var fixes: [SimulatedFix] = []
  /// Fixes before `observedBefore` were observed. The effects of fixes before `durableBefore` were
  /// written.
  private(set) var observedBefore = 0
  private(set) var durableBefore = 0
  /// The open monitor has observed no fix before this index.
  private(set) var openedBefore = 0
  private(set) var lastNumber: UInt64 = 0
  /// The content of each event, without delivery marks.
  private var events: [UInt64: Monitor.Event] = [:]
  /// Events that were delivered although they could not be stored.
  private var unstored: Set<UInt64> = []
  private var delivered: Set<UInt64> = []
  private var finished: Set<UInt64> = []
  /// Events that may be delivered again.
  private var mayRepeat: Set<UInt64> = []
  /// Events that were delivered while the storage failed, so their delivery may not be stored.
  private var mayComeUnmarked: Set<UInt64> = []
  /// Events that were delivered by an earlier process without a mark in the storage.
  private var unmarked: Set<UInt64> = []
  var violations: [Violation] = []

  func require(
    _ condition: Bool, _ name: String, _ details: @autoclosure () -> String
  ) {
    if !condition { violations.append(Violation(name, details())) }
  }

  // MARK: Inputs

  func reported(_ fix: SimulatedFix) { fixes.append(fix) }

  /// Marks a fix as uncertain, because other steps ran while it was reported.
  func becameUncertain(_ index: Int, isForbidden: Bool) {
    fixes[index].mayBeLost = true
    fixes[index].isForbidden = fixes[index].isForbidden && isForbidden
  }

  /// Handles a change of permission or subscriptions: fixes that wait in a stream may be withdrawn.
  func streamsChanged() {
    for index in observedBefore..<max(observedBefore, fixes.count) {
      fixes[index].mayBeLost = true
    }
    for identifier in conditions.keys { conditions[identifier]?.countsFrom = nil }
  }

  /// Called when no work is left.
  func becameIdle(isHealthy: Bool, isMonitoring: Bool) {
    observedBefore = fixes.count
    if isHealthy { durableBefore = fixes.count }
    guard isMonitoring, isHealthy else { return }
    for identifier in conditions.keys where conditions[identifier]?.countsFrom == nil {
      conditions[identifier]?.countsFrom = fixes.count
    }
  }

  /// Handles the opening of a monitor with the stored content, for example after a crash or a
  /// close.
  func opened(_ content: StoredMonitor, at date: Date) {
    for index in durableBefore..<max(durableBefore, fixes.count) { fixes[index].mayBeLost = true }
    openedBefore = fixes.count
    for number in delivered where number > content.lastNumber {
      require(unstored.contains(number), "M4 stored first", "\(number) was delivered and is gone")
      delivered.remove(number)
      finished.remove(number)
    }
    for number in events.keys where number > content.lastNumber { events[number] = nil }
    unstored = unstored.filter { $0 <= content.lastNumber }
    lastNumber = content.lastNumber
    mayRepeat = delivered
    unmarked = []
    for stored in content.events {
      let number = stored.event.number
      if stored.isOffered { mayRepeat.insert(number) }
      if delivered.contains(number), !stored.isOffered {
        require(
          mayComeUnmarked.contains(number), "M2 repeated events",
          "\(number) was delivered, and the storage does not know it")
        unmarked.insert(number)
      }
      finished.remove(number)
    }
    for identifier in conditions.keys { conditions[identifier]?.countsFrom = nil }
  }

  private func watched(_ stored: StoredCondition) -> WatchedCondition? {
    guard case .circle(let circle) = stored.condition.subject else { return nil }
    return WatchedCondition(
      center: circle.center, radius: circle.radius, dwell: stored.condition.dwell,
      expiry: stored.condition.expiry, state: stored.state, mayCountFrom: observedBefore,
      countsFrom: nil, addedBefore: fixes.count)
  }

  // MARK: Writes

  func committed(_ changes: [MonitorChange], at date: Date) {
    for change in changes { committed(change, at: date) }
  }

  private func committed(_ change: MonitorChange, at date: Date) {
    switch change {
    case .add(let stored): conditions[stored.identifier] = watched(stored)
    case .remove(let identifier): conditions[identifier] = nil
    case .event(let event): committed(event, at: date)
    case .candidate(let identifier, let candidate):
      guard let candidate, let condition = conditions[identifier] else { return }
      require(
        condition.state != (candidate.isInside ? .satisfied : .unsatisfied), "M5 crossings",
        "\(identifier) is \(condition.state) and has a candidate for it")
    case .offer(let number):
      require(events[number] != nil, "M4 stored first", "\(number) is offered and was never stored")
    case .finish(let number):
      require(
        delivered.contains(number), "M9 nothing lost", "\(number) is finished, nobody received it")
    case .discard(let number): violations.append(Violation("M9 nothing lost", "up to \(number)"))
    }
  }

  private func committed(_ event: Monitor.Event, at date: Date) {
    require(
      event.number == lastNumber + 1, "M1 numbers", "\(event.number) is stored after \(lastNumber)")
    lastNumber = event.number
    events[event.number] = event
    guard var condition = conditions[event.identifier] else {
      return require(false, "M3 states", "\(event.number) is of no condition: \(event.identifier)")
    }
    require(
      condition.state == event.previousState, "M3 states",
      "\(event.identifier) was \(condition.state), \(event.number) says \(event.previousState)")
    condition.state = event.state
    condition.mayCountFrom = observedBefore
    if event.state != .unmonitored {
      require(
        event.location != nil || event.isWithheld, "M5 crossings",
        "\(event.number) has no location")
      guard let index = fixes.lastIndex(where: { Self.date($0.instant) == event.date })
      else { return require(false, "M5 crossings", "\(event.number) is of no fix") }
      let before = conditions[event.identifier]
      check(event, of: before ?? condition, at: index)
      observedBefore = max(observedBefore, index)
      condition.mayCountFrom = index + 1
      condition.crossedAt = before?.isDetermined == true ? index : nil
    } else {
      (condition.countsFrom, condition.crossedAt) = (nil, nil)
      if event.diagnostics.contains(.conditionExpired) {
        require(
          condition.expiry.map { $0 <= date } == true, "M5 crossings",
          "\(event.identifier) expired early")
      }
    }
    conditions[event.identifier] = condition
  }

  /// Called when the storage works again and the whole content was written.
  func replaced(_ old: StoredMonitor, with new: StoredMonitor) {
    require(new.lastNumber >= old.lastNumber, "M1 numbers", "the last number went back")
    lastNumber = new.lastNumber
    let numbers = new.events.map(\.event.number)
    require(numbers == numbers.sorted(), "M1 numbers", "events are out of order: \(numbers)")
    for stored in old.events where !finished.contains(stored.event.number) {
      require(
        numbers.contains(stored.event.number), "M9 nothing lost",
        "\(stored.event.number) is gone, and nobody finished it")
    }
    for stored in new.events {
      let number = stored.event.number
      if let known = events[number] { requireSame(stored.event, known) }
      events[number] = stored.event
      unstored.remove(number)
      require(
        stored.isOffered || unmarked.contains(number) || !delivered.contains(number),
        "M2 repeated events",
        "\(number) was delivered, and the storage does not know it")
    }
    mayComeUnmarked = unmarked
    conditions = [:]
    for stored in new.conditions {
      conditions[stored.identifier] = watched(stored)
      // A monitor that opens receives the manager's last location.
      conditions[stored.identifier]?.mayCountFrom = min(durableBefore, max(openedBefore - 1, 0))
    }
  }

  // MARK: Consumers

  /// Handles the delivery of an event to a consumer.
  ///
  /// - Parameters:
  ///   - isHealthy: Whether the last write succeeded.
  ///   - isAlone: Whether the process has started no other consumer.
  ///   - isPermitted: Whether the process had permission for precise locations at the beginning of
  ///     the job in which the consumer received the event.
  func delivered(
    _ event: Monitor.Event, _ content: StoredMonitor, isHealthy: Bool, isAlone: Bool,
    isPermitted: Bool
  ) {
    let number = event.number
    require(
      event.location == nil || isPermitted, "M6 permission",
      "\(number) is delivered with its location, without permission")
    if let known = events[number] {
      requireSame(event, known)
    } else {
      require(
        event.diagnostics.contains(.persistenceUnavailable), "M4 stored first",
        "\(number) is delivered and was never stored")
      unstored.insert(number)
      events[number] = event
    }
    if isHealthy {
      let stored = content.events.first { $0.event.number == number }
      require(
        stored?.isOffered == true || unstored.contains(number), "M4 stored first",
        "\(number) is delivered, and the storage does not say so")
    } else {
      mayComeUnmarked.insert(number)
    }
    if delivered.contains(number) {
      require(
        event.isRepeated || mayComeUnmarked.contains(number), "M2 repeated events",
        "\(number) comes again unmarked")
    }
    require(
      !event.isRepeated || mayRepeat.contains(number), "M2 repeated events",
      "\(number) is marked and never came before")
    let skipped = events.keys.filter { $0 < number && !delivered.contains($0) }
    require(
      !isAlone || skipped.isEmpty, "M1 numbers", "\(number) comes before \(skipped.sorted())")
    delivered.insert(number)
    unmarked.remove(number)
    mayRepeat.insert(number)
    finished.remove(number)
  }

  /// Handles a consumer's request for its next event, which finishes the event before.
  func finished(_ number: UInt64) { finished.insert(number) }

  private func requireSame(_ event: Monitor.Event, _ known: Monitor.Event) {
    require(
      event.identifier == known.identifier && event.state == known.state
        && event.previousState == known.previousState && event.date == known.date
        && (event.isWithheld || (event.location == nil) == (known.location == nil)), "M1 numbers",
      "\(event.number) is \(event.identifier) \(event.state), was \(known.identifier) "
        + "\(known.state)")
  }

  // MARK: At rest

  /// Requires that every event was delivered.
  func checkAllDelivered(_ content: StoredMonitor) {
    let missing = events.keys.filter { $0 <= content.lastNumber && !delivered.contains($0) }
    require(missing.isEmpty, "M9 nothing lost", "\(missing.sorted()) were never delivered")
    require(
      content.events.isEmpty, "M9 nothing lost",
      "\(content.events.map(\.event.number)) are stored as unfinished")
  }
}

extension Monitor.Event {
  /// Whether the location is missing because permission was withdrawn.
  fileprivate var isWithheld: Bool {
    location == nil && diagnostics.contains(.locationWithheld)
  }
}
