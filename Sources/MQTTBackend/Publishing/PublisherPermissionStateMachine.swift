import AsyncLocation

/// Decides what a publisher may store and send, and what must be deleted before. Pure.
///
/// Reduced accuracy is in force for what is stored at once, for what is sent when all that is more
/// accurate is deleted.
struct PublisherPermissionStateMachine: Sendable, Hashable {
  /// The last permission that was granted, though it may be withdrawn.
  private enum Grant: Sendable, Hashable {
    case none
    case full
    /// - Parameter isConfirmed: Whether all that is more accurate is deleted.
    case reduced(isConfirmed: Bool)
  }

  private var grant = Grant.none
  /// Whether changes of the manager's permission are handled here.
  private var isFollowing = false
  /// The withdrawals whose content is deleted, or is being deleted.
  private(set) var handled = Withdrawals()
  /// The highest accuracy of what was stored since everything was deleted; nil if nothing was. It may
  /// wait, or the broker may keep it.
  private(set) var storedAccuracy: AccuracyAuthorization?
  /// Incremented when what waits is deleted.
  private(set) var generation: UInt64 = 0
  /// Whether a deletion is due, or began and has not succeeded. Nothing leaves meanwhile.
  private(set) var isDeleting = false
  /// Whether a withdrawal ended the manager's locations. Permission may be there again.
  private(set) var hasEndedLocations = false

  var wasGranted: Bool { grant != .none }
  /// Whether what is stored now must be reduced.
  var isReduced: Bool { if case .reduced = grant { true } else { false } }
  /// Whether what is reduced may leave.
  var sendsReduced: Bool { grant == .reduced(isConfirmed: true) }
  var accuracy: AccuracyAuthorization { isReduced ? .reduced : .full }
  /// Whether something of an earlier permission may wait, or be with the broker.
  var needsDeletion: Bool { isDeleting || storedAccuracy != nil }

  // MARK: Decisions

  /// Whether permission covers what was made with it, also after permission for once has lapsed.
  func covers(_ inForce: PermissionInForce) -> Bool {
    inForce.authorization.isAuthorized
      || wasGranted && inForce.authorization.status == .notDetermined
        && inForce.withdrawals == handled
  }

  /// Whether something may leave: permission covers it, and what an earlier one allowed is deleted.
  func allows(_ inForce: PermissionInForce) -> Bool {
    guard covers(inForce), inForce.withdrawals == handled, !isDeleting else { return false }
    let isReduced =
      inForce.authorization.isAuthorized
      ? inForce.authorization.accuracy == .reduced : self.isReduced
    return isReduced ? sendsReduced : !self.isReduced
  }

  /// Whether what is stored now is neither deleted with something earlier nor left out.
  func follows(_ inForce: PermissionInForce) -> Bool {
    !isFollowing || !covers(inForce) || allows(inForce)
  }

  /// Whether permission is refused, and has not just lapsed or not been requested.
  func isRefused(_ inForce: PermissionInForce) -> Bool {
    guard !inForce.authorization.isAuthorized else { return false }
    return inForce.authorization.status == .notDetermined ? wasGranted && !covers(inForce) : true
  }

  // MARK: Events

  /// A run begins with a storage.
  ///
  /// - Parameters:
  ///   - storedAccuracy: The highest accuracy of its content; nil if it has none.
  ///   - handled: The withdrawals that the last run with it has handled.
  mutating func begin(storedAccuracy: AccuracyAuthorization?, handled: Withdrawals) {
    (self.storedAccuracy, self.handled, isFollowing) = (storedAccuracy, handled, true)
  }

  /// No more changes of permission are handled.
  mutating func stopFollowing() { isFollowing = false }

  /// Something is being stored with the accuracy of now.
  mutating func stores() { storedAccuracy = accuracy.raised(to: storedAccuracy) }

  /// Permission is there. Returns whether what was stored before must be deleted.
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
      // Another storage may have been used before.
      case nil: isReduced && !wasReduced
      }
    if mustDelete { isDeleting = true }
    return mustDelete
  }

  /// All that the last permission does not cover is deleted.
  mutating func confirmed() {
    if isReduced { grant = .reduced(isConfirmed: true) }
  }

  /// A withdrawal ended the manager's locations, or was noted otherwise.
  mutating func endedLocations() { hasEndedLocations = true }

  /// Everything that waits is being deleted. Returns the generation of what is stored afterwards.
  mutating func beginDeletion() -> UInt64 {
    generation += 1
    (isDeleting, storedAccuracy) = (true, nil)
    return generation
  }

  /// Everything that waited is deleted.
  mutating func endDeletion() { isDeleting = false }
}
