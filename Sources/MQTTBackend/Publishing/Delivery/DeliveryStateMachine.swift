import AsyncLocation
import LocationPublishing
import OwnTracks

/// Decides which pending publications are handed to a channel, and which are finished. Performs no
/// I/O.
///
/// The publications of a topic are handed over in the order of their numbers. Publications that are
/// unacknowledged when a connection ends are handed over again, so each is delivered at least once.
///
/// A topic that the receiver refuses is held, while other topics continue. After a pause, one
/// publication tests whether the topic is accepted again. If it is, all publications from the first
/// refused one on are handed over again, including those that were accepted after it, so that the
/// latest publication arrives last. A held topic is also released when it has no pending
/// publications any more, because a limit dropped them.
///
/// A removal of a retained message waits for a receiver that supports retained messages.
///
/// If a server confirms the locations of a topic, a location that the broker has acknowledged is
/// finished once it is confirmed. See the extension for confirmations.
struct DeliveryStateMachine: Sendable {
  /// Identifies a connection, and a pass over the pending publications. Answers of earlier
  /// connections are ignored, and publications that were handed over in an earlier pass are no
  /// longer sent.
  struct ConnectionID: Hashable, Sendable {
    fileprivate var number: UInt64 = 0
    fileprivate var pass: UInt64 = 0
  }

  /// The publications to read from the storage.
  struct Request: Hashable, Sendable {
    let connection: ConnectionID
    /// The number after which to begin.
    let after: UInt64
    let count: Int
  }

  private struct Hold: Sendable {
    enum Phase: Equatable, Sendable {
      /// No publication of the topic is handed over until the pause ends.
      case paused
      /// The next publication may test the topic, once the answers to earlier ones have arrived.
      case waiting
      /// The publication with this number tests the topic.
      case testing(UInt64)
    }

    var phase: Phase
    /// The first publication that was refused.
    var first: UInt64
  }

  /// A publication in flight.
  private struct Flight: Sendable {
    let topic: ExactText
    /// The time of a location that is to be confirmed.
    let time: LocationTime?
    /// Whether the confirmation has arrived before the acknowledgement.
    var isConfirmed = false
  }

  private let window: Int
  /// The topic on which a server confirms locations; nil for none.
  let confirmedTopic: ExactText?
  /// The maximum number of publications in flight on this connection.
  private var limit: Int
  private var connection = ConnectionID()
  private var isOpen = false
  /// The number after which the next read begins.
  private var cursor: UInt64 = 0
  /// The publications in flight, by number.
  private var underWay: [UInt64: Flight] = [:]
  /// The acknowledged locations without a confirmation, by number.
  private(set) var unconfirmed: [UInt64: UnconfirmedLocation] = [:]
  /// The runs of servers that have confirmed locations on this connection, at most 16.
  private var servers: Set<String> = []
  /// The number of the last location of the confirmed topic that was handed over.
  private var lastLocation: UInt64 = 0
  /// The publications that are finished, and not removed from the storage yet.
  private var done: Set<UInt64> = []
  private var holds: [ExactText: Hold] = [:]
  private var isPaused = false
  private let keepsRetained: Bool
  /// The removals that wait for a receiver that supports retained messages.
  private(set) var removalsForOthers: Set<UInt64> = []

  /// - Parameters:
  ///   - keepsRetained: Whether the receiver supports retained messages.
  ///   - confirmedTopic: The topic on which a server confirms locations; nil for none.
  init(window: Int, keepsRetained: Bool = true, confirmedTopic: String? = nil) {
    (self.window, limit, self.keepsRetained) = (window, window, keepsRetained)
    self.confirmedTopic = confirmedTopic.map(ExactText.init)
  }

  /// A new machine for the same receiver.
  var restarted: Self {
    var machine = Self(
      window: window, keepsRetained: keepsRetained, confirmedTopic: confirmedTopic?.text)
    machine.lastLocation = lastLocation
    return machine
  }

  /// Whether publications that were handed over for a connection may still be sent.
  func isCurrent(_ connection: ConnectionID) -> Bool { isOpen && connection == self.connection }

