/// Stores the changes of a monitor in order, and keeps monitoring independent of the storage.
///
/// Changes that arrive while others are being stored are stored together. After a failure nothing
/// is stored until everything is replaced, which is tried again after ``retryInterval``.
struct MonitorJournal: Sendable {
  /// What to store next.
  enum Write: Sendable, Hashable {
    case commit
    /// Replace everything that is stored.
    case replace
    /// Store nothing: the storage failed a short time ago.
    case skip
  }

  static let retryInterval = Duration.seconds(30)

  /// Why the storage does not work; nil while it does.
  private(set) var problem: LocationError?
  /// When a storage that failed is tried again.
  private(set) var retry: Duration?
  /// True when what is stored must not stay.
  private var isStale = false
  /// True when what is left of earlier contents must not stay.
  private(set) var mustDeleteRemains = false

  /// Whether there is something to do now, although nothing changes.
  func isDue(at instant: Duration) -> Bool {
    retry.map { instant >= $0 } ?? (isStale || mustDeleteRemains)
  }

  mutating func write(at instant: Duration) -> Write {
    if let retry {
      guard instant >= retry else { return .skip }
    } else if !isStale {
      return .commit
    }
    // The next write replaces what becomes stale during this one.
    isStale = false
    return .replace
  }

  /// Replaces everything with the next write; after a failure, that is the one that is tried again.
  mutating func replaceNext() { isStale = true }

  /// Deletes what is left of earlier contents after the next write, or the one that is tried again.
  mutating func deleteRemainsNext() { mustDeleteRemains = true }

  mutating func deletedRemains() { mustDeleteRemains = false }

  mutating func succeeded() { (problem, retry) = (nil, nil) }

  mutating func failed(_ error: LocationError, at instant: Duration) {
    problem = error
    retry = instant.addingSaturated(Self.retryInterval)
  }

  /// Lets a storage that failed be tried now.
  mutating func retryNow() { if retry != nil { retry = Duration(attoseconds: .min) } }
}
