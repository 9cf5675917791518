import Synchronization

/// Generates identifiers that are unique in this process.
package final class IDSource: Sendable {
  private let last = Atomic<UInt64>(0)

  package init() {}

  package func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
