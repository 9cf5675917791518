import AsyncLocation

/// Decides which diagnostics of events to print; a reason that concerns all conditions is printed
/// once. Pure.
struct FenceMessages: Sendable {
  /// The last printed reasons why nothing is monitored; empty while conditions are monitored.
  private var suspension: Monitor.Diagnostics = []
  /// Whether the last event was stored.
  private var isPersistent = true

  private static let suspensions: [(Monitor.Diagnostics, String)] = [
    (.authorizationDeniedGlobally, "Location services are switched off."),
    (.authorizationDenied, "Permission is refused or was withdrawn."),
    (.authorizationRestricted, "Permission cannot be granted here."),
    (.serviceSessionRequired, "Permission was not requested."),
    (
      .insufficientlyInUse,
      "Permission covers only the time in use, and the application is not in use."
    ),
    (.accuracyLimited, "Accuracy is reduced by the authorization policy."),
  ]

  /// Returns the messages for an event.
  ///
  /// - Parameters:
  ///   - isPrinted: Whether the event itself is printed.
  ///   - problem: Why the storage fails; nil if it works or the reason is not known.
  mutating func nextMessages(
    _ event: Monitor.Event, isPrinted: Bool = true, storageProblem problem: LocationError?
  ) -> [String] {
    var messages: [String] = []
    let name = "\"" + String(printable: event.identifier, limit: 60) + "\""
    let reasons = Self.suspensions.filter { event.diagnostics.contains($0.0) }
    if event.state != .unmonitored { suspension = [] }
    let current = reasons.reduce(into: Monitor.Diagnostics()) { $0.insert($1.0) }
    if !current.isEmpty, current != suspension {
      suspension = current
      messages.append("nothing is monitored: " + reasons.map(\.1).joined(separator: " "))
    }
    if event.endsItsArea {
      messages.append("\(name) has expired and is no longer monitored")
    }
    if event.diagnostics.contains(.conditionUnsupported) {
      messages.append("\(name) cannot be monitored with this source")
    }
    if event.isRepeated, isPrinted {
      messages.append("event \(event.number) of \(name) may have been printed before")
    }
    if event.diagnostics.contains(.conditionReplaced), isPrinted {
      messages.append(
        "event \(event.number) of \(name) is of another area, which had this name before")
    }
    let isPersistent = !event.diagnostics.contains(.persistenceUnavailable)
    if self.isPersistent, !isPersistent {
      messages.append(Self.text(of: problem))
    }
    self.isPersistent = isPersistent
    return messages
  }

  /// The message for a storage that does not work.
  static func text(of problem: LocationError?) -> String {
    problem.map { "the state file: " + Reason.text($0) } ?? "the state is not kept"
  }
}

/// Counts the events that a monitor discarded because they were printed too slowly.
struct FenceLosses: Sendable {
  private(set) var count = 0
  private var last: UInt64?

  /// - Parameter isNew: Whether the monitor has no events of earlier runs.
  init(isNew: Bool) { last = isNew ? 0 : nil }

  mutating func record(_ event: Monitor.Event) {
    defer { last = max(last ?? 0, event.number) }
    guard event.diagnostics.contains(.eventsDiscarded) else { return }
    // Events are numbered without gaps. If the last number is not known, at least one is missing.
    count += last.map { Int(clamping: event.number) - Int(clamping: $0) - 1 } ?? 1
  }
}
