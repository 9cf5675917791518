import AsyncLocation
import FoundationEssentials
import LocationFleet
import OwnTracks

/// Decides the outcome of each message, and stores the known state of the devices. Performs no I/O
/// and decodes nothing.
///
/// A message is handled in two steps, between which the caller decodes its payload with no lock
/// held: ``admit(topic:payloadLength:isRetained:at:into:)`` and
/// ``accept(_:_:topic:isRetained:at:into:)``.
struct FleetIntake: Sendable {
  /// Whether a payload is to be decoded.
  enum Admission: Hashable, Sendable {
    case decode(Ticket)
    case skip(FleetOutcome)
  }

  /// The range of the device's name in the topic, the hash of the name, and the slot of a known
  /// device.
  struct Ticket: Hashable, Sendable {
    fileprivate let name: Range<Int>
    fileprivate let hash: UInt32
    fileprivate let slot: DeviceDirectory.Slot?
    /// Whether the message arrived on a topic below the device's, where locations and last wills
    /// are not accepted.
    fileprivate let isBelow: Bool
    /// Whether only a last will is accepted.
    fileprivate var isBeyondRate = false
  }

  /// The maximum number of silent devices that are forgotten for each message.
  static let forgottenPerMessage = 64
  /// The maximum length in bytes of a last will that is accepted beyond the rate. Locations are
  /// longer.
  static let willLength = 96
  /// The maximum length in bytes of an encrypted last will that is accepted beyond the rate.
  static let encryptedWillLength = 192

  private let topics: FleetTopic
  private let limits: FleetLimits
  private let isInGroup: Bool
  private let includesAllMessages: Bool
  private let longestWill: Int
  private let rate: TokenBucket.Rate
  private let futureTolerance: Double
  private let silence: Int64?
  private(set) var directory: DeviceDirectory
  /// Limits the messages of unknown devices. A message that adds no device, such as a malformed
  /// one, takes a token. Without a token, messages are not decoded.
  private var unknownDeviceBuckets = SharedBuckets()
  /// Limits the messages of known devices beyond their rate that are decoded because they may be
  /// last wills.
  private var beyondRate = SharedBuckets()
  /// The number of interruptions, during which messages may have been missed.
  private(set) var interruptions: UInt32 = 0
  private(set) var statistics = FleetStatistics()
  private var brokerDrops = BrokerDrops()

  init(_ configuration: FleetConfiguration = FleetConfiguration()) {
    topics = FleetTopic(
      base: configuration.receivedBase, user: configuration.user, device: configuration.device)
    limits = configuration.limits
    isInGroup = configuration.group != nil
    includesAllMessages = configuration.includesAllMessages
    longestWill = configuration.keys == nil ? Self.willLength : Self.encryptedWillLength
    rate = TokenBucket.Rate(perSecond: limits.messagesPerSecond, burst: limits.burst)
    futureTolerance = limits.futureTolerance / .seconds(1)
    silence = limits.silence.map(\.wholeNanoseconds)
    directory = DeviceDirectory(isOrdered: silence != nil)
  }

  // MARK: Messages

  /// Handles a message of ``BrokerDrops/topic``.
  mutating func countBrokerDrops(_ payload: Span<UInt8>) {
    statistics.droppedByBroker &+= brokerDrops.take(payload)
  }

  /// Decides whether to decode a message.
  mutating func admit(
    topic: Span<UInt8>, payloadLength: Int, isRetained: Bool, at now: FleetTime,
    into results: inout Results
  ) -> Admission {
    statistics.messages += 1
    statistics.bytes += UInt64(topic.count + payloadLength)
    if isRetained { statistics.retained += 1 }
    let admission = decideAdmission(
      topic: topic, payloadLength: payloadLength, isRetained: isRetained, at: now, into: &results)
    if case .skip(let outcome) = admission { statistics.count(outcome) }
    return admission
  }

