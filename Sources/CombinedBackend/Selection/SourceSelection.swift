import AsyncLocation

/// Decides which source is in force. Performs no I/O.
///
/// The source in force stays in force while it has acceptable fixes, unless a more preferred one has
/// had them without interruption for a while. When it has lost them, the most preferred source with
/// acceptable fixes takes over; if there is none and it has no fix at all, the most preferred one
/// with any fix.
///
/// A source is left for a less preferred one only after a time without an acceptable fix, and at once
/// only if it can no longer run. So sources that lose and regain their fix, however often, change at
/// most once in that time for each source that is left, and once in ``returnDelay`` for each return.
struct SourceSelection: Sendable {
  /// The state of a source at one moment.
  struct Standing: Sendable, Hashable {
    var grade: FixHistory.Grade
    /// The start of its uninterrupted acceptable fixes.
    var goodSince: Duration?
  }

  private let returnDelay: Duration
  /// The index of the source in force; nil before the first fix.
  private(set) var inForce: Int?

  init(returnDelay: Duration) { self.returnDelay = returnDelay }

  /// - Parameter standings: The sources, the most preferred first.
  mutating func update(_ standings: [Standing], at now: Duration) {
    let best = standings.indices.filter { standings[$0].grade > .none }
      .max { left, right in
        let (a, b) = (standings[left].grade, standings[right].grade)
        return a == b ? left > right : a < b
      }
    guard let current = inForce, standings[current].grade > .none else {
      inForce = best ?? inForce
      return
    }
    if let best, standings[best].grade > standings[current].grade {
      inForce = best
      return
    }
    let returning = standings.indices.prefix(current).first {
      standings[$0].grade == .acceptable && isProven(standings[$0], at: now)
    }
    inForce = returning ?? current
  }

  /// Whether a source has had acceptable fixes for long enough to take over again.
  func isProven(_ standing: Standing, at now: Duration) -> Bool {
    standing.goodSince.map { now - $0 >= returnDelay } ?? false
  }
}
