/// The best places of several groups, in the order of the groups; bounded. Pure.
struct Ranking {
  private let limit: Int
  private var ranked: [(place: Int, weight: Double)] = []
  /// The start of the current group.
  private var start = 0

  init(limit: Int) { self.limit = limit }

  var places: [Int] { ranked.map(\.place) }
  var isFull: Bool { ranked.count >= limit }

  /// Begins a group; its places follow the places of previous groups.
  mutating func beginGroup() { start = ranked.count }

  /// Adds a place to the current group, by descending weight, then by the order in the file.
  /// Ignores a place that is already ranked, and drops the last place of the group beyond the
  /// limit.
  mutating func insert(_ place: Int, _ weight: Double) {
    if isFull {
      guard start < limit, let last = ranked.last, (weight, -place) > (last.weight, -last.place)
      else { return }
    }
    guard !ranked.contains(where: { $0.place == place }) else { return }
    let position =
      ranked[start...].firstIndex { (weight, -place) > ($0.weight, -$0.place) } ?? ranked.endIndex
    ranked.insert((place, weight), at: position)
    if ranked.count > limit { ranked.removeLast() }
  }
}
