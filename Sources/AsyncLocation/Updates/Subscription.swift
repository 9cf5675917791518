/// A subscriber's place. Dropping the last reference leaves it.
final class Subscription<Element: Sendable>: Sendable {
  let channel: Channel<Element>
  private let leave: @Sendable () -> Void

  init(_ channel: Channel<Element>, leave: @escaping @Sendable () -> Void) {
    self.channel = channel
    self.leave = leave
  }

  deinit { leave() }

  /// The next element; nil at the end. A cancelled task leaves at once.
  func next() async throws(LocationError) -> Element? {
    if let element = try await channel.next() { return element }
    leave()
    return nil
  }

  func next(
    into batch: inout RingBuffer<Element>, isolation: isolated (any Actor)?
  ) async throws(LocationError) -> Bool {
    if try await channel.next(into: &batch, isolation: isolation) { return true }
    leave()
    return false
  }

  // MARK: As the library's streams, which look themselves whether their task is cancelled

  func throwingStream() -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream {
      if let element = self.channel.take() { return element }
      return try await self.next()
    }
  }

  func stream() -> AsyncStream<Element> {
    AsyncStream {
      if let element = self.channel.take() { return element }
      return try? await self.next()
    }
  }
}
