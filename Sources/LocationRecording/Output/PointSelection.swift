/// Decides which points of a recording are its locations: those of tracks, else those of routes,
/// else the waypoints. Pure.
///
/// A recording is read once and may have the kinds in any order, so points wait while a better kind
/// may follow: GPX 1.1 has waypoints first and tracks last. At most ``capacity`` points wait. If
/// there are more, their kind is chosen. Later points of a better kind are then refused, since they
/// would make the returned locations wrong.
struct PointSelection: Hashable, Sendable {
  /// The maximum number of waiting points: some 30 MB.
  static let capacity = 65_536

  /// The decision on the waiting points.
  enum Waiting: Hashable, Sendable { case wait, leaveOut, append }

  /// The decision on the new point, which is applied after that on the waiting points.
  enum Point: Hashable, Sendable { case wait, leaveOut, append, refuse }

  struct Action: Hashable, Sendable {
    let waiting: Waiting
    let point: Point

    init(_ waiting: Waiting, _ point: Point) { (self.waiting, self.point) = (waiting, point) }
  }

  private enum State: Hashable {
    case empty
    /// The best kind so far, and the number of its waiting points.
    case waiting(RecordedPointKind, Int)
    case chosen(RecordedPointKind)
  }

  private let capacity: Int
  private var state = State.empty

  init(capacity: Int = Self.capacity) { self.capacity = capacity }

  /// The best kind so far; nil before the first point.
  var kind: RecordedPointKind? {
    switch state {
    case .empty: nil
    case .waiting(let kind, _), .chosen(let kind): kind
    }
  }

  /// Decides about the next point.
  mutating func handle(_ kind: RecordedPointKind) -> Action {
    switch state {
    case .chosen(let chosen):
      if kind == chosen { return Action(.wait, .append) }
      return Action(.wait, kind.isBetter(than: chosen) ? .refuse : .leaveOut)
    case .empty: return begin(kind)
    case .waiting(let best, let count):
      if kind.isBetter(than: best) { return begin(kind) }
      guard kind == best else { return Action(.wait, .leaveOut) }
      state = count < capacity ? .waiting(kind, count + 1) : .chosen(kind)
      return count < capacity ? Action(.wait, .wait) : Action(.append, .append)
    }
  }

  /// Handles the first point of the best kind so far.
  private mutating func begin(_ kind: RecordedPointKind) -> Action {
    state = kind == .track ? .chosen(kind) : .waiting(kind, 1)
    return Action(.leaveOut, kind == .track ? .append : .wait)
  }

  /// Decides about the points that wait at the end.
  mutating func finish() -> Waiting {
    guard case .waiting(let kind, _) = state else { return .wait }
    state = .chosen(kind)
    return .append
  }
}

extension RecordedPointKind {
  func isBetter(than other: Self) -> Bool { rawValue > other.rawValue }
}
