/// Counts the withdrawals of a manager's permission, so that code that stores locations detects
/// every withdrawal even if it reads only the latest authorization. The lapse of one-time
/// permission when demand ends does not count; a refusal after the lapse does.
package struct Withdrawals: Sendable, Hashable {
  /// The number of times that permission was refused or revoked.
  private var refusals: UInt64 = 0
  /// The number of times that full accuracy became reduced. An initial decision with reduced
  /// accuracy counts.
  private var reductions: UInt64 = 0

  package init() {}

  /// Counts a change of authorization if it withdraws permission or accuracy. Not called for the
  /// lapse of one-time permission when demand ends.
  mutating func count(from old: Authorization, to new: Authorization) {
    let isRefused = new.status.refuses && !old.status.refuses
    if isRefused || old.isAuthorized && !new.isAuthorized {
      refusals += 1
    } else if old.accuracy == .full, new.accuracy == .reduced {
      reductions += 1
    }
  }

  /// Counts a withdrawal under a decision that stays in force.
  mutating func countWithdrawal() { refusals += 1 }

  /// Whether elements permitted at an earlier time have stayed permitted since then.
  ///
  /// - Parameter isPrecise: False for elements made with reduced accuracy.
  package func cover(isPrecise: Bool, since earlier: Self) -> Bool {
    refusals == earlier.refusals && (!isPrecise || reductions == earlier.reductions)
  }
}

/// A manager's authorization, for subscribers that observe it even after the manager was shut down.
struct FollowedPermission: Sendable, Hashable {
  let authorization: Authorization
  /// Whether the manager was shut down.
  let isOver: Bool
}

/// A manager's authorization at one moment.
package struct PermissionInForce: Sendable, Hashable {
  package let authorization: Authorization
  /// The withdrawals before this authorization.
  package let withdrawals: Withdrawals
}
