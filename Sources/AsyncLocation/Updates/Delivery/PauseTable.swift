/// Groups the subscribers that pause or that reject implausible jumps, with one machine per group.
///
/// The members of a group have the same activity and the same receiver, so the cost of a location
/// does not depend on the number of subscribers. A new subscriber does not join a paused group, in
/// which it would receive nothing until movement. It joins a group that moves, or starts one.
/// Groups with one key that are all paused, or all moving, are merged before the next batch of
/// locations, so a key has at most two groups.
struct PauseTable: Sendable {
  typealias ID = UInt64

  struct Key: Hashable, Sendable {
    let activity: ActivityType
    let pauses: Bool
    /// The name of the receiver; nil for preferred receivers.
    let device: String?

    init(_ activity: ActivityType, pauses: Bool, device: String? = nil) {
      (self.activity, self.pauses, self.device) = (activity, pauses, device)
    }

    init(_ options: UpdateOptions) {
      self.init(
        options.activityType, pauses: options.pausesAutomatically, device: options.device)
    }

    fileprivate func event(isPaused: Bool) -> PauseEvent {
      PauseEvent(isPaused: isPaused, activityType: activity, device: device)
    }
  }

  /// Subscribers that pause or resume.
  struct Change: Hashable, Sendable {
    let members: Set<ID>
    let isPaused: Bool
  }

  /// The changes to apply and the events to publish, in the order in which they occurred.
  struct Changes: Sendable {
    var demands: [Change] = []
    var events: [PauseEvent] = []

    var isEmpty: Bool { demands.isEmpty && events.isEmpty }
  }

  /// A subscriber that belongs to another group from now on.
  struct Move: Hashable, Sendable {
    let member: ID
    let group: ID
  }

  private struct Group: Sendable {
    let id: ID
    let key: Key
    let device: DeviceID?
    var machine: PauseStateMachine
    var members: Set<ID>
    /// A decision for each staged location.
    var actions: [PauseStateMachine.Action] = []

    init(id: ID, key: Key, machine: PauseStateMachine, member: ID) {
      (self.id, self.key, self.machine, members) = (id, key, machine, [member])
      device = key.device.map { DeviceID($0) }
    }

    func isOf(_ origin: SourceInformation?) -> Bool {
      device.map { origin.isOf($0) } ?? origin.isPreferred
    }
  }

  private var groups: [Group] = []
  private var groupsOfMembers: [ID: ID] = [:]
  private var lastGroup: ID = 0
  /// The keys that were last reported as paused, in the order of the reports.
  private var paused: [Key] = []
  private var changes = Changes()
  /// True when a group has paused or resumed since the groups were merged.
  private var mayMerge = false

  var isEmpty: Bool { groups.isEmpty }
  var groupCount: Int { groups.count }
  var hasChanges: Bool { !changes.isEmpty }

  /// One event for each key that is paused now.
  var current: [PauseEvent] { paused.map { $0.event(isPaused: true) } }

  mutating func takeChanges() -> Changes {
    defer { changes = Changes() }
    return changes
  }

  // MARK: Members

  /// Adds a subscriber.
  ///
  /// - Returns: Its group; nil when it receives every location.
  mutating func join(_ id: ID, _ key: Key) -> ID? {
    if let index = groups.firstIndex(where: { $0.key == key && !$0.machine.isPaused }) {
      groups[index].members.insert(id)
      groupsOfMembers[id] = groups[index].id
      return groups[index].id
    }
    guard let machine = PauseStateMachine(key.activity, pauses: key.pauses) else { return nil }
    lastGroup += 1
    groups.append(Group(id: lastGroup, key: key, machine: machine, member: id))
    groupsOfMembers[id] = lastGroup
    return lastGroup
  }

  /// Removes a subscriber. When the last one of a key leaves, no event is published.
  mutating func leave(_ id: ID) {
    guard let group = groupsOfMembers.removeValue(forKey: id),
      let index = groups.firstIndex(where: { $0.id == group })
    else { return }
    groups[index].members.remove(id)
    guard groups[index].members.isEmpty else { return }
    let key = groups.remove(at: index).key
    if groups.contains(where: { $0.key == key }) {
      report(key)
    } else {
      paused.removeAll { $0 == key }
    }
  }

  // MARK: Locations

  /// Forgets the decisions about staged locations, and merges groups. Returns the members whose
  /// group changes.
  mutating func removeStaged() -> [Move] {
    for index in groups.indices { groups[index].actions.removeAll(keepingCapacity: true) }
    guard mayMerge else { return [] }
    mayMerge = false
    var moves: [Move] = []
    var merged: [Group] = []
    for group in groups {
      let match = merged.firstIndex {
        $0.key == group.key && $0.machine.isPaused == group.machine.isPaused
      }
      guard let match else {
        merged.append(group)
        continue
      }
      merged[match].members.formUnion(group.members)
      // No member pauses earlier than it would in its own group.
      if group.machine.pausesLater(than: merged[match].machine) {
        merged[match].machine = group.machine
      }
      for member in group.members {
        groupsOfMembers[member] = merged[match].id
        moves.append(Move(member: member, group: merged[match].id))
      }
    }
    groups = merged
    return moves
  }

  /// Decides for each group whether it receives the location that was staged last.
  mutating func observe(_ location: borrowing Location, at instant: Duration) {
    for index in groups.indices {
      guard groups[index].isOf(location.sourceInformation) else {
        groups[index].actions.append(.withhold)
        continue
      }
      if location.isReduced {
        reset(index)
        groups[index].actions.append(.deliver)
        continue
      }
      let action = groups[index].machine.located(location, at: instant)
      groups[index].actions.append(action)
      switch action {
      case .pause: recordChange(of: index, isPaused: true)
      case .resume: recordChange(of: index, isPaused: false)
      case .deliver, .reject, .withhold: break
      }
    }
  }

  /// Resumes all groups, since their positions are no longer known.
  mutating func reset() {
    for index in groups.indices { reset(index) }
  }

  private mutating func reset(_ index: Int) {
    let wasPaused = groups[index].machine.isPaused
    groups[index].machine.reset()
    if wasPaused { recordChange(of: index, isPaused: false) }
  }

  private mutating func recordChange(of index: Int, isPaused: Bool) {
    changes.demands.append(Change(members: groups[index].members, isPaused: isPaused))
    mayMerge = true
    report(groups[index].key)
  }

  /// Adds an event if a key became paused or resumed. A key is paused while any of its groups is.
  private mutating func report(_ key: Key) {
    let isPaused = groups.contains { $0.key == key && $0.machine.isPaused }
    guard isPaused != paused.contains(key) else { return }
    if isPaused { paused.append(key) } else { paused.removeAll { $0 == key } }
    changes.events.append(key.event(isPaused: isPaused))
  }

  // MARK: Decisions

  /// The decision of a member's group about the location that was staged last.
  func latestAction(of member: ID) -> PauseStateMachine.Action? {
    guard let group = groupsOfMembers[member] else { return nil }
    return groups.first { $0.id == group }?.actions.last
  }

  /// The decisions of each group about the staged locations.
  var decisions: [ID: [PauseStateMachine.Action]] { byGroup { $0 } }

  /// The staged locations that each group receives.
  var selections: [ID: ElementRuns] { byGroup { ElementRuns(of: $0) } }

  private func byGroup<Value>(
    _ value: ([PauseStateMachine.Action]) -> Value
  ) -> [ID: Value] {
    guard !groups.isEmpty else { return [:] }  // Allocates nothing.
    return Dictionary(uniqueKeysWithValues: groups.map { ($0.id, value($0.actions)) })
  }
}
