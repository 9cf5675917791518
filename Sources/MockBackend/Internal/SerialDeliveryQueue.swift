import AsyncLocation

/// Hands messages to one receiver, in order and one at a time, on the thread of a sender.
///
/// What is sent while nobody receives waits. What is sent while another thread hands over is handed
/// over by that thread.
final class SerialDeliveryQueue<Message: Sendable>: Sendable {
  /// Takes a message; false ends the attachment, and what follows waits for the next one.
  typealias Receiver = @Sendable (Message) -> Bool

  private struct State {
    var queue = MessageQueue<Message>()
    var receiver: Receiver?
    var isHandingOver = false
    var idle: Promise<Void>?
  }

  private let state = Locked(State())

  var waitingCount: Int { state.withLock { $0.queue.count } }

  /// Puts a message in line; ``deliver()`` hands it over. Runs no foreign code.
  ///
  /// - Returns: False when `limit` messages wait already, and this one is refused.
  func enqueue(_ message: Message, limit: Int = .max) -> Bool {
    state.withLock { state in
      guard state.queue.count < limit else { return false }
      state.queue.append(message)
      return true
    }
  }

  /// Hands over what waits, unless another thread is at it.
  func deliver() {
    var isOurs = false
    while let (message, receiver) = next(&isOurs) {
      if !receiver(message) { state.withLock { $0.receiver = nil } }
    }
  }

  func attach(_ receiver: @escaping Receiver) {
    state.withLock { $0.receiver = receiver }
    deliver()
  }

  /// Returns when the receiver is not being called and will not be any more.
  func detach() async {
    let idle = state.withLock { state -> Promise<Void>? in
      state.receiver = nil
      guard state.isHandingOver else { return nil }
      let idle = state.idle ?? Promise()
      state.idle = idle
      return idle
    }
    await idle?.valueDespiteCancellation()
  }

  private func next(_ isOurs: inout Bool) -> (Message, Receiver)? {
    let wasOurs = isOurs
    let (work, idle) = state.withLock { state -> ((Message, Receiver)?, Promise<Void>?) in
      guard wasOurs || !state.isHandingOver else { return (nil, nil) }
      if let receiver = state.receiver, let message = state.queue.popFirst() {
        state.isHandingOver = true
        return ((message, receiver), nil)
      }
      state.isHandingOver = false
      defer { state.idle = nil }
      return (nil, state.idle)
    }
    isOurs = work != nil
    idle?.fulfill(())
    return work
  }
}

/// First in, first out, in constant time.
struct MessageQueue<Message> {
  private var messages: [Message?] = []
  private var head = 0

  var count: Int { messages.count - head }

  mutating func append(_ message: Message) { messages.append(message) }

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
