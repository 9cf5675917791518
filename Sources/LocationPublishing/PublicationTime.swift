import AsyncLocation
package import FoundationEssentials

/// The time that determines the age of publications: the system's date when a storage was opened,
/// plus the time since then. Setting the system's clock while the storage is open has no effect.
package struct PublicationTime: Sendable {
  private let date: @Sendable () -> Date
  private let clock: any Clock<Duration>

  /// - Parameters:
  ///   - clock: Measures the time since the storage was opened.
  ///   - date: The system's clock.
  package init(
    clock: any Clock<Duration> = .continuous, date: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.clock, self.date) = (clock, date)
  }

  /// Reads the system's date. Returns a function that adds the time since this call to that date.
  package func start() -> @Sendable () -> Date {
    let (begin, timeline) = (date(), Timeline(clock))
    return { begin + ExactSeconds.number(timeline.now()) }
  }
}
