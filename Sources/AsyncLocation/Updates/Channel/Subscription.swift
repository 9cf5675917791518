/// A subscriber's registration. It ends when the last reference is released, when the channel ends,
/// and when the consuming task is cancelled. An ended subscription retains only its channel.
@usableFromInline
package final class Subscription<Element: Sendable>: Sendable {
  @usableFromInline package let channel: BoundedChannel<Element>
  /// Unsubscribes. Until it is called, it retains the objects that must stay open; then it is nil.
  private let unsubscribe: Locked<(@Sendable () -> Void)?>
  /// Observes the subscription for a test kit.
  private let probe: StreamProbe?
  /// Called each time before a consumer waits.
  private let beforeWaiting: (@Sendable () -> Void)?

  /// - Parameters:
  ///   - beforeWaiting: Called each time before a consumer waits, with no lock held.
  ///   - leave: Called once, with no lock held, and then released.
  package convenience init(
    _ channel: BoundedChannel<Element>, beforeWaiting: (@Sendable () -> Void)? = nil,
    leave: @escaping @Sendable () -> Void
  ) {
    self.init(channel, nil, beforeWaiting: beforeWaiting, leave: leave)
  }

  init(
    _ channel: BoundedChannel<Element>, _ probe: StreamProbe?,
    beforeWaiting: (@Sendable () -> Void)? = nil, leave: @escaping @Sendable () -> Void
  ) {
    self.channel = channel
    self.probe = probe
    self.beforeWaiting = beforeWaiting
    unsubscribe = Locked(leave)
  }

  /// Creates a subscription that was refused: its channel ends with an error.
  convenience init(
    refusing channel: BoundedChannel<Element>, _ probe: StreamProbe? = nil,
    with error: LocationError
  ) {
    var wakes = Wakes()
    channel.finish(error, waking: &wakes)
    wakes.perform()
    self.init(channel, probe) {}
  }

  deinit {
    leave()
    probe?.close()
  }

  /// The number of elements that were delivered and never read.
  package var dropped: Int { Int(clamping: channel.dropped) }

  /// Unsubscribes. A second call does nothing.
  func leave() {
    let unsubscribe = unsubscribe.withLock { $0.take() }
    unsubscribe?()
    probe?.ends()
  }

  /// The next element; nil at the end. Unsubscribes immediately if the task is cancelled.
  func next(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Element? {
    repeat {
      if !Task.isCancelled, let element = channel.take() { return element }
    } while try await waitForMore(isolation: isolation)
    return nil
  }

  /// The next element with the permission under which it was made; otherwise like
  /// ``next(isolation:)``.
  func nextStamped(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> (element: Element, stamp: DeliveryStamp)? {
    repeat {
      if !Task.isCancelled, let stamped = channel.takeStamped() { return stamped }
    } while try await waitForMore(isolation: isolation)
    return nil
  }

  /// All buffered elements that were made under one permission; otherwise like
  /// ``next(isolation:)``.
  package func nextBatch(
    isolation: isolated (any Actor)?
  ) async throws(LocationError) -> (elements: ArraySlice<Element>, stamp: DeliveryStamp)? {
    repeat {
      if !Task.isCancelled, let batch = channel.takeAll() { return batch }
    } while try await waitForMore(isolation: isolation)
    return nil
  }

  /// Waits until there may be an element. At the end, and when the task is cancelled, it
  /// unsubscribes and returns false or throws the channel's error.
  @usableFromInline
  package func waitForMore(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(LocationError) -> Bool {
    beforeWaiting?()
    do throws(LocationError) {
      if try await channel.waitForMore(isolation: isolation) { return true }
    } catch {
      leave()
      probe?.didReadEnd()
      throw error
    }
    leave()
    probe?.didReadEnd()
    return false
  }

  // MARK: Standard library streams. They do not use `next()`, which adds a call per element.

  func throwingStream() -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream {
      repeat {
        if !Task.isCancelled, let element = self.channel.take() { return element }
      } while try await self.waitForMore()
      return nil
    }
  }

  package func stream() -> AsyncStream<Element> {
    AsyncStream {
      repeat {
        if !Task.isCancelled, let element = self.channel.take() { return element }
      } while (try? await self.waitForMore()) == true
      return nil
    }
  }
}
