import AsyncLocation
import Synchronization

/// The kinds of events that were requested from a backend. Headings and satellite views are
/// produced only if they were requested; locations always.
///
/// The set only grows. A change of demand does not identify which of several runs it is for, and
/// producing more kinds than requested is harmless.
final class WantedKinds: Sendable {
  private let bits: Atomic<UInt32>

  init(_ kinds: BackendCapabilities = []) { bits = Atomic(kinds.rawValue) }

  var current: BackendCapabilities { BackendCapabilities(rawValue: bits.load(ordering: .relaxed)) }

  func add(_ demand: BackendDemand) { bits.bitwiseOr(demand.kinds.rawValue, ordering: .relaxed) }
}
