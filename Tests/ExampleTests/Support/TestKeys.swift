import Synchronization

@testable import async_location_example

/// Keys that a test presses.
final class TestKeys: KeySource {
  let keys: AsyncStream<Key>
  private let pressed: AsyncStream<Key>.Continuation
  private let taken = Atomic(false)

  init() { (keys, pressed) = AsyncStream.makeStream() }

  var isTaken: Bool { taken.load(ordering: .sequentiallyConsistent) }

  func take() { taken.store(true, ordering: .sequentiallyConsistent) }

  func release() { taken.store(false, ordering: .sequentiallyConsistent) }

  func press(_ key: Key) { pressed.yield(key) }
}
