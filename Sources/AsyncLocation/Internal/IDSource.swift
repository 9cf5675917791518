import Synchronization

/// Numbers that this process hands out once.
final class IDSource: Sendable {
  private let last = Atomic<UInt64>(0)

  func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