  /// The numbers of the publications in flight.
  var underWayNumbers: some Collection<UInt64> { underWay.keys }

  /// The number of publications that are in flight, or finished and not removed from the storage.
  var unremovedCount: Int { underWay.count + done.count }

  /// Whether no publication is in flight or unconfirmed, and all finished ones are removed.
  var isIdle: Bool { unremovedCount == 0 && unconfirmed.isEmpty }

  // MARK: The connection

  /// - Parameter receiveMaximum: The maximum number of publications in flight that the channel
  ///   supports. It would queue further ones, which could not be taken back.
  mutating func opened(receiveMaximum: Int = .max) -> ConnectionID {
    connection.number += 1
    limit = max(1, min(window, receiveMaximum))
    isOpen = true
    handOverAgain()
    return connection
  }

  mutating func closed() {
    isOpen = false
    handOverAgain()
  }

  private mutating func handOverAgain() {
    (underWay, unconfirmed, servers) = ([:], [:], [])
    resume()
    cursor = 0
  }

  /// Ends a pause: each held topic may be tested again.
  mutating func resume() {
    isPaused = false
    for topic in holds.keys {
      holds[topic]?.phase = .waiting
      returnToHeld(topic)
    }
  }

  // MARK: Publications

  /// The publications to read and hand over next; nil while there is no connection, or no room in
  /// the window.
  var request: Request? {
    let room = min(
      limit - underWay.count, UnconfirmedLocation.limit - underWay.count - unconfirmed.count)
    guard isOpen, room > 0 else { return nil }
    return Request(connection: connection, after: cursor, count: room)
  }

  /// Selects the publications to hand over from those that were read.
  mutating func handOver(
    _ publications: [StoredPublication], for request: Request
  ) -> [StoredPublication] {
    // The request has changed if a connection ended or an answer arrived while the storage was
    // read.
    guard request == self.request else { return [] }
    if let last = publications.last { cursor = last.number }
    let selected = publications.filter { stored in
      if stored.publication.isRemoval, !keepsRetained {
        removalsForOthers.insert(stored.number)
        return false
      }
      return admits(stored)
    }
    return confirmedTopic == nil ? selected : requestConfirmations(in: selected)
  }

  /// Handles an empty read. A held topic that may be tested and has no publication in flight has no
  /// pending publications, so it is released.
  ///
  /// - Returns: The released topics.
  mutating func foundNothing(for request: Request) -> [ExactText] {
    guard !holds.isEmpty, request == self.request else { return [] }
    let awaited = Set(underWay.values.map(\.topic))
    let released = holds.filter { $0.value.phase == .waiting && !awaited.contains($0.key) }.keys
    for topic in released { holds[topic] = nil }
    return Array(released)
  }

  /// Adds a publication to those in flight. Returns false if it must not be handed over now.
  private mutating func admits(_ stored: StoredPublication) -> Bool {
    let (number, topic) = (stored.number, ExactText(stored.publication.topic))
    guard underWay[number] == nil, unconfirmed[number] == nil, !done.contains(number) else {
      return false
    }
    switch holds[topic]?.phase {
    case nil: break
    case .paused, .testing: return false
    case .waiting:
      guard !underWay.values.contains(where: { $0.topic == topic }) else { return false }
      holds[topic]?.phase = .testing(number)
    }
    let time = topic == confirmedTopic ? stored.publication.locationTime : nil
    underWay[number] = Flight(topic: topic, time: time)
    return true
  }

  /// Suspends the sending: publications that were handed over and not sent are handed over again,
  /// in their order.
  ///
  /// - Parameter sent: The publications that were sent and whose answers follow.
  mutating func withheld(except sent: Set<UInt64>, on connection: ConnectionID) {
    guard isCurrent(connection) else { return }
    // Publications on their way to the channel must not be sent before those that are handed over
    // again.
    self.connection.pass += 1
    for (number, flight) in underWay where !sent.contains(number) {
      let topic = flight.topic
      underWay[number] = nil
      if holds[topic]?.phase == .testing(number) { holds[topic]?.phase = .waiting }
      returnToHeld(topic)
      cursor = min(cursor, number - 1)
    }
  }

  // MARK: Answers

