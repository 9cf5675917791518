/// The recent changes of a condition. Each of them doubles the confirmation time of the next
/// change.
struct RecentChanges: Sendable, Hashable {
  private(set) var count: Int
  /// The time of the last change or, if later, the time at which a change was last forgotten.
  private(set) var since: Duration

  /// The changes that are not forgotten at an instant; nil if all are.
  init?(_ count: Int, since: Duration, at instant: Duration, _ options: CrossingOptions) {
    guard options.changeMemory > .zero, options.confirmation > .zero else { return nil }
    var (count, since) = (count, since)
    while count > 0, instant.subtractingSaturated(since) >= options.changeMemory {
      count -= 1
      since = since.addingSaturated(options.changeMemory)
    }
    guard count > 0 else { return nil }
    // Drops changes that do not lengthen the confirmation; they would only take longer to forget.
    while count > 1, options.confirmation(after: count - 1) == options.confirmation(after: count) {
      count -= 1
    }
    (self.count, self.since) = (count, since)
  }

  /// Restores stored changes.
  init(stored count: Int, since: Duration) { (self.count, self.since) = (count, since) }

  /// The changes that are not forgotten yet; nil if all are.
  func remembered(at instant: Duration, _ options: CrossingOptions) -> Self? {
    Self(count, since: since, at: instant, options)
  }
}
