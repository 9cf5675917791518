import Synchronization

/// Generates identifiers: ascending numbers from 1, each of which the source returns once.
package final class IDSource: Sendable {
  private let last = Atomic<UInt64>(0)

  package init() {}

  package func next() -> UInt64 { last.add(1, ordering: .relaxed).newValue }
}
