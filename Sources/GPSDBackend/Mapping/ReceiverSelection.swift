/// Decides which of several receivers serves those who name none. Performs no I/O.
///
/// One at a time. It stays until it loses its fix, falls silent or goes while another has a fix, or
/// until another was clearly better without a break for ``Configuration/patience``: so two that are
/// as good as each other never alternate.
struct ReceiverSelection: Sendable {
  struct Configuration: Hashable, Sendable {
    /// How long the chosen receiver may go without a fix, unless its own rhythm is slower.
    var fixTimeout: Duration = .seconds(5)
    /// How long another has to be clearly better.
    var patience: Duration = .seconds(5)
  }

  /// Names a receiver; never used twice.
  struct ID: Hashable, Sendable {
    let rawValue: Int
  }

  enum Event: Hashable, Sendable {
    case located(FixQuality)
    /// It says that it has no fix.
    case lost
    /// It said something else, such as what it sees of the sky.
    case heard
    /// The source let it go.
    case removed
  }

  /// Why those who name no receiver are without fixes.
  enum Loss: Hashable, Sendable {
    case noFix(ID)
    case silent(ID, Duration)
    case removed(ID)
  }

  private struct Candidate: Sendable {
    let id: ID
    /// Nil while it has no fix.
    var quality: FixQuality?
    var lastFix: Duration
    /// The longest time between two fixes of late, and what it would be without that one.
    var interval = Duration.zero
    var nextInterval = Duration.zero
    var fixesInInterval = 0
    /// Since when every fix of it was clearly better than the chosen receiver's.
    var betterSince: Duration?
  }

  private static let longestInterval = Duration.seconds(60)
  /// Several reports share an epoch: after so many a long gap is no rhythm any more.
  private static let intervalMemory = 16

  private let configuration: Configuration
  private var candidates: [Candidate] = []
  /// The receiver that serves; nil before the first was heard.
  private(set) var chosen: ID?
  /// Where it was found last; most reports are of it.
  private var chosenIndex = 0
  /// Told once, until the next fix.
  private var lossIsReported = false

  init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// Takes news of a receiver and says whether those who name none lost their fixes by it.
  mutating func handle(_ event: Event, of id: ID, at now: Duration) -> Loss? {
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
    case .heard: _ = index(of: id)
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

  private static func locate(
    _ candidate: inout Candidate, _ quality: FixQuality, _ now: Duration
  ) {
    if candidate.quality != nil {
      let gap = min(now - candidate.lastFix, longestInterval)
      if candidate.fixesInInterval >= intervalMemory {
        (candidate.interval, candidate.nextInterval) = (candidate.nextInterval, .zero)
        candidate.fixesInInterval = 0
      }
      if gap >= candidate.interval {
        (candidate.interval, candidate.fixesInInterval) = (gap, 0)
      } else {
        candidate.nextInterval = max(candidate.nextInterval, gap)
        candidate.fixesInInterval += 1
      }
    }
    candidate.quality = quality
    candidate.lastFix = now
  }

  private mutating func challenge(_ index: Int, _ quality: FixQuality, _ now: Duration) {
    guard let incumbent = candidates.first(where: { $0.id == chosen }), isUsable(incumbent, now),
      let standard = incumbent.quality
    else { return choose(best(now)) }
    guard quality.isClearlyBetter(than: standard) else {
      candidates[index].betterSince = nil
      return
    }
    let since = candidates[index].betterSince ?? now
    candidates[index].betterSince = since
    if now - since >= configuration.patience { choose(candidates[index].id) }
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

  /// A receiver that stopped in the middle says nothing of it; the others' reports are the clock.
  private mutating func checkSilence(_ now: Duration) -> Loss? {
    guard let index = candidates.firstIndex(where: { $0.id == chosen }),
      candidates[index].quality != nil, !isUsable(candidates[index], now)
    else { return nil }
    candidates[index].quality = nil
    return replace(or: .silent(candidates[index].id, now - candidates[index].lastFix), now)
  }

  // MARK: Choosing

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

  /// The place of a receiver; the first one that is heard is chosen, fix or no fix.
  private mutating func index(of id: ID) -> Int {
    if let index = candidates.firstIndex(where: { $0.id == id }) { return index }
    candidates.append(Candidate(id: id, lastFix: .zero))
    if chosen == nil { chosen = id }
    return candidates.count - 1
  }
}
