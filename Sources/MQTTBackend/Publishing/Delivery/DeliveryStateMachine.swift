import AsyncLocation

/// Decides which waiting publications are handed to a channel, and which are done. Performs no I/O.
///
/// Publications are handed over in the order of their numbers. Those without an acknowledgement when
/// a connection ends are handed over again, so each is delivered at least once.
struct DeliveryStateMachine: Sendable {
  /// Identifies a connection; answers of earlier ones are ignored.
  struct ConnectionID: Hashable, Sendable {
    fileprivate(set) var rawValue: UInt64 = 0
  }

  /// What to read from the storage.
  struct Request: Hashable, Sendable {
    let connection: ConnectionID
    /// The number before the first.
    let after: UInt64
    let count: Int
  }

  private let window: Int
  /// How many publications may be under way on this connection.
  private var limit: Int
  private var connection = ConnectionID()
  private var isOpen = false
  private var isHeld = false
  /// The last number that was handed over on this connection.
  private var cursor: UInt64 = 0
  private var underWay: Set<UInt64> = []
  /// Done, and not removed from the storage yet.
  private var done: Set<UInt64> = []

  init(window: Int) { (self.window, limit) = (window, window) }

  /// Whether answers for a connection still count.
  func isCurrent(_ connection: ConnectionID) -> Bool { isOpen && connection == self.connection }

  /// The number of publications whose acknowledgement is awaited.
  var underWayCount: Int { underWay.count }

  /// Whether nothing is under way and all that is done was removed.
  var isIdle: Bool { underWay.isEmpty && done.isEmpty }

  // MARK: The connection

  /// - Parameter receiveMaximum: How many publications the channel takes at a time. What it would
  ///   keep for later could not be taken back.
  mutating func opened(receiveMaximum: Int = .max) -> ConnectionID {
    connection.rawValue += 1
    limit = max(1, min(window, receiveMaximum))
    (isOpen, isHeld) = (true, false)
    handOverAgain()
    return connection
  }

  mutating func closed() {
    isOpen = false
    handOverAgain()
  }

  /// Pauses after a refusal; what is under way is handed over again later. Returns false if it is
  /// paused already.
  mutating func hold(_ connection: ConnectionID) -> Bool {
    guard isOpen, connection == self.connection, !isHeld else { return false }
    isHeld = true
    return true
  }

  /// Ends a pause. Does nothing if a new connection has ended it already: what is under way there
  /// would be sent twice.
  mutating func resume() {
    guard isHeld else { return }
    isHeld = false
    handOverAgain()
  }

  private mutating func handOverAgain() {
    cursor = 0
    underWay = []
  }

  // MARK: Publications

  /// What can be handed over now; nil while there is no room or connection.
  var request: Request? {
    guard isOpen, !isHeld, underWay.count < limit else { return nil }
    return Request(connection: connection, after: cursor, count: limit - underWay.count)
  }

  /// Selects from what was read those publications that are handed over.
  mutating func handOver(
    _ publications: [StoredPublication], for request: Request
  ) -> [StoredPublication] {
    // A connection ended or a refusal arrived while the storage was read.
    guard request == self.request else { return [] }
    let selected = publications.filter { !done.contains($0.number) }
    underWay.formUnion(selected.map(\.number))
    if let last = publications.last { cursor = last.number }
    return selected
  }

  /// The channel delivered a publication, or it will never be delivered.
  mutating func finished(_ number: UInt64, on connection: ConnectionID) -> Bool {
    guard connection == self.connection, underWay.remove(number) != nil else { return false }
    done.insert(number)
    return true
  }

  /// What is done and can be removed from the storage.
  mutating func takeDone() -> [UInt64] {
    defer { done = [] }
    return done.sorted()
  }

  /// Keeps what could not be removed, for the next time.
  mutating func keepDone(_ numbers: [UInt64]) { done.formUnion(numbers) }

  /// Everything that waits was deleted; answers to it are ignored.
  mutating func deletedAll() {
    connection.rawValue += 1
    underWay = []
    done = []
  }
}
