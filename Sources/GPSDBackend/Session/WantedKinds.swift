import AsyncLocation
import Synchronization

/// The kinds of report that somebody has asked a backend for, so that no other is made.
///
/// They only grow: a change of demand does not say which of several runs it is for, and to tell more
/// than was asked harms nobody.
final class WantedKinds: Sendable {
  private let bits: Atomic<UInt32>

  init(_ kinds: BackendCapabilities = []) { bits = Atomic(kinds.rawValue) }

  var current: BackendCapabilities { BackendCapabilities(rawValue: bits.load(ordering: .relaxed)) }

  func add(_ demand: BackendDemand) { bits.bitwiseOr(demand.kinds.rawValue, ordering: .relaxed) }
}
