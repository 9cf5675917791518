import AsyncLocation

/// Delivers messages to one receiver, in order and one at a time, on the thread of a sender.
///
/// Messages are buffered while no receiver is attached. A message that is sent while another thread
/// delivers is delivered by that thread.
final class SerialDeliveryQueue<Message: Sendable>: Sendable {
  /// Receives a message. Returning false detaches the receiver; later messages wait for the next
  /// receiver.
  typealias Receiver = @Sendable (Message) -> Bool

  private struct State {
    var queue = MessageQueue<Message>()
    var receiver: Receiver?
    /// Whether a call of ``deliver()`` delivers messages.
    var isDelivering = false
    /// Fulfilled when no message is being delivered; nil if no call waits for that.
    var idle: Promise<Void>?
  }

  private let state = Locked(State())
  /// Counts deliveries as work in progress; nil to count none.
  private let activity: ActivityLedger?

  init(activity: ActivityLedger? = nil) { self.activity = activity }

  var waitingCount: Int { state.withLock { $0.queue.count } }

  /// Enqueues a message for ``deliver()``. Does not call the receiver.
  ///
  /// - Returns: False when `limit` messages already wait; the message is then not enqueued.
  func enqueue(_ message: Message, limit: Int = .max) -> Bool {
    state.withLock { state in
      guard state.queue.count < limit else { return false }
      state.queue.append(message)
      return true
    }
  }

  /// Inserts messages before the waiting ones.
  func prepend(_ messages: [Message]) { state.withLock { $0.queue.prepend(messages) } }

  /// Delivers the waiting messages. If a delivery is in progress, that one delivers them.
  func deliver() {
    var isDeliverer = false
    while let (message, receiver) = next(&isDeliverer) {
      if !receiver(message) { state.withLock { $0.receiver = nil } }
    }
  }

  /// Sets the receiver and delivers the waiting messages.
  func attach(_ receiver: @escaping Receiver) {
    state.withLock { $0.receiver = receiver }
    deliver()
  }

  /// Removes the receiver; returns when none of its calls is in progress.
  func detach() async {
    let idle = state.withLock { state -> Promise<Void>? in
      state.receiver = nil
      guard state.isDelivering else { return nil }
      let idle = state.idle ?? Promise()
      state.idle = idle
      return idle
    }
    await idle?.valueDespiteCancellation()
  }

  /// Returns the next message to deliver, and its receiver; nil if there is none, or if another
  /// call of ``deliver()`` delivers the messages.
  ///
  /// - Parameter isDeliverer: Whether the calling ``deliver()`` is the one that delivers messages.
  private func next(_ isDeliverer: inout Bool) -> (Message, Receiver)? {
    let wasDeliverer = isDeliverer
    let (work, idle) = state.withLock { state -> ((Message, Receiver)?, Promise<Void>?) in
      guard wasDeliverer || !state.isDelivering else { return (nil, nil) }
      if let receiver = state.receiver, let message = state.queue.popFirst() {
        if !wasDeliverer { activity?.begin() }
        state.isDelivering = true
        return ((message, receiver), nil)
      }
      state.isDelivering = false
      defer { state.idle = nil }
      return (nil, state.idle)
    }
    isDeliverer = work != nil
    if wasDeliverer, !isDeliverer { activity?.end() }
    idle?.fulfill(())
    return work
  }
}

/// A first-in, first-out queue with amortized constant-time operations.
struct MessageQueue<Message> {
  private var messages: [Message?] = []
  private var head = 0

  var count: Int { messages.count - head }

  mutating func append(_ message: Message) { messages.append(message) }

  mutating func prepend(_ earlier: [Message]) {
    messages.replaceSubrange(..<head, with: earlier.map(Optional.some))
    head = 0
  }

  mutating func popFirst() -> Message? {
    guard head < messages.count else { return nil }
    defer {
      messages[head] = nil
      head += 1
      if head * 2 > messages.count {
        messages.removeFirst(head)
        head = 0
      }
    }
    return messages[head]
  }
}
