/// The recent changes of a condition, each of which doubles the confirmation of the next.
struct RecentChanges: Sendable, Hashable {
  private(set) var count: Int
  /// The time of the last change or, if later, the time at which a change was last forgotten.
  private(set) var since: Duration

  /// Nil if every change is forgotten.
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

  /// Changes that were stored.
  init(stored count: Int, since: Duration) { (self.count, self.since) = (count, since) }

  /// The changes that are not forgotten yet; nil if all are.
  func remembered(at instant: Duration, _ options: CrossingOptions) -> Self? {
    Self(count, since: since, at: instant, options)
  }
}
