import AsyncLocation
import FoundationEssentials
import LocationRecording

/// Reads a file of conditions.
struct FenceFile: Sendable {
  let path: String
  let context: CommandContext
  /// The host's wall clock.
  let now: @Sendable () -> Date

  /// The conditions of `--conditions`; none without it.
  static func conditions(
    _ arguments: Arguments, _ context: CommandContext, _ now: @escaping @Sendable () -> Date
  ) async throws -> [String: Condition] {
    guard let path = arguments.conditions else { return [:] }
    return try await FenceFile(path: path, context: context, now: now).read()
  }

  /// Returns the conditions that have not expired, and prints a notice about the others.
  ///
  /// - Throws: ``UsageError`` with the path and the reason.
  func read() async throws -> [String: Condition] {
    let (conditions, notice) = try await load()
    if let notice { await context.printMessage(notice) }
    return conditions
  }

  /// Returns the conditions that have not expired, and a notice about the others; nil if there are
  /// none.
  ///
  /// - Throws: ``UsageError`` with the path and the reason.
  func load() async throws -> (conditions: [String: Condition], notice: String?) {
    let file: GeoJSONConditions
    do throws(RecordingError) {
      file = try await runBlocking { [path] () throws(RecordingError) in
        try GeoJSONConditions(contentsOf: path)
      }
    } catch {
      throw UsageError("\(path): \(error)")
    }
    let expired = file.expired(at: now())
    var conditions = file.conditions
    for identifier in expired { conditions[identifier] = nil }
    guard !conditions.isEmpty else {
      throw UsageError("\(path): every condition has expired; change the property expiry")
    }
    let more = expired.count > 1 ? " and \(expired.count - 1) more" : ""
    let notice = expired.first.map {
      "\"\(String(printable: $0, limit: 60))\"\(more) expired already: not monitored"
    }
    return (conditions, notice)
  }
}