  private mutating func decideAdmission(
    topic: Span<UInt8>, payloadLength: Int, isRetained: Bool, at now: FleetTime,
    into results: inout Results
  ) -> Admission {
    let names: Range<Int>
    var isBelow = false
    switch topics.match(topic) {
    case .unexpected: return .skip(.unexpectedTopic)
    case .below(let start, let end):
      guard includesAllMessages,
        FleetTopic.isPublishedByDevices(topic.extracting((end + 1)...))
      else { return .skip(.other) }
      (names, isBelow) = (start..<end, true)
    case .device(let start): names = start..<topic.count
    }
    // Contrary to MQTT, Mosquitto sends retained messages to each member of a group.
    if isRetained, isInGroup { return .skip(.duplicate) }
    guard payloadLength > 0 else { return .skip(.other) }
    let name = topic.extracting(names)
    guard name.count <= limits.nameLength else { return .skip(.unexpectedTopic) }
    let hash = DeviceDirectory.hash(name)
    let slot = directory.find(name, hash)
    guard payloadLength <= limits.payloadLength else {
      if let slot { drop(.oversized, slot, at: now, into: &results) }
      return .skip(.oversized)
    }
    if let slot {
      guard directory[slot].bucket.takeToken(at: now.monotonic, rate) else {
        // The message may be the last will of a device whose connection broke after a burst. One
        // last will is accepted until the next location.
        if directory[slot].presence(after: interruptions) == .online,
          payloadLength <= longestWill, beyondRate.takeToken(hash, at: now.monotonic)
        {
          return .decode(
            Ticket(name: names, hash: hash, slot: slot, isBelow: isBelow, isBeyondRate: true))
        }
        drop(.rateLimited, slot, at: now, into: &results)
        return .skip(.rateLimited)
      }
    } else if !unknownDeviceBuckets.hasToken(hash, at: now.monotonic) {
      return .skip(.rateLimited)
    } else if topics.name(name) == nil {
      unknownDeviceBuckets.takeToken(hash, at: now.monotonic)
      return .skip(.unexpectedTopic)
    }
    return .decode(Ticket(name: names, hash: hash, slot: slot, isBelow: isBelow))
  }

  /// The device of an admitted message; nil if its name is not valid.
  func device(of ticket: Ticket, topic: Span<UInt8>) -> FleetDevice.ID? {
    topics.name(topic.extracting(ticket.name)).map { FleetDevice.ID(checked: $0) }
  }

  /// Handles a decoded message.
  ///
  /// - Parameters:
  ///   - topic: The topic of the message for which the ticket was made.
  ///   - hasWaited: Whether the message arrived earlier and has waited: it says nothing about the
  ///     device's present state.
  ///   - results: Receives the results.
  mutating func accept(
    _ message: borrowing FleetContent, _ ticket: Ticket, topic: Span<UInt8>, isRetained: Bool,
    hasWaited: Bool = false, at now: FleetTime, into results: inout Results
  ) -> Results.Acceptance {
    if !hasWaited { forgetSilent(at: now, into: &results) }
    var acceptance = Results.Acceptance()
    let outcome: FleetOutcome
    let slot: DeviceDirectory.Slot?
    switch message {
    case .other where ticket.isBeyondRate, .malformed where ticket.isBeyondRate,
      .location where ticket.isBeyondRate, .encrypted where ticket.isBeyondRate,
      .undecryptable where ticket.isBeyondRate:
      (slot, outcome) = (knownSlot(ticket, topic), .rateLimited)
    case .other where includesAllMessages:
      slot = self.slot(ticket, topic, at: now, into: &results)
      outcome = slot == nil ? .refused : .other
      acceptance.device = slot.flatMap { directory.id(of: $0) }
    case .other:
      (slot, outcome) = (knownSlot(ticket, topic), .other)
      acceptance.device = slot.flatMap { directory.id(of: $0) }
    case .location where ticket.isBelow, .lastWill where ticket.isBelow:
      (slot, outcome) = (knownSlot(ticket, topic), .other)
    case .encrypted, .undecryptable:
      // The device is added, so that the reason can be reported. Its presence does not change,
      // since the message may be its last will.
      slot = self.slot(ticket, topic, at: now, into: &results)
      outcome = slot == nil ? .refused : message == .encrypted ? .encrypted : .undecryptable
    case .malformed:
      (slot, outcome) = (knownSlot(ticket, topic), .malformed)
    case .lastWill:
      slot = self.slot(ticket, topic, at: now, into: &results)
      if let slot { setPresence(.offline, slot, into: &results) }
      outcome = slot == nil ? .refused : .lastWill
      acceptance.device = slot.flatMap { directory.id(of: $0) }
    case .location(let location, let request):
      slot = self.slot(ticket, topic, at: now, into: &results)
      if let slot {
        if !isRetained, !hasWaited { recordContact(slot, at: now, into: &results) }
        outcome = classify(location, slot, at: now)
        if outcome == .delivered, let id = directory.id(of: slot) {
          directory.setLocation(location, of: slot)
          acceptance.delivery = Results.Delivery(
            update: FleetUpdate(device: id, location: location, isRetained: isRetained),
            slot: slot)
          acceptance.device = id
        } else if outcome == .stale || outcome == .duplicate && request != nil,
          let id = directory.id(of: slot)
        {
          acceptance.late = FleetUpdate(device: id, location: location, isRetained: isRetained)
        }
        if let request, let id = directory.id(of: slot) {
          acceptance.confirmation = (id, request.start)
          if outcome == .future { acceptance.refused = LocationTime(location.timestamp) }
        }
      } else {
        outcome = .refused
      }
    }
    statistics.count(outcome)
    if let slot {
      switch message {
      case .encrypted, .undecryptable: directory[slot].isUnreadable = true
      case .malformed: break
      case .location where hasWaited: break
      case .location, .lastWill, .other: directory[slot].isUnreadable = false
      }
      // A location that is sent again is stored, and nothing is wrong with the device's clock.
      let isRepeated = outcome == .stale && acceptance.confirmation != nil
      if let reason = outcome.dropReason, !isRepeated {
        drop(reason, slot, at: now, into: &results)
      }
    } else {
      unknownDeviceBuckets.takeToken(ticket.hash, at: now.monotonic)
    }
    return acceptance
  }

