/// How often permission was withdrawn from a manager, for what keeps its locations: one who reads the
/// authorizations later, or only the last one, still notices. Permission for once that lapses with its
/// last use is not withdrawn; a refusal after it is.
package struct Withdrawals: Sendable, Hashable {
  /// Permission was refused, or taken back.
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

  /// Whether what was permitted at an earlier time has been permitted since.
  ///
  /// - Parameter isPrecise: False for what was made with reduced accuracy.
  package func cover(isPrecise: Bool, since earlier: Self) -> Bool {
    refusals == earlier.refusals && (!isPrecise || reductions == earlier.reductions)
  }
}

/// A manager's authorization, for those that follow it beyond the end of the manager.
struct FollowedPermission: Sendable, Hashable {
  let authorization: Authorization
  /// Whether the manager was shut down.
  let isOver: Bool
}

/// A manager's authorization at one moment.
package struct PermissionInForce: Sendable, Hashable {
  package let authorization: Authorization
  /// Those before it.
  package let withdrawals: Withdrawals
}
