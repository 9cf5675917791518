import AsyncLocation
import LocationPublishing

/// Decides which waiting publications are handed to a channel, and which are done. Performs no I/O.
///
/// The publications of a topic are handed over in the order of their numbers. Those without an
/// acknowledgement when a connection ends are handed over again, so each is delivered at least once.
///
/// A topic that the receiver refuses is held: the others go on. After a pause one publication tests
/// whether the topic is accepted now. All from the first refused one on are handed over again then,
/// also those that were accepted behind it, so that the last one that arrives is the latest. A
/// topic of which nothing waits any more, since a limit dropped it, is not held.
///
/// A removal of a retained message waits for a receiver that keeps such messages.
struct DeliveryStateMachine: Sendable {
  /// Identifies a connection, and a pass over what waits: answers of earlier connections are ignored,
  /// and a publication does not leave any more by the hand-over of an earlier pass.
  struct ConnectionID: Hashable, Sendable {
    fileprivate var number: UInt64 = 0
    fileprivate var pass: UInt64 = 0
  }

  /// The publications to read from the storage.
  struct Request: Hashable, Sendable {
    let connection: ConnectionID
    /// The number before the first.
    let after: UInt64
    let count: Int
  }

  private struct Hold: Sendable {
    enum Phase: Equatable, Sendable {
      case paused
      /// The next publication may test the topic, once the answers to earlier ones have arrived.
      case waiting
      case asking(UInt64)
    }

    var phase: Phase
    /// The first publication that was refused.
    var first: UInt64
  }

  private let window: Int
  /// How many publications may be under way on this connection.
  private var limit: Int
  private var connection = ConnectionID()
  private var isOpen = false
  /// The last number that was read.
  private var cursor: UInt64 = 0
  /// The topics of what is under way.
  private var underWay: [UInt64: ExactText] = [:]
  /// Done, and not removed from the storage yet.
  private var done: Set<UInt64> = []
  private var holds: [ExactText: Hold] = [:]
  private var isPaused = false
  private let keepsRetained: Bool
  /// The removals that wait for another receiver.
  private(set) var removalsForOthers: Set<UInt64> = []

  /// - Parameter keepsRetained: Whether the receiver keeps retained messages.
  init(window: Int, keepsRetained: Bool = true) {
    (self.window, limit, self.keepsRetained) = (window, window, keepsRetained)
  }

  /// A machine with the same receiver that has handed over nothing.
  var restarted: Self { Self(window: window, keepsRetained: keepsRetained) }

  /// Whether what was handed over for a connection may still leave.
  func isCurrent(_ connection: ConnectionID) -> Bool { isOpen && connection == self.connection }

  /// The publications whose acknowledgement is awaited.
  var underWayNumbers: some Collection<UInt64> { underWay.keys }

  /// The number of publications that the storage has and the broker, too, or may have.
  var unremovedCount: Int { underWay.count + done.count }

  /// Whether nothing is under way and all that is done was removed.
  var isIdle: Bool { unremovedCount == 0 }

  // MARK: The connection

