import Synchronization

@testable import async_location_example

/// Keys that a test presses.
final class TestKeys: KeySource {
  let keys: AsyncStream<Key>
  private let pressed: AsyncStream<Key>.Continuation
  private let acquired = Atomic(false)

  init() { (keys, pressed) = AsyncStream.makeStream() }

  var isAcquired: Bool { acquired.load(ordering: .sequentiallyConsistent) }

  func acquire() { acquired.store(true, ordering: .sequentiallyConsistent) }

  func release() { acquired.store(false, ordering: .sequentiallyConsistent) }

  func press(_ key: Key) { pressed.yield(key) }
}