  enum Acknowledgement: Hashable, Sendable {
    /// The acknowledgement is for an earlier connection, or the publication is handed over again
    /// after a refused one.
    case ignored
    /// - Parameter released: The topic, if it was held and is released.
    case finished(released: ExactText?)
    /// The location is finished once it is confirmed.
    case unconfirmed(released: ExactText?)
  }

  /// The channel delivered a publication.
  mutating func acknowledged(_ number: UInt64, on connection: ConnectionID) -> Acknowledgement {
    guard let flight = answered(number, on: connection) else { return .ignored }
    let topic = flight.topic
    let hold = holds[topic]
    let isReleased = hold?.phase == .testing(number)
    if isReleased {
      holds[topic] = nil
      cursor = min(cursor, number)
    } else if let hold {
      returnToHeld(topic)
      guard number < hold.first else { return .ignored }
    }
    let released = isReleased ? topic : nil
    if let time = flight.time, !flight.isConfirmed {
      unconfirmed[number] = UnconfirmedLocation(time: time)
      return .unconfirmed(released: released)
    }
    done.insert(number)
    return .finished(released: released)
  }

  /// Handles a permanent refusal. Returns false for an answer that arrives too late.
  mutating func refusedForGood(_ number: UInt64, on connection: ConnectionID) -> Bool {
    guard let topic = answered(number, on: connection)?.topic else { return false }
    done.insert(number)
    // The refusal does not apply to other publications of the topic.
    if holds[topic]?.phase == .testing(number) { holds[topic]?.phase = .waiting }
    returnToHeld(topic)
    return true
  }

  /// Handles a temporary refusal.
  ///
  /// - Returns: The topic of the publication, and whether a pause begins, which ``resume()`` ends;
  ///   nil for an answer that arrives too late.
  mutating func refused(
    _ number: UInt64, on connection: ConnectionID
  ) -> (topic: ExactText, beginsPause: Bool)? {
    guard let topic = answered(number, on: connection)?.topic else { return nil }
    var hold = holds[topic] ?? Hold(phase: .paused, first: number)
    hold.first = min(hold.first, number)
    if hold.phase == .testing(number) { hold.phase = .paused }
    holds[topic] = hold
    returnToHeld(topic)
    guard hold.phase == .paused, !isPaused else { return (topic, false) }
    isPaused = true
    return (topic, true)
  }

  /// Removes a publication from those in flight. Returns nil for an answer that is ignored.
  private mutating func answered(_ number: UInt64, on connection: ConnectionID) -> Flight? {
    connection.number == self.connection.number ? underWay.removeValue(forKey: number) : nil
  }

  /// Moves the cursor back to a held topic's first refused publication, if the topic may be tested
  /// now.
  private mutating func returnToHeld(_ topic: ExactText) {
    guard let hold = holds[topic], hold.phase == .waiting else { return }
    cursor = min(cursor, hold.first - 1)
  }

  // MARK: Removal

  /// The finished publications, which can be removed from the storage.
  var finished: [UInt64] { done.sorted() }

  /// Whether a publication is finished, and not removed from the storage yet.
  func isFinished(_ number: UInt64) -> Bool { done.contains(number) }

  /// Publications were removed from the storage.
  mutating func removed(_ numbers: [UInt64]) { done.subtract(numbers) }

  /// Handles a storage that has lost pending publications. Its remaining content is read again.
  mutating func storageWasLost() {
    (cursor, removalsForOthers) = (0, [])
    // The numbers may begin anew.
    (unconfirmed, lastLocation) = ([:], 0)
  }

  /// Handles the deletion of all pending publications. Answers to them are ignored.
  mutating func deletedAll() {
    connection.number += 1
    (underWay, done, holds, isPaused) = ([:], [], [:], false)
    (removalsForOthers, unconfirmed) = ([], [:])
  }
}

// MARK: - Confirmations

/// A location that the broker has acknowledged and no server has confirmed.
struct UnconfirmedLocation: Hashable, Sendable {
  /// The maximum number of locations in flight or unconfirmed, which a server can confirm in one
  /// message. Further locations wait in the storage.
  static let limit = StoredTimes.limit

