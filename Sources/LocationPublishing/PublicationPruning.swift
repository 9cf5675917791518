import AsyncLocation
package import FoundationEssentials

/// Decides which of the oldest publications are dropped. Performs no I/O.
package struct PublicationPruning {
  private let limits: PublicationLimits
  /// Publications with an earlier date are too old.
  private let oldestDate: Date
  /// The backlog after the drops so far.
  package private(set) var backlog: PublicationBacklog
  /// The removals of retained messages in the backlog, which do not count toward the limits.
  package private(set) var removals: PublicationBacklog
  package private(set) var dropped = PublicationChange.Dropped()

  /// - Parameters:
  ///   - backlog: The backlog before the append.
  ///   - removals: The removals in the backlog.
  ///   - newest: The date of the newest appended publication; nil if none is appended. Then no
  ///     publication is too old, unless the age limit is zero or less.
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

  /// Adds an appended publication to the backlog. Returns false if it is dropped immediately.
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

  /// Decides whether to drop the oldest publication that is not a removal of a retained message.
  /// Returns false if it remains; then all later ones remain, too.
  ///
  /// - Parameters:
  ///   - date: The publication's date.
  ///   - bytes: Its ``PendingPublication/byteCount``.
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
