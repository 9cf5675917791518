/// A subscriber's place. Dropping the last reference leaves it, and so do the end of the channel and
/// cancellation: a stream that is over holds nothing but itself.
@usableFromInline
final class Subscription<Element: Sendable>: Sendable {
  let channel: BoundedChannel<Element>
  /// Leaves, and keeps alive what is to stay open until then; nil once called.
  private let departure: Locked<(@Sendable () -> Void)?>

  /// - Parameter leave: Called once, with no lock held, and then freed.
  init(_ channel: BoundedChannel<Element>, leave: @escaping @Sendable () -> Void) {
    self.channel = channel
    departure = Locked(leave)
  }

  deinit { leave() }

  /// How many elements were delivered and never read.
  var dropped: Int { Int(clamping: channel.dropped) }

  private func leave() {
    let departure = departure.withLock { $0.take() }
    departure?()
  }

  /// The next element; nil at the end. A cancelled task leaves at once.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Element? {
    do throws(LocationError) {
      if let element = try await channel.next(isolation: isolation) { return element }
    } catch {
      leave()
      throw error
    }
    leave()
    return nil
  }

  /// All elements that wait, as ``next(isolation:)``.
  func nextBatch(
    isolation: isolated (any Actor)?
  ) async throws(LocationError) -> ArraySlice<Element>? {
    do throws(LocationError) {
      if let batch = try await channel.nextBatch(isolation: isolation) { return batch }
    } catch {
      leave()
      throw error
    }
    leave()
    return nil
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