  /// Counts and reports a dropped message of a device. A duplicate is not reported, since delivery
  /// is at least once.
  private mutating func drop(
    _ reason: FleetDevice.DropReason, _ slot: DeviceDirectory.Slot, at now: FleetTime,
    into results: inout Results
  ) {
    directory.countDrop(reason, of: slot)
    if reason != .duplicate, reason != .stale { directory[slot].hasDropped = true }
    guard reason != .duplicate, directory[slot].markReported(reason, at: now.monotonic),
      let id = directory.id(of: slot)
    else { return }
    results.changes.append(.dropping(id, reason))
  }

  /// The slot of the device of a location's message, and the time of its last delivered location.
  /// Nil if the device has none, and for a message that is not accepted as a location.
  func lastLocation(
    before ticket: Ticket, topic: Span<UInt8>
  ) -> (slot: DeviceDirectory.Slot, time: LocationTime)? {
    guard !ticket.isBelow, !ticket.isBeyondRate, let slot = knownSlot(ticket, topic),
      let last = lastTime(of: slot)
    else { return nil }
    return (slot, last)
  }

  /// The time of the last delivered location of a slot's device; nil if it has none.
  func lastTime(of slot: DeviceDirectory.Slot) -> LocationTime? {
    directory[slot].lastTime.map { LocationTime(Date(timeIntervalSinceReferenceDate: $0)) }
  }

  /// Whether a location would be delivered.
  func delivers(
    _ location: borrowing Location, _ slot: DeviceDirectory.Slot, at now: FleetTime
  ) -> Bool { classify(location, slot, at: now) == .delivered }

  /// Forgets that messages of a device were dropped.
  mutating func forgetDrops(of slot: DeviceDirectory.Slot) { directory[slot].hasDropped = false }

  /// Counts a location that waits.
  mutating func count(_ addition: FleetReordering.Addition) {
    switch addition {
    case .added: statistics.waited += 1
    case .replaced: statistics.count(.duplicate)
    case .refused: break
    }
  }

