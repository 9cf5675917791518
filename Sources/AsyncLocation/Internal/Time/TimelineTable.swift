import Synchronization

/// Identifies a timeline by a small number, so that a location that contains it stays bitwise
/// copyable.
struct TimelineID: Sendable, Hashable, BitwiseCopyable {
  fileprivate let rawValue: UInt32

  /// ``Timeline/continuous``.
  static var continuous: Self { Self(rawValue: 0) }
  /// A timeline that is not in the table.
  static var unknown: Self { Self(rawValue: .max - 1) }
  /// No timeline.
  static var none: Self { Self(rawValue: .max) }
}

/// Maps each ``TimelineID`` to its timeline. Retains the most recently registered timelines and
/// ``Timeline/continuous``.
final class TimelineTable: Sendable {
  static let shared = TimelineTable(capacity: 4_096)

  private struct Slot: Sendable {
    let identifier: TimelineID
    let timeline: Timeline
  }

  private let capacity: Int
  /// Identifiers start at 1. The slot is (identifier − 1) modulo the capacity.
  private let slots = Locked([Slot]())
  /// The last identifier assigned.
  private let last = Atomic<UInt32>(0)

  init(capacity: Int) { self.capacity = capacity }

  /// Returns the identifier of a timeline. A timeline that is not in the table is registered and
  /// may evict the oldest one.
  func identifier(of timeline: Timeline) -> TimelineID {
    if timeline === Timeline.continuous { return .continuous }
    return current(timeline) ?? register(timeline)
  }

  /// Returns the timeline of an identifier; nil if it was evicted.
  func timeline(of identifier: TimelineID) -> Timeline? {
    switch identifier {
    case .continuous: .continuous
    case .unknown, .none: nil
    default:
      slots.withLock { slots in
        let slot = index(identifier)
        guard slot < slots.count, slots[slot].identifier == identifier else { return nil }
        return slots[slot].timeline
      }
    }
  }

  /// The current identifier of a timeline, if it is in the table.
  private func current(_ timeline: Timeline) -> TimelineID? {
    let identifier = timeline.identifier.load(ordering: .relaxed)
    guard identifier > 0, Int(last.load(ordering: .relaxed)) - Int(identifier) < capacity else {
      return nil
    }
    return TimelineID(rawValue: identifier)
  }

  private func register(_ timeline: Timeline) -> TimelineID {
    // The evicted timeline may own a user's clock, so it is freed when no lock is held.
    let (identifier, evicted) = slots.withLock { slots -> (TimelineID, Slot?) in
      if let identifier = current(timeline) { return (identifier, nil) }
      let number = last.load(ordering: .relaxed) + 1
      guard number < TimelineID.unknown.rawValue else { return (.unknown, nil) }
      let slot = Slot(identifier: TimelineID(rawValue: number), timeline: timeline)
      timeline.identifier.store(number, ordering: .relaxed)
      last.store(number, ordering: .relaxed)
      let index = index(slot.identifier)
      guard index < slots.count else {
        slots.append(slot)
        return (slot.identifier, nil)
      }
      let evicted = slots[index]
      slots[index] = slot
      return (slot.identifier, evicted)
    }
    withExtendedLifetime(evicted) {}
    return identifier
  }

  private func index(_ identifier: TimelineID) -> Int { Int(identifier.rawValue - 1) % capacity }
}

/// The time at which a report reached its manager, on that manager's monotonic clock.
struct Arrival: Sendable, BitwiseCopyable {
  /// The duration since the timeline's origin.
  let instant: Duration
  /// The timeline that ``instant`` was read from. Never ``TimelineID/none``.
  let timeline: TimelineID

  init(instant: Duration, timeline: TimelineID) {
    (self.instant, self.timeline) = (instant, timeline)
  }

  init(timeline: Timeline, instant: Duration) {
    self.init(instant: instant, timeline: TimelineTable.shared.identifier(of: timeline))
  }

  /// Nil when the clock is no longer in the table.
  var age: Duration? { TimelineTable.shared.timeline(of: timeline).map { $0.now() - instant } }
}
