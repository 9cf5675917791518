import AsyncLocation

/// The changes from the conditions of a monitor to those of a document. Unchanged conditions keep
/// their state. Pure.
struct FenceChanges: Hashable, Sendable {
  /// Conditions that are new or replace one with the same identifier.
  private(set) var added: [String: Condition] = [:]
  /// The identifiers of the conditions to remove, sorted.
  private(set) var removed: [String] = []
  /// The number of unchanged conditions.
  private(set) var kept = 0
  /// Whether there was no condition before.
  private let isInitial: Bool

  init(from current: [String: Condition], to wanted: [String: Condition]) {
    added = wanted.filter { current[$0.key] != $0.value }
    removed = current.keys.filter { wanted[$0] == nil }.sorted()
    kept = wanted.count - added.count
    isInitial = current.isEmpty
  }

  /// A summary for the user.
  var summary: String {
    let conditions = NumberText.counted(added.count + kept, "condition")
    guard !isInitial else { return conditions }
    return conditions + ": \(kept) kept, \(added.count) added or changed, \(removed.count) removed"
  }
}