  /// Whether a location of a device has to wait for the one before it. If so, and if it is not
  /// retained, records that the device was heard.
  ///
  /// - Parameter last: The time of its last delivered location.
  mutating func mustWait(
    _ location: borrowing Location, after previous: LocationTime, last: LocationTime,
    _ slot: DeviceDirectory.Slot, isRetained: Bool, at now: FleetTime,
    into results: inout Results
  ) -> Bool {
    // The other members of a group receive the device's other locations.
    guard !isInGroup, !directory[slot].hasDropped, last < previous,
      previous < LocationTime(location.timestamp), classify(location, slot, at: now) == .delivered
    else { return false }
    if !isRetained { recordContact(slot, at: now, into: &results) }
    return true
  }

  private func classify(
    _ location: borrowing Location, _ slot: DeviceDirectory.Slot, at now: FleetTime
  ) -> FleetOutcome {
    let time = location.timestampSeconds
    guard time - now.wall <= futureTolerance else { return .future }
    guard let last = directory[slot].lastTime else { return .delivered }
    return time > last ? .delivered : time == last ? .duplicate : .stale
  }

  /// The slot of a device; nil if the device is not known.
  private func knownSlot(_ ticket: Ticket, _ topic: Span<UInt8>) -> DeviceDirectory.Slot? {
    let name = topic.extracting(ticket.name)
    // The device may have been forgotten since the ticket was made.
    if let slot = ticket.slot, directory.hasName(slot, name) { return slot }
    return directory.find(name, ticket.hash)
  }

  /// Returns the slot of a device, and adds the device if it is not known; nil if the limit of
  /// devices is reached or the name is not valid.
  private mutating func slot(
    _ ticket: Ticket, _ topic: Span<UInt8>, at now: FleetTime, into results: inout Results
  ) -> DeviceDirectory.Slot? {
    if let slot = knownSlot(ticket, topic) { return slot }
    guard directory.count < limits.devices,
      let text = topics.name(topic.extracting(ticket.name))
    else { return nil }
    let id = FleetDevice.ID(checked: text)
    results.changes.append(.added(id))
    let slot = directory.add(id, hash: ticket.hash, at: now.monotonic)
    _ = directory[slot].bucket.takeToken(at: now.monotonic, rate)
    return slot
  }

  private mutating func recordContact(
    _ slot: DeviceDirectory.Slot, at now: FleetTime, into results: inout Results
  ) {
    directory.setLastHeard(slot, at: now.monotonic)
    directory[slot].hasSentLocation = true
    setPresence(.online, slot, into: &results)
  }

  private mutating func setPresence(
    _ presence: FleetDevice.Presence, _ slot: DeviceDirectory.Slot, into results: inout Results
  ) {
    guard directory[slot].setPresence(presence, after: interruptions),
      let id = directory.id(of: slot)
    else { return }
    results.changes.append(presence == .online ? .online(id) : .offline(id))
  }

  // MARK: Devices

  /// Makes the presence of all devices unknown: messages may have been missed.
  mutating func interrupt(into results: inout Results) {
    interruptions &+= 1
    results.changes.append(.interrupted)
  }

  /// Forgets a device; does nothing if it is not known.
  mutating func forget(_ id: FleetDevice.ID, into results: inout Results) {
    if let slot = directory.find(id) { forget(slot, into: &results) }
  }

  /// Forgets devices that were silent for too long, a limited number at a time, since a lock is
  /// held.
  private mutating func forgetSilent(at now: FleetTime, into results: inout Results) {
    guard let silence else { return }
    for _ in 0..<Self.forgottenPerMessage {
      guard let slot = directory.longestSilent,
        now.monotonic - directory[slot].lastHeard >= silence
      else { return }
      forget(slot, into: &results)
    }
  }

  private mutating func forget(_ slot: DeviceDirectory.Slot, into results: inout Results) {
    guard let id = directory.id(of: slot) else { return }
    directory.remove(slot)
    results.changes.append(.forgotten(id))
    results.forgotten.append((slot, id))
    statistics.forgottenDevices += 1
  }

  /// Adds a stored device, with its last location.
  mutating func restore(
    _ id: FleetDevice.ID, _ location: Location, at now: FleetTime
  ) -> DeviceDirectory.Slot {
    let hash = DeviceDirectory.hash(id.name.utf8.span)
    let slot = directory.add(id, hash: hash, at: now.monotonic)
    directory.setLocation(location, of: slot)
    return slot
  }
}
