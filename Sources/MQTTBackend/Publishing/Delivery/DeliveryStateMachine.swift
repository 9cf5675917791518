import AsyncLocation
import LocationPublishing

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
  /// The maximum number of publications in flight on this connection.
  private var limit: Int
  private var connection = ConnectionID()
  private var isOpen = false
  /// The number after which the next read begins.
  private var cursor: UInt64 = 0
  /// The topics of the publications in flight, by number.
  private var underWay: [UInt64: ExactText] = [:]
  /// The publications that are finished, and not removed from the storage yet.
  private var done: Set<UInt64> = []
  private var holds: [ExactText: Hold] = [:]
  private var isPaused = false
  private let keepsRetained: Bool
  /// The removals that wait for a receiver that supports retained messages.
  private(set) var removalsForOthers: Set<UInt64> = []

  /// - Parameter keepsRetained: Whether the receiver supports retained messages.
  init(window: Int, keepsRetained: Bool = true) {
    (self.window, limit, self.keepsRetained) = (window, window, keepsRetained)
  }

  /// A new machine for the same receiver.
  var restarted: Self { Self(window: window, keepsRetained: keepsRetained) }

  /// Whether publications that were handed over for a connection may still be sent.
  func isCurrent(_ connection: ConnectionID) -> Bool { isOpen && connection == self.connection }

  /// The numbers of the publications in flight.
  var underWayNumbers: some Collection<UInt64> { underWay.keys }

  /// The number of publications in the storage that the broker has received, or may have received.
  var unremovedCount: Int { underWay.count + done.count }

  /// Whether no publication is in flight, and all finished ones are removed.
  var isIdle: Bool { unremovedCount == 0 }

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
    underWay = [:]
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
    guard isOpen, underWay.count < limit else { return nil }
    return Request(connection: connection, after: cursor, count: limit - underWay.count)
  }

  /// Selects the publications to hand over from those that were read.
  mutating func handOver(
    _ publications: [StoredPublication], for request: Request
  ) -> [StoredPublication] {
    // The request has changed if a connection ended or an answer arrived while the storage was
    // read.
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

  /// Handles an empty read. A held topic that may be tested and has no publication in flight has no
  /// pending publications, so it is released.
  ///
  /// - Returns: The released topics.
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

  /// Suspends the sending: publications that were handed over and not sent are handed over again,
  /// in their order.
  ///
  /// - Parameter left: The publications that were sent and whose answers follow.
  mutating func withheld(except left: Set<UInt64>, on connection: ConnectionID) {
    guard isCurrent(connection) else { return }
    // Publications on their way to the channel must not be sent before those that are handed over
    // again.
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
    /// The acknowledgement is for an earlier connection, or the publication is handed over again
    /// after a refused one.
    case ignored
    /// - Parameter released: The topic, if it was held and is released.
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

  /// Handles a permanent refusal. Returns false for an answer that arrives too late.
  mutating func refusedForGood(_ number: UInt64, on connection: ConnectionID) -> Bool {
    guard let topic = answered(number, on: connection) else { return false }
    done.insert(number)
    // The refusal does not apply to other publications of the topic.
    if holds[topic]?.phase == .asking(number) { holds[topic]?.phase = .waiting }
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

  /// Removes a publication from those in flight. Returns its topic; nil for an answer that is
  /// ignored.
  private mutating func answered(_ number: UInt64, on connection: ConnectionID) -> ExactText? {
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
  mutating func storageWasLost() { (cursor, removalsForOthers) = (0, []) }

  /// Handles the deletion of all pending publications. Answers to them are ignored.
  mutating func deletedAll() {
    connection.number += 1
    (underWay, done, holds, isPaused) = ([:], [], [:], false)
    removalsForOthers = []
  }
}
