/// Decides which of several receivers serves subscribers without a `device` option. Performs no
/// I/O.
///
/// One receiver is selected at a time. It stays selected until it loses its fix, falls silent or is
/// removed while another has a fix, or until another has been clearly better without interruption
/// for ``Configuration/switchDelay``. Therefore two equally good receivers never alternate.
package struct ReceiverSelection: Sendable {
  package struct Configuration: Hashable, Sendable {
    /// How long the chosen receiver may be without a fix; three times its own interval if that is
    /// longer.
    var fixTimeout: Duration
    /// How long another receiver has to be clearly better.
    var switchDelay: Duration

    package init(fixTimeout: Duration = .seconds(5), switchDelay: Duration = .seconds(5)) {
      self.fixTimeout = fixTimeout
      self.switchDelay = switchDelay
    }
  }

  /// Identifies a receiver; never reused.
  package struct ID: Hashable, Sendable {
    let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }
  }

  package enum Event: Hashable, Sendable {
    case located(FixQuality)
    /// The receiver reports that it has no fix.
    case lost
    /// The receiver reports something else, such as satellites.
    case reported
    /// The source removed the receiver.
    case removed
  }

  /// Why subscribers without a `device` option receive no fixes.
  package enum Loss: Hashable, Sendable {
    case noFix(ID)
    case silent(ID, Duration)
    case removed(ID)
  }

  private struct Candidate: Sendable {
    let id: ID
    /// Nil while the receiver has no fix.
    var quality: FixQuality?
    var lastFix: Duration
    /// The longest recent time between two fixes.
    var interval = Duration.zero
    /// The longest time between two fixes since ``interval`` was set, which it replaces after
    /// ``intervalMemory`` fixes.
    var nextInterval = Duration.zero
    /// The number of fixes since ``interval`` was set.
    var fixesSinceInterval = 0
    /// The time since which each of its fixes was clearly better than the chosen receiver's.
    var betterSince: Duration?
  }

  /// The maximum of a receiver's interval; longer gaps count as this one.
  private static let longestInterval = Duration.seconds(60)
  /// After this many fixes, a long gap no longer determines the receiver's interval. An epoch may
  /// have several reports; the number covers several epochs.
  private static let intervalMemory = 16

  private let configuration: Configuration
  private var candidates: [Candidate] = []
  /// The selected receiver; nil while no receiver is known.
  package private(set) var chosen: ID?
  /// The last known index of ``chosen``; most reports are of that receiver.
  private var chosenIndex = 0
  /// Whether the current loss has been reported. Reset by the next fix.
  private var lossIsReported = false

  package init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
  }

  /// Handles an event of a receiver. Returns the reason if subscribers without a `device` option
  /// have lost their fixes.
  package mutating func handle(_ event: Event, of id: ID, at now: Duration) -> Loss? {
    if case .located(let quality) = event, id == chosen, chosenIndex < candidates.count,
      candidates[chosenIndex].id == id
    {
      Self.locate(&candidates[chosenIndex], quality, now)
      lossIsReported = false
      return nil
    }
    var loss: Loss?
    switch event {
    case .located(let quality): located(id, quality, now)
    case .lost: loss = lost(id, now)
    case .reported: _ = index(of: id)
    case .removed: loss = removed(id, now)
    }
    loss = loss ?? checkSilence(now)
    guard loss != nil, !lossIsReported else { return nil }
    lossIsReported = true
    return loss
  }

  // MARK: Events

  private mutating func located(_ id: ID, _ quality: FixQuality, _ now: Duration) {
    let index = index(of: id)
    Self.locate(&candidates[index], quality, now)
    if id != chosen { challenge(index, quality, now) }
    if id == chosen { (lossIsReported, chosenIndex) = (false, index) }
  }

  /// Updates a receiver's quality, last fix and interval.
  private static func locate(
    _ candidate: inout Candidate, _ quality: FixQuality, _ now: Duration
  ) {
    if candidate.quality != nil {
      let gap = min(now - candidate.lastFix, longestInterval)
      if candidate.fixesSinceInterval >= intervalMemory {
        (candidate.interval, candidate.nextInterval) = (candidate.nextInterval, .zero)
        candidate.fixesSinceInterval = 0
      }
      if gap >= candidate.interval {
        (candidate.interval, candidate.fixesSinceInterval) = (gap, 0)
      } else {
        candidate.nextInterval = max(candidate.nextInterval, gap)
        candidate.fixesSinceInterval += 1
      }
    }
    candidate.quality = quality
    candidate.lastFix = now
  }

  /// Chooses this receiver if it has been clearly better than the chosen one for long enough.
  /// Chooses the best one if the chosen one is unusable.
  private mutating func challenge(_ index: Int, _ quality: FixQuality, _ now: Duration) {
    guard let incumbent = candidates.first(where: { $0.id == chosen }), isUsable(incumbent, now),
      let incumbentQuality = incumbent.quality
    else { return choose(best(now)) }
    guard quality.isClearlyBetter(than: incumbentQuality) else {
      candidates[index].betterSince = nil
      return
    }
    let since = candidates[index].betterSince ?? now
    candidates[index].betterSince = since
    if now - since >= configuration.switchDelay { choose(candidates[index].id) }
  }

  private mutating func lost(_ id: ID, _ now: Duration) -> Loss? {
    let index = index(of: id)
    candidates[index].quality = nil
    candidates[index].betterSince = nil
    guard id == chosen else { return nil }
    return replace(or: .noFix(id), now)
  }

  private mutating func removed(_ id: ID, _ now: Duration) -> Loss? {
    guard let index = candidates.firstIndex(where: { $0.id == id }) else { return nil }
    candidates.remove(at: index)
    guard id == chosen else { return nil }
    chosen = candidates.first?.id
    return replace(or: .removed(id), now)
  }

  /// Silence causes no event, so it is detected when the next event arrives.
  private mutating func checkSilence(_ now: Duration) -> Loss? {
    guard let index = candidates.firstIndex(where: { $0.id == chosen }),
      candidates[index].quality != nil, !isUsable(candidates[index], now)
    else { return nil }
    candidates[index].quality = nil
    return replace(or: .silent(candidates[index].id, now - candidates[index].lastFix), now)
  }

  // MARK: Choosing

  /// Chooses the best usable receiver. Returns the loss if there is none.
  private mutating func replace(or loss: Loss, _ now: Duration) -> Loss? {
    guard let best = best(now) else { return loss }
    choose(best)
    return nil
  }

  private mutating func choose(_ id: ID?) {
    guard let id else { return }
    chosen = id
    lossIsReported = false
    for index in candidates.indices { candidates[index].betterSince = nil }
  }

  private func best(_ now: Duration) -> ID? {
    var best: (id: ID, quality: FixQuality)?
    for candidate in candidates {
      guard let quality = candidate.quality, isUsable(candidate, now) else { continue }
      if let found = best, !quality.isBetter(than: found.quality) { continue }
      best = (candidate.id, quality)
    }
    return best?.id
  }

  private func isUsable(_ candidate: Candidate, _ now: Duration) -> Bool {
    candidate.quality != nil
      && now - candidate.lastFix <= max(configuration.fixTimeout, candidate.interval * 3)
  }

  /// Returns the index of a receiver, adding it if it is new. The first receiver is chosen, even
  /// without a fix.
  private mutating func index(of id: ID) -> Int {
    if let index = candidates.firstIndex(where: { $0.id == id }) { return index }
    candidates.append(Candidate(id: id, lastFix: .zero))
    if chosen == nil { chosen = id }
    return candidates.count - 1
  }
}
