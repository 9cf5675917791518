import NMEASentences

/// Decides from which talker of a family the positions are taken. Pure.
///
/// A receiver may use several talkers, such as GP for GGA and GN for RMC, and may change its talker
/// with the constellations that it uses. Two talkers that send the same type of sentence for one
/// time are two receivers on one line, whose sentences must not be mixed:
///
/// - A talker with a type of the leader and a later time replaces the leader, unless it is a rival.
/// - Otherwise it is a rival, and so is a leader that was replaced. A rival replaces the leader after
///   ``patience`` sentences with a position since the leader's last one, or after twice as many
///   sentences since any of the leader's. It is forgotten after ``memory`` sentences of the leader
///   without one of its own.
struct PositionTalker: Hashable, Sendable {
  private struct Rival: Hashable {
    /// Its sentences of the leader's types, since the leader's last one.
    var sentences = 0
    /// Those with a position, since the leader's last one with a position.
    var positions = 0
    /// The leader's sentences since its last one.
    var silence = 0
  }

  static let patience = 3
  static let memory = 32
  private static let maximumRivals = 16
  private static let halfDay = 43_200.0

  private var leader: String?
  /// The types of sentences that the leader sends.
  private var types: Set<String> = []
  /// The time of the leader's last sentence with a position.
  private var lastTime: Double?
  private var rivals: [String: Rival] = [:]

  /// Whether a sentence is used.
  mutating func accepts(_ sentence: NMEASentence) -> Bool {
    let talker = sentence.talker
    guard sentence.isPosition else { return rivals[talker] == nil }
    guard let leader, leader != talker else {
      self.leader = talker
      acceptLeader(sentence)
      return true
    }
    if rivals[talker] == nil {
      guard types.contains(sentence.type) else { return true }
      if sentence.hasPosition, isLater(sentence.epochTime) {
        replaceLeader(leader, with: sentence)
        return true
      }
      guard rivals.count < Self.maximumRivals else { return false }
    }
    guard types.contains(sentence.type) else { return false }
    var rival = rivals[talker] ?? Rival()
    rival.silence = 0
    rival.sentences += 1
    if sentence.hasPosition { rival.positions += 1 }
    rivals[talker] = rival
    guard rival.positions >= Self.patience || rival.sentences >= 2 * Self.patience else {
      return false
    }
    replaceLeader(leader, with: sentence)
    return true
  }

  private mutating func acceptLeader(_ sentence: NMEASentence) {
    types.insert(sentence.type)
    if sentence.hasPosition { lastTime = sentence.epochTime ?? lastTime }
    for (talker, var rival) in rivals {
      rival.sentences = 0
      if sentence.hasPosition { rival.positions = 0 }
      rival.silence += 1
      rivals[talker] = rival.silence < Self.memory ? rival : nil
    }
  }

  private mutating func replaceLeader(_ former: String, with sentence: NMEASentence) {
    leader = sentence.talker
    (types, rivals) = ([sentence.type], [former: Rival()])
    lastTime = sentence.epochTime
  }

  /// Whether a time of day follows the leader's last one, also after midnight.
  private func isLater(_ time: Double?) -> Bool {
    guard let time, let lastTime else { return false }
    return time > lastTime ? time - lastTime < Self.halfDay : lastTime - time > Self.halfDay
  }
}
