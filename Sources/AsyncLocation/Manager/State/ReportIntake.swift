/// Decides which reports of the backend are fresh, which locations can be trusted and whether the
/// receiver is stationary, and counts the reports that are not delivered.
struct ReportIntake: Sendable {
  private var locations = FreshnessGate()
  private var headings = FreshnessGate()
  private var stationary = StationaryDetector()
  private var integrity: ReceiverIntegrity
  private(set) var received: UInt64 = 0
  private(set) var discarded: UInt64 = 0
  private(set) var stale: UInt64 = 0
  private(set) var suspect: UInt64 = 0
  private(set) var withheld: UInt64 = 0
  private(set) var unstored: UInt64 = 0

  /// - Parameter hostOffset: See ``IntegrityStateMachine/init(hostOffset:)``.
  init(hostOffset: Double? = nil) { integrity = ReceiverIntegrity(hostOffset: hostOffset) }

  /// The source connected, or a new run began.
  mutating func beginSession() {
    locations.beginSession()
    headings.beginSession()
  }

  /// Permission or full accuracy was withdrawn: what was derived from positions is discarded.
  mutating func withdraw() {
    stationary = StationaryDetector()
    integrity.reset()
  }

  /// Whether a location that arrived at `instant` can be trusted; nil if it is not assessed. Called
  /// for every precise location, also for those that are not fresh.
  mutating func assess(
    _ location: borrowing Location, at instant: Duration
  ) -> LocationIntegrity? {
    integrity.assess(location, at: instant)
  }

  /// Observes a view of the sky, with which later locations are assessed.
  mutating func observe(_ view: SatelliteView, at instant: Duration) {
    integrity.observe(view, at: instant)
  }

  /// True when a location that arrived at `instant` is accepted.
  mutating func admits(_ location: borrowing Location, at instant: Duration) -> Bool {
    let isFresh = locations.admits(location, at: instant)
    if !isFresh { stale += 1 }
    return isFresh
  }

  /// True when a heading that arrived at `instant` is accepted.
  mutating func admits(_ heading: borrowing Heading, at instant: Duration) -> Bool {
    let isFresh = headings.admits(heading, at: instant)
    if !isFresh { stale += 1 }
    return isFresh
  }

  /// Observes a location. Returns true when its receiver is stationary.
  mutating func isStationary(at location: borrowing Location, _ instant: Duration) -> Bool {
    stationary.observe(copy location, at: instant)
  }

  mutating func countReceived(_ events: Int) { received += UInt64(events) }
  /// Counts events of a run that may no longer report.
  mutating func countDiscarded(_ events: Int) { discarded += UInt64(events) }
  /// Counts a location that is delivered although it is suspect.
  mutating func countSuspect() { suspect += 1 }
  /// Counts a report withheld because of reduced accuracy or missing permission.
  mutating func countWithheld() { withheld += 1 }
  /// Counts a reduced location that could not be stored.
  mutating func countUnstored() { unstored += 1 }
}
