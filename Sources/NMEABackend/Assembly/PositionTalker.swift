import NMEASentences

/// Decides from which talker of a family the positions are taken. Pure.
///
/// A receiver may use several talkers, GP for GGA and GN for RMC. Two talkers that send the same
/// type of sentence are two receivers on one line, or one that has changed its talker with its
/// constellations. The first one is used; another replaces it after ``patience`` sentences with a
/// position, if the first one has sent none meanwhile.
struct PositionTalker: Hashable, Sendable {
  /// The number of sentences that replace a talker.
  static let patience = 3
  /// The maximum number of rivals.
  private static let maximumRivals = 16

  private var leader: String?
  /// The types of sentences that the leader sends.
  private var types: Set<String> = []
  /// The talkers that send a type that the leader sends, and the number of such sentences with a
  /// position since the leader's last one.
  private var rivals: [String: Int] = [:]

  /// Whether a sentence is used.
  mutating func accepts(_ sentence: NMEASentence) -> Bool {
    let talker = sentence.talker
    guard sentence.isPosition else { return rivals[talker] == nil }
    guard let leader, leader != talker else {
      self.leader = talker
      types.insert(sentence.type)
      if sentence.hasPosition {
        for rival in rivals.keys { rivals[rival] = 0 }
      }
      return true
    }
    guard types.contains(sentence.type) else { return rivals[talker] == nil }
    guard rivals[talker] != nil || rivals.count < Self.maximumRivals else { return false }
    let count = (rivals[talker] ?? 0) + (sentence.hasPosition ? 1 : 0)
    rivals[talker] = count
    guard count >= Self.patience else { return false }
    self.leader = talker
    (types, rivals) = ([sentence.type], [:])
    return true
  }
}
