import NMEASentences

/// Decides whether the first epoch of a receiver is whole: a source may be opened in the middle of a
/// cycle, whose rest lacks values. Performs no I/O.
///
/// - The epoch is whole if the line was quiet between the opening and its first sentence.
/// - Otherwise it is held until the next one begins. If that begins with the same sentence, the first
///   one is whole, and else it is cut.
/// - If the next one does not begin for ``patience``, the first one counts as whole: a receiver with a
///   long cycle is seldom cut.
struct FirstEpochStateMachine: Sendable {
  enum Verdict: Sendable {
    case whole(NMEAEpochAssembler.Epoch)
    case cut
  }

  /// The sentence with which an epoch begins.
  private struct Start: Hashable {
    let address: String
    /// The number within a group of GSV sentences.
    let number: Int?

    init(_ sentence: NMEASentence) {
      address = sentence.talker + sentence.type
      number = sentence.type == "GSV" ? sentence.integer(2) : nil
    }
  }

  private enum State {
    case awaited
    /// The first epoch has begun; its time, if a sentence had one.
    case open(Start, time: Double?)
    case held(NMEAEpochAssembler.Epoch, Start, time: Double?, until: Duration)
    case settled
  }

  static let patience = Duration.milliseconds(1_500)

  private var state: State

  /// - Parameter isWhole: Whether the line was quiet since it was opened.
  init(isWhole: Bool) { state = isWhole ? .settled : .awaited }

  var isSettled: Bool { if case .settled = state { true } else { false } }

  /// When to call ``expire(by:)``; nil if no epoch is held.
  var deadline: Duration? { if case .held(_, _, _, let until) = state { until } else { nil } }

  /// Handles a sentence, before the end of the epoch that it may end. Returns the verdict on a held
  /// epoch.
  mutating func handle(_ sentence: NMEASentence) -> Verdict? {
    let start = Start(sentence)
    switch state {
    case .awaited: state = .open(start, time: sentence.epochTime)
    case .open(let first, nil): state = .open(first, time: sentence.epochTime)
    case .held(_, _, let time?, _) where sentence.epochTime == time:
      // The rest of the same cycle, after a pause.
      state = .open(start, time: time)
    case .held(let epoch, let first, _, _):
      state = .settled
      return start == first ? .whole(epoch) : .cut
    case .open, .settled: break
    }
    return nil
  }

  /// Handles the end of an epoch. Returns nil if it is held.
  ///
  /// - Parameter next: The sentence with which the next one begins; nil if the line is quiet.
  mutating func ended(
    _ epoch: NMEAEpochAssembler.Epoch, before next: NMEASentence?, at now: Duration
  ) -> Verdict? {
    guard case .open(let first, let time) = state else { return .whole(epoch) }
    guard let next else {
      state = .held(epoch, first, time: time, until: now + Self.patience)
      return nil
    }
    state = .settled
    return Start(next) == first ? .whole(epoch) : .cut
  }

  /// Returns the held epoch if its deadline has passed, and always without a time.
  mutating func expire(by now: Duration?) -> NMEAEpochAssembler.Epoch? {
    guard case .held(let epoch, _, _, let until) = state, now.map({ until <= $0 }) ?? true else {
      return nil
    }
    state = .settled
    return epoch
  }
}
