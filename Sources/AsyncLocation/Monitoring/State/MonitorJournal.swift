/// Decides the writes to a monitor's storage. Monitoring continues while the storage fails.
///
/// Changes that arrive while others are being stored are stored together. After a failure, nothing
/// is stored until the whole content is replaced, which is attempted after ``retryInterval``.
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

  /// The error of the storage; nil while the storage works.
  private(set) var problem: LocationError?
  /// The time of the next attempt after a failure; nil while the storage works.
  private(set) var retry: Duration?
  /// True when the stored content must be replaced.
  private var isStale = false
  private var withdrawal = Withdrawal.none
  /// The number of the last event before the last withdrawal.
  private var withdrawnNumber: UInt64 = 0

  /// A withdrawal of permission for the stored content, or for remains of earlier contents.
  private enum Withdrawal: Sendable, Hashable {
    case none
    /// The storage was not notified yet.
    case new
    /// The storage was notified. The remains are not deleted yet.
    case notified(at: Duration)
  }

  /// Whether a write or a notification is due even without changes.
  func isDue(at instant: Duration) -> Bool {
    withdrawal == .new || retry.map { instant >= $0 } ?? (isStale || withdrawal != .none)
  }

  /// Records a withdrawal of permission.
  ///
  /// - Parameters:
  ///   - isStored: Whether the stored content reveals a place. If so, the next write replaces the
  ///     content; after a failure, the next retry does. Regardless of this value, the remains of
  ///     earlier contents are deleted after that write.
  ///   - number: The number of the last event before the withdrawal.
  mutating func withdraw(isStored: Bool, through number: UInt64) {
    if isStored { isStale = true }
    (withdrawal, withdrawnNumber) = (.new, max(withdrawnNumber, number))
  }

  /// Returns the withdrawal to report to the storage before the next write, as the number of the
  /// last event that it covers. It is reported once, even if nothing is written, and again before
  /// each retry of a failed write.
  mutating func withdrawalToReport(at instant: Duration) -> UInt64? {
    switch withdrawal {
    case .none: return nil
    case .new: break
    case .notified(let earlier):
      guard let retry, instant >= retry, instant > earlier else { return nil }
    }
    withdrawal = .notified(at: instant)
    return withdrawnNumber
  }

  /// Returns the write to perform now. The caller reports its result with ``succeeded()`` or
  /// ``failed(_:at:keepingRemains:)``.
  mutating func write(at instant: Duration) -> Write {
    let isWithdrawn = withdrawal != .none
    if let retry {
      guard instant >= retry else { return .skip }
    } else if !isStale {
      withdrawal = .none
      return .commit(thenDeletingRemains: isWithdrawn)
    }
    // Content that becomes stale during this write is replaced by the next one.
    (isStale, withdrawal) = (false, .none)
    return .replace(thenDeletingRemains: isWithdrawn)
  }

  /// Records that a write succeeded.
  mutating func succeeded() { (problem, retry) = (nil, nil) }

  /// Records that a write failed.
  ///
  /// - Parameter keepingRemains: Whether the write was to delete the remains of earlier contents,
  ///   which then still exist.
  mutating func failed(_ error: LocationError, at instant: Duration, keepingRemains: Bool) {
    problem = error
    retry = instant.addingSaturated(Self.retryInterval)
    if keepingRemains, withdrawal == .none { withdrawal = .notified(at: instant) }
  }

  /// If the storage has failed, makes the next attempt due now.
  mutating func retryNow() { if retry != nil { retry = Duration(attoseconds: .min) } }
}
