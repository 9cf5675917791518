/// Stores the changes of a monitor in order, and keeps monitoring independent of the storage.
///
/// Changes that arrive while others are being stored are stored together. After a failure nothing
/// is stored until everything is replaced, which is tried again after ``retryInterval``.
struct MonitorJournal: Sendable {
  /// The next write to the storage.
  enum Write: Sendable, Hashable {
    case commit(thenDeletingRemains: Bool)
    /// Replace everything that is stored.
    case replace(thenDeletingRemains: Bool)
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
  private var withdrawal = Withdrawal.none
  /// The last number of an event at the last withdrawal.
  private var withdrawnNumber: UInt64 = 0

  /// A withdrawal of permission for what is stored, or for what is left of earlier contents.
  private enum Withdrawal: Sendable, Hashable {
    case none
    /// The storage does not know of it.
    case new
    /// The storage was notified. The remains are not deleted yet.
    case told(at: Duration)
  }

  /// Whether there is something to do now, although nothing changes.
  func isDue(at instant: Duration) -> Bool {
    withdrawal == .new || retry.map { instant >= $0 } ?? (isStale || withdrawal != .none)
  }

  /// Permission was withdrawn.
  ///
  /// - Parameters:
  ///   - isStored: Whether the stored content reveals a place. It is replaced with the next write;
  ///     after a failure, with the one that is tried again. In any case, what is left of earlier
  ///     contents is deleted after that write.
  ///   - number: The last number of an event that was made before.
  mutating func withdraw(isStored: Bool, through number: UInt64) {
    if isStored { isStale = true }
    (withdrawal, withdrawnNumber) = (.new, max(withdrawnNumber, number))
  }

  /// The withdrawal to report to the storage before the next write, as the last number of an event
  /// that it covers: once, also while nothing is written, and again before a write that is tried
  /// again.
  mutating func withdrawalToTell(at instant: Duration) -> UInt64? {
    switch withdrawal {
    case .none: return nil
    case .new: break
    case .told(let earlier):
      guard let retry, instant >= retry, instant > earlier else { return nil }
    }
    withdrawal = .told(at: instant)
    return withdrawnNumber
  }

  mutating func write(at instant: Duration) -> Write {
    let isWithdrawn = withdrawal != .none
    if let retry {
      guard instant >= retry else { return .skip }
    } else if !isStale {
      withdrawal = .none
      return .commit(thenDeletingRemains: isWithdrawn)
    }
    // The next write replaces what becomes stale during this one.
    (isStale, withdrawal) = (false, .none)
    return .replace(thenDeletingRemains: isWithdrawn)
  }

  mutating func succeeded() { (problem, retry) = (nil, nil) }

  /// - Parameter keepingRemains: Whether what is left of earlier contents should have been deleted.
  mutating func failed(_ error: LocationError, at instant: Duration, keepingRemains: Bool) {
    problem = error
    retry = instant.addingSaturated(Self.retryInterval)
    if keepingRemains, withdrawal == .none { withdrawal = .told(at: instant) }
  }

  /// Lets a storage that failed be tried now.
  mutating func retryNow() { if retry != nil { retry = Duration(attoseconds: .min) } }
}
