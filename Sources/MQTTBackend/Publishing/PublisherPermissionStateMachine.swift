import AsyncLocation

/// Decides which content a publisher may store and send, and which content must be deleted first.
/// Pure.
///
/// Reduced accuracy applies to new content immediately. Reduced content is sent once all more
/// accurate content is deleted.
struct PublisherPermissionStateMachine: Sendable, Hashable {
  /// The last granted permission, which may have been withdrawn since.
  private enum Grant: Sendable, Hashable {
    case none
    case full
    /// - Parameter isConfirmed: Whether all more accurate content is deleted.
    case reduced(isConfirmed: Bool)
  }

  private var grant = Grant.none
  /// Whether changes of the manager's permission are being handled.
  private var isFollowing = false
  /// The handled withdrawals: the content that they affect is deleted, or is being deleted.
  private(set) var handled = Withdrawals()
  /// The highest accuracy of the content stored since everything was last deleted; nil if nothing
  /// was stored. The content may be pending, or the broker may retain it.
  private(set) var storedAccuracy: AccuracyAuthorization?
  /// Incremented when the deletion of all pending content begins.
  private(set) var generation: UInt64 = 0
  /// Whether a deletion is due, or began and has not succeeded. Nothing is sent meanwhile.
  private(set) var isDeleting = false
  /// Whether a withdrawal ended the manager's locations. Permission may have been granted again
  /// since.
  private(set) var hasEndedLocations = false

  var wasGranted: Bool { grant != .none }
  /// Whether content that is stored now must be reduced.
  var isReduced: Bool { if case .reduced = grant { true } else { false } }
  /// Whether reduced content may be sent.
  var sendsReduced: Bool { grant == .reduced(isConfirmed: true) }
  var accuracy: AccuracyAuthorization { isReduced ? .reduced : .full }
  /// Whether content of an earlier permission may be pending, or retained by the broker.
  var needsDeletion: Bool { isDeleting || storedAccuracy != nil }

  // MARK: Decisions

  /// Whether permission covers content that was made under it, also after a one-time permission has
  /// lapsed.
  func covers(_ inForce: PermissionInForce) -> Bool {
    inForce.authorization.isAuthorized
      || wasGranted && inForce.authorization.status == .notDetermined
        && inForce.withdrawals == handled
  }

  /// Whether content may be sent: permission covers it, and content of an earlier permission is
  /// deleted.
  func allows(_ inForce: PermissionInForce) -> Bool {
    guard covers(inForce), inForce.withdrawals == handled, !isDeleting else { return false }
    let isReduced =
      inForce.authorization.isAuthorized
      ? inForce.authorization.accuracy == .reduced : self.isReduced
    return isReduced ? sendsReduced : !self.isReduced
  }

  /// Whether the machine is up to date with the permission in force, so that content stored now is
  /// neither deleted together with earlier content nor rejected.
  func follows(_ inForce: PermissionInForce) -> Bool {
    !isFollowing || !covers(inForce) || allows(inForce)
  }

  /// Whether permission is refused, rather than lapsed or not requested yet.
  func isRefused(_ inForce: PermissionInForce) -> Bool {
    guard !inForce.authorization.isAuthorized else { return false }
    return inForce.authorization.status == .notDetermined ? wasGranted && !covers(inForce) : true
  }

  // MARK: Events

  /// Handles the start of a run with a storage.
  ///
  /// - Parameters:
  ///   - storedAccuracy: The highest accuracy of the storage's content; nil if it has none.
  ///   - handled: The withdrawals that the last run with the storage has handled.
  mutating func begin(storedAccuracy: AccuracyAuthorization?, handled: Withdrawals) {
    (self.storedAccuracy, self.handled, isFollowing) = (storedAccuracy, handled, true)
  }

  /// Ends the handling of changes of permission.
  mutating func stopFollowing() { isFollowing = false }

  /// Records that content of the current accuracy is being stored.
  mutating func recordStoring() { storedAccuracy = accuracy.raised(to: storedAccuracy) }

  /// Handles granted permission. Returns whether content stored before must be deleted.
  mutating func granted(isReduced: Bool, after withdrawals: Withdrawals) -> Bool {
    let wasReduced = self.isReduced
    let earlier = exchange(&handled, with: withdrawals)
    if !isReduced {
      grant = .full
    } else if !wasReduced {
      grant = .reduced(isConfirmed: false)
    }
    let mustDelete =
      switch storedAccuracy {
      case .full: isReduced || !withdrawals.cover(isPrecise: true, since: earlier)
      case .reduced: !withdrawals.cover(isPrecise: false, since: earlier)
      // An earlier run may have used another storage.
      case nil: isReduced && !wasReduced
      }
    if mustDelete { isDeleting = true }
    return mustDelete
  }

  /// Records that all content that the last permission does not cover is deleted.
  mutating func confirmed() {
    if isReduced { grant = .reduced(isConfirmed: true) }
  }

  /// Records that a withdrawal ended the manager's locations, or was detected otherwise.
  mutating func endedLocations() { hasEndedLocations = true }

  /// Begins the deletion of everything that is pending. Returns the generation of content stored
  /// afterwards.
  mutating func beginDeletion() -> UInt64 {
    generation += 1
    (isDeleting, storedAccuracy) = (true, nil)
    return generation
  }

  /// Ends the deletion, which has succeeded.
  mutating func endDeletion() { isDeleting = false }
}
