import Synchronization

/// The state of permission under which elements were made, in eight bytes.
@usableFromInline
package struct DeliveryStamp: BitwiseCopyable, Sendable, Hashable {
  private let bits: UInt64

  /// The stamp of elements that need no permission, such as connection states.
  package static var unrestricted: Self { Self(bits: .max) }

  private init(bits: UInt64) { self.bits = bits }

  /// - Parameter isPrecise: False for locations of reduced accuracy.
  init(generation: UInt64, isPrecise: Bool) { bits = generation << 1 | (isPrecise ? 1 : 0) }

  var generation: UInt64 { bits >> 1 }
  /// The stamp that a location of reduced accuracy would have.
  var coarse: Self { Self(generation: generation, isPrecise: false) }
  /// False for locations of reduced accuracy.
  package var isPrecise: Bool { bits & 1 == 1 }
}

/// Decides whether elements made under an earlier permission may still be read, and counts
/// deliveries and drops.
///
/// Withdrawing permission begins a new generation and raises the floors of the withdrawn elements
/// to it. Elements of earlier generations stay below the floor, even when permission is granted
/// again.
@usableFromInline
package final class DeliveryGate: Sendable {
  private let generation = Atomic<UInt64>(0)
  /// The first generation whose coarse elements may be read.
  private let coarseFloor = Atomic<UInt64>(0)
  /// The first generation whose precise elements may be read; never below the coarse floor.
  private let preciseFloor = Atomic<UInt64>(0)
  private let delivered = Atomic<UInt64>(0)
  private let dropped = Atomic<UInt64>(0)

  package init() {}

  /// The stamp of elements that are made now.
  package func stamp(isPrecise: Bool) -> DeliveryStamp {
    DeliveryStamp(generation: generation.load(ordering: .acquiring), isPrecise: isPrecise)
  }

  /// True when elements with this stamp may be read.
  @inline(__always)
  @usableFromInline
  package func admits(_ stamp: DeliveryStamp) -> Bool {
    let floor =
      stamp.isPrecise
      ? preciseFloor.load(ordering: .acquiring) : coarseFloor.load(ordering: .acquiring)
    return stamp.generation >= floor
  }

  /// Withdraws the elements made so far: all, or only the precise ones. Called before the change of
  /// permission is visible, by one thread at a time.
  package func withdraw(preciseOnly: Bool = false) {
    let next = generation.load(ordering: .relaxed) + 1
    // The floors are raised first: a stamp that is made in between is below them.
    preciseFloor.store(next, ordering: .releasing)
    if !preciseOnly { coarseFloor.store(next, ordering: .releasing) }
    generation.store(next, ordering: .releasing)
  }

  // MARK: Counts

  package var tally: Tally {
    Tally(
      delivered: delivered.load(ordering: .relaxed), dropped: dropped.load(ordering: .relaxed))
  }

  @usableFromInline
  package func count(_ tally: Tally) {
    if tally.delivered > 0 { delivered.add(tally.delivered, ordering: .relaxed) }
    if tally.dropped > 0 { dropped.add(tally.dropped, ordering: .relaxed) }
  }
}

/// The number of elements delivered to subscribers, and the number of those that were dropped
/// unread.
@usableFromInline
package struct Tally: Sendable, Hashable {
  package var delivered: UInt64 = 0
  package var dropped: UInt64 = 0

  package static func += (total: inout Self, part: Self) {
    total.delivered += part.delivered
    total.dropped += part.dropped
  }
}