  /// - Parameter receiveMaximum: How many publications the channel takes at a time. Publications
  ///   that it would keep for later could not be taken back.
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
    underWay = [:]
    resume()
    cursor = 0
  }

  /// Ends a pause: each topic that is held may be tested again.
  mutating func resume() {
    isPaused = false
    for topic in holds.keys {
      holds[topic]?.phase = .waiting
      returnToHeld(topic)
    }
  }

  // MARK: Publications

  /// The publications that can be handed over now; nil while there is no room or connection.
  var request: Request? {
    guard isOpen, underWay.count < limit else { return nil }
    return Request(connection: connection, after: cursor, count: limit - underWay.count)
  }

  /// Selects from what was read those publications that are handed over.
  mutating func handOver(
    _ publications: [StoredPublication], for request: Request
  ) -> [StoredPublication] {
    // A connection ended or an answer arrived while the storage was read.
    guard request == self.request else { return [] }
    if let last = publications.last { cursor = last.number }
    return publications.filter { stored in
      if stored.publication.isRemoval, !keepsRetained {
        removalsForOthers.insert(stored.number)
        return false
      }
      return take(stored.number, ExactText(stored.publication.topic))
    }
  }

  /// A read found nothing. A held topic that may be tested has nothing that waits then, unless
  /// something of it is under way: it is held no longer.
  ///
  /// - Returns: The topics that were held.
  mutating func foundNothing(for request: Request) -> [ExactText] {
    guard !holds.isEmpty, request == self.request else { return [] }
    let awaited = Set(underWay.values)
    let released = holds.filter { $0.value.phase == .waiting && !awaited.contains($0.key) }.keys
    for topic in released { holds[topic] = nil }
    return Array(released)
  }

  private mutating func take(_ number: UInt64, _ topic: ExactText) -> Bool {
    guard underWay[number] == nil, !done.contains(number) else { return false }
    switch holds[topic]?.phase {
    case nil: break
    case .paused, .asking: return false
    case .waiting:
      guard !underWay.values.contains(topic) else { return false }
      holds[topic]?.phase = .asking(number)
    }
    underWay[number] = topic
    return true
  }

  /// Nothing may leave for now: publications that were handed over and have not left are handed
  /// over again, in their order.
  ///
  /// - Parameter left: The publications that have left and whose answers follow.
  mutating func withheld(except left: Set<UInt64>, on connection: ConnectionID) {
    guard isCurrent(connection) else { return }
    // Of what is on its way to the channel, nothing may leave before what is handed over again.
    self.connection.pass += 1
    for (number, topic) in underWay where !left.contains(number) {
      underWay[number] = nil
      if holds[topic]?.phase == .asking(number) { holds[topic]?.phase = .waiting }
      returnToHeld(topic)
      cursor = min(cursor, number - 1)
    }
  }

  // MARK: Answers

  enum Acknowledgement: Hashable, Sendable {
    /// Of an earlier connection, or it is handed over again behind what was refused.
    case ignored
    /// - Parameter released: The topic, if it was held before.
    case finished(released: ExactText?)
  }

  /// The channel delivered a publication.
  mutating func acknowledged(_ number: UInt64, on connection: ConnectionID) -> Acknowledgement {
    guard let topic = answered(number, on: connection) else { return .ignored }
    let hold = holds[topic]
    let isReleased = hold?.phase == .asking(number)
    if isReleased {
      holds[topic] = nil
      cursor = min(cursor, number)
    } else if let hold {
      returnToHeld(topic)
      guard number < hold.first else { return .ignored }
    }
    done.insert(number)
    return .finished(released: isReleased ? topic : nil)
  }

  /// A publication will never be delivered. Returns false for an answer that comes too late.
  mutating func refusedForGood(_ number: UInt64, on connection: ConnectionID) -> Bool {
    guard let topic = answered(number, on: connection) else { return false }
    done.insert(number)
    // It states nothing about the others.
    if holds[topic]?.phase == .asking(number) { holds[topic]?.phase = .waiting }
    returnToHeld(topic)
    return true
  }

  /// A publication is refused for now.
  ///
  /// - Returns: Its topic, and whether a pause begins, which ``resume()`` ends; nil for an answer that
  ///   comes too late.
  mutating func refused(
    _ number: UInt64, on connection: ConnectionID
  ) -> (topic: ExactText, beginsPause: Bool)? {
    guard let topic = answered(number, on: connection) else { return nil }
    var hold = holds[topic] ?? Hold(phase: .paused, first: number)
    hold.first = min(hold.first, number)
    if hold.phase == .asking(number) { hold.phase = .paused }
    holds[topic] = hold
    returnToHeld(topic)
    guard hold.phase == .paused, !isPaused else { return (topic, false) }
    isPaused = true
    return (topic, true)
  }

  /// The topic of a publication whose answer counts.
  private mutating func answered(_ number: UInt64, on connection: ConnectionID) -> ExactText? {
    connection.number == self.connection.number ? underWay.removeValue(forKey: number) : nil
  }

  /// Reads a held topic's publications again, if it may be tested now.
  private mutating func returnToHeld(_ topic: ExactText) {
    guard let hold = holds[topic], hold.phase == .waiting else { return }
    cursor = min(cursor, hold.first - 1)
  }

  // MARK: Removal

  /// The publications that are done and can be removed from the storage.
  var finished: [UInt64] { done.sorted() }

  /// Whether a publication is done, and not removed from the storage yet.
  func isFinished(_ number: UInt64) -> Bool { done.contains(number) }

  /// Publications were removed from the storage.
  mutating func removed(_ numbers: [UInt64]) { done.subtract(numbers) }

  /// The storage has lost what waited. Its remaining content is read again.
  mutating func storageWasLost() { (cursor, removalsForOthers) = (0, []) }

  /// Everything that waits was deleted; answers to it are ignored.
  mutating func deletedAll() {
    connection.number += 1
    (underWay, done, holds, isPaused) = ([:], [], [:], false)
    removalsForOthers = []
  }
}
