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
    repeat {
      if !Task.isCancelled, let element = channel.take() { return element }
    } while try await waitForMore(isolation: isolation)
    return nil
  }

  /// All elements that wait, as ``next(isolation:)``.
  func nextBatch(
    isolation: isolated (any Actor)?
  ) async throws(LocationError) -> ArraySlice<Element>? {
    repeat {
      if !Task.isCancelled, let batch = channel.takeAll() { return batch }
    } while try await waitForMore(isolation: isolation)
    return nil
  }

  /// Waits until there may be an element. False at the end, where it leaves.
  func waitForMore(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Bool {
    do throws(LocationError) {
      if try await channel.waitForMore(isolation: isolation) { return true }
    } catch {
      leave()
      throw error
    }
    leave()
    return false
  }

  // MARK: As the library's streams. Not by `next()`, a call for each element.

  func throwingStream() -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream {
      repeat {
        if !Task.isCancelled, let element = self.channel.take() { return element }
      } while try await self.waitForMore()
      return nil
    }
  }

  func stream() -> AsyncStream<Element> {
    AsyncStream {
      repeat {
        if !Task.isCancelled, let element = self.channel.take() { return element }
      } while (try? await self.waitForMore()) == true
      return nil
    }
  }
}
