/// Counts the withdrawals of a manager's permission, so that code that stores locations notices
/// them even if it reads only the last authorization. The lapse of one-time permission when demand
/// ends is not a withdrawal; a refusal after the lapse is.
package struct Withdrawals: Sendable, Hashable {
  /// Permission was refused or revoked.
  private var refusals: UInt64 = 0
  /// Full accuracy became reduced, or accuracy was reduced from the beginning.
  private var reductions: UInt64 = 0

  package init() {}

  mutating func count(from old: Authorization, to new: Authorization) {
    let isRefused = new.status.refuses && !old.status.refuses
    if isRefused || old.isAuthorized && !new.isAuthorized {
      refusals += 1
    } else if old.accuracy == .full, new.accuracy == .reduced {
      reductions += 1
    }
  }

  /// Whether elements that were permitted at an earlier time have been permitted since.
  ///
  /// - Parameter isPrecise: False for elements made with reduced accuracy.
  package func cover(isPrecise: Bool, since earlier: Self) -> Bool {
    refusals == earlier.refusals && (!isPrecise || reductions == earlier.reductions)
  }
}

/// A manager's authorization, for subscribers that follow it beyond the end of the manager.
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
