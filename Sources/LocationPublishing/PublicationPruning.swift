import AsyncLocation
package import FoundationEssentials

/// Decides which of the oldest publications are dropped. Performs no I/O.
package struct PublicationPruning {
  private let limits: PublicationLimits
  /// Publications that were made before are too old.
  private let oldestDate: Date
  /// How much waits after the drops so far.
  package private(set) var backlog: PublicationBacklog
  /// The removals of retained messages in it, which take no place of others.
  package private(set) var removals: PublicationBacklog
  package private(set) var dropped = PublicationChange.Dropped()

  /// - Parameters:
  ///   - backlog: How much waits before the append.
  ///   - removals: The removals in it.
  ///   - newest: The date of the newest publication that is appended; nil for none, and then none is
  ///     too old.
  ///   - now: The system's date.
  package init(
    _ backlog: PublicationBacklog, removals: PublicationBacklog, limits: PublicationLimits,
    newest: Date?, now: Date
  ) {
    (self.backlog, self.removals) = (backlog, removals)
    self.limits = limits
    let age = ExactSeconds.number(max(limits.age, .zero))
    oldestDate = newest.map { min($0, now) - age } ?? .distantPast
  }

  /// Takes a publication that is appended. Returns false if it is dropped at once.
  package mutating func append(_ publication: PendingPublication) -> Bool {
    let bytes = publication.byteCount
    guard bytes <= limits.bytes || publication.isRemoval else {
      dropped.bytes += 1
      return false
    }
    backlog.add(bytes)
    if publication.isRemoval { removals.add(bytes) }
    return true
  }

  /// Takes the oldest publication of all that were appended and are no removals. Returns false if it
  /// stays; then all others stay, too.
  package mutating func drop(date: Date, bytes: Int) -> Bool {
    if limits.age <= .zero || date < oldestDate {
      dropped.age += 1
    } else if backlog.count - removals.count > limits.count {
      dropped.count += 1
    } else if backlog.bytes - removals.bytes > limits.bytes {
      dropped.bytes += 1
    } else {
      return false
    }
    backlog.remove(bytes)
    return true
  }
}
