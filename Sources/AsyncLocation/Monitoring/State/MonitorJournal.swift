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
  private var retry: Duration?
  /// True when what is stored must not stay.
  private(set) var mustReplace = false

  func write(at instant: Duration) -> Write {
    guard let retry else { return mustReplace ? .replace : .commit }
    return instant >= retry ? .replace : .skip
  }

  /// Replaces everything with the next write; after a failure, that is the one that is tried again.
  mutating func replaceNext() { mustReplace = retry == nil }

  mutating func succeeded() {
    problem = nil
    retry = nil
    mustReplace = false
  }

  mutating func failed(_ error: LocationError, at instant: Duration) {
    problem = error
    mustReplace = false  // The retry replaces everything.
    retry = instant.addingSaturated(Self.retryInterval)
  }
}
