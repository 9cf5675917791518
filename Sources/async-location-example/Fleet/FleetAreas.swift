import AsyncLocation
import MQTTBackend

/// The areas of `fleet --conditions`, which can be read again while the fleet runs.
struct FleetAreas: Sendable {
  let file: FenceFile
  let fleet: Fleet

  /// Applies the differences between the file and the conditions in force. A file that cannot be
  /// used changes nothing.
  ///
  /// - Returns: Messages, and the conditions of the file. The conditions are nil if nothing was
  ///   applied.
  func reload() async -> (messages: [String], conditions: [String: Condition]?) {
    do {
      let (conditions, notice) = try await file.load()
      let difference = try fleet.replaceConditions(with: Self.list(conditions))
      let text = FleetText.reloaded(file.path, difference, count: conditions.count)
      return ([notice, text].compactMap(\.self), conditions)
    } catch {
      let reason = (error as? UsageError)?.message ?? "\(file.path): \(Reason.text(error))"
      return (["the areas are not changed: \(reason)"], nil)
    }
  }

  static func list(_ conditions: [String: Condition]) -> [FleetCondition] {
    conditions.sorted { $0.key < $1.key }.map { FleetCondition(identifier: $0, condition: $1) }
  }
}

extension FleetText {
  /// The maximum number of areas that a message names for each kind of change.
  private static let nameLimit = 3

  /// The message for a file of areas that was read again.
  ///
  /// - Parameter count: The number of areas in the file.
  static func reloaded(
    _ path: String, _ difference: FleetConditionDifference, count: Int
  ) -> String {
    let changes = [
      ("added", difference.added), ("replaced", difference.replaced),
      ("for other devices", difference.readdressed), ("removed", difference.removed),
    ].filter { !$1.isEmpty }.map { "\($0) \(names($1))" }
    let text = "\(path): \(NumberText.counted(count, "condition")), "
    return text + (changes.isEmpty ? "nothing changed" : changes.joined(separator: "; "))
  }

  private static func names(_ identifiers: [String]) -> String {
    let sorted = identifiers.sorted()
    let named = sorted.prefix(nameLimit).map { "\"" + String(printable: $0, limit: 60) + "\"" }
    let rest = sorted.count - named.count
    return named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