  let time: LocationTime
  /// Whether it was unconfirmed at the last check.
  var isOverdue = false
}

extension DeliveryStateMachine {
  /// Adds the request for confirmations to locations.
  ///
  /// A location that is handed over again after a later one is not retained: it would replace the
  /// later one at the broker.
  private mutating func requestConfirmations(
    in publications: [StoredPublication]
  ) -> [StoredPublication] {
    let times =
      underWay.compactMap { number, flight in flight.time.map { (number: number, time: $0) } }
      + unconfirmed.map { (number: $0.key, time: $0.value.time) }
    guard let start = times.lazy.map(\.time).min() else { return publications }
    var earlier = times.sorted { $0.number < $1.number }[...]
    var previous: LocationTime?
    return publications.map { stored in
      guard underWay[stored.number]?.time != nil else { return stored }
      while let next = earlier.first, next.number < stored.number {
        previous = next.time
        earlier.removeFirst()
      }
      var publication = stored.publication
      publication.payload = ConfirmationRequest(from: start, after: previous)
        .added(to: publication.payload)
      if stored.number < lastLocation { publication.isRetained = false }
      lastLocation = max(lastLocation, stored.number)
      return StoredPublication(number: stored.number, publication)
    }
  }

  /// Handles a confirmation.
  ///
  /// If it is the first one of another run of the server, the remaining locations are handed over
  /// again immediately: the earlier run may have received them and not stored them.
  ///
  /// - Parameter isRetained: Whether the message is from before the connection.
  mutating func confirmed(_ stored: StoredTimes, isRetained: Bool = false) -> Confirmation {
    let times = Set(stored.times)
    for (number, flight) in underWay {
      if let time = flight.time, times.contains(time) { underWay[number]?.isConfirmed = true }
    }
    var confirmation = Confirmation(
      finished: finish(times), refused: finish(Set(stored.refused)), again: 0)
    let isFirst = servers.isEmpty
    // The servers of a group may confirm in turn. Each counts as another run only once.
    guard let server = stored.server, servers.count < 16, servers.insert(server).inserted,
      !isRetained
    else { return confirmation }
    confirmation.again = isFirst ? handOverOverdue() : handOverUnconfirmed()
    return confirmation
  }

  /// The consequences of a confirmation.
  struct Confirmation: Hashable, Sendable {
    /// The numbers of the locations that a server has stored.
    let finished: [UInt64]
    /// The numbers of the locations that a server will not store.
    let refused: [UInt64]
    /// The number of locations that are handed over again.
    var again: Int
  }

  /// Finishes the unconfirmed locations with one of the times, and returns their numbers.
  private mutating func finish(_ times: Set<LocationTime>) -> [UInt64] {
    let numbers = unconfirmed.filter { times.contains($0.value.time) }.keys.sorted()
    for number in numbers { unconfirmed[number] = nil }
    done.formUnion(numbers)
    return numbers
  }

  /// Hands over again the locations that were unconfirmed at the last check. Returns their number.
  private mutating func handOverOverdue() -> Int { handOverUnconfirmed(where: \.isOverdue) }

  /// Hands over again the unconfirmed locations that `isWanted` selects. Returns their number.
  private mutating func handOverUnconfirmed(
    where isWanted: (UnconfirmedLocation) -> Bool = { _ in true }
  ) -> Int {
    let numbers = unconfirmed.filter { isWanted($0.value) }.keys
    for number in numbers {
      unconfirmed[number] = nil
      cursor = min(cursor, number - 1)
    }
    return numbers.count
  }

  /// Hands over again the locations that were unconfirmed at the last check, and marks the others.
  ///
  /// - Returns: The number of locations that are handed over again.
  mutating func checkConfirmations() -> Int {
    let count = handOverOverdue()
    for number in unconfirmed.keys { unconfirmed[number]?.isOverdue = true }
    return count
  }
}

extension PendingPublication {
  /// The time of a location; nil for any other message.
  fileprivate var locationTime: LocationTime? {
    guard case .location(let location, _) = LocationDecoder.decode(payload.span) else { return nil }
    return LocationTime(location.timestamp)
  }
}
