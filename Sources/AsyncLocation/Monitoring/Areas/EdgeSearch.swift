/// A search for edges near a point, nearest first.
///
/// The parts of the tree are runs of edges and single edges. The distance to a part is bounded
/// without solving a geodesic. A run is divided only if its bounds do not decide; the geodesic of
/// an edge is solved last.
struct EdgeSearch {
  private let tree: EdgeTree
  private let chains: EdgeTree.Chains
  private let point: Coordinate
  private let position: SpatialPoint
  private var queue = PriorityQueue<EdgeTree.Part>()
  /// The number of parts that were compared with the point.
  private(set) var comparisons = 0

  init(_ tree: EdgeTree, near point: AreaPoint, of chains: EdgeTree.Chains = .all) {
    (self.tree, self.chains, self.point) = (tree, chains, point.coordinate)
    position = SpatialPoint(point.spherical)
  }

  /// Bounds in metres of the distance to a part.
  private mutating func bounds(_ part: EdgeTree.Part) -> (least: Double, most: Double) {
    comparisons += 1
    let strip = tree.strip(part)
    let gap = position.distance(toLineFrom: strip.start, to: strip.end)
    return (max(gap - strip.halfWidth, 0), SpatialPoint.longestPath(chord: gap + strip.halfWidth))
  }

  // MARK: Comparing with a distance

  /// Returns whether the nearest edge is within a distance in metres.
  mutating func isWithin(_ limit: Double) -> Bool {
    queue.removeAll()
    if isCertainlyWithin(limit, tree.roots(of: chains)) { return true }
    while let nearest = queue.popFirst() {
      switch nearest.element {
      case .edge(let edge):
        if tree.distance(from: point, to: edge) <= limit { return true }
      case .run(let run):
        if isCertainlyWithin(limit, tree.parts(of: run)) { return true }
      }
    }
    return false
  }

  /// Returns whether the bounds show that a part is within a distance. Queues the parts whose
  /// bounds do not decide.
  private mutating func isCertainlyWithin(
    _ limit: Double, _ parts: some Sequence<EdgeTree.Part>
  ) -> Bool {
    for part in parts {
      let bounds = bounds(part)
      if bounds.most <= limit { return true }
      if bounds.least <= limit { queue.add(part, at: bounds.least) }
    }
    return false
  }

  // MARK: Clearance

  /// Returns a lower bound of the difference in metres between a limit and the distance to the
  /// nearest edge. The bound is at least about half of the difference.
  mutating func clearance(from limit: Double) -> Double {
    queue.removeAll()
    // Bounds of the distance to the nearest edge.
    var (least, most) = (Double.infinity, Double.infinity)
    add(tree.roots(of: chains), &most)
    while let nearest = queue.popFirst() {
      // All queued parts are at least as far. The search ends when no nearer edge can be among
      // them, or when the bounds are close enough for the result.
      guard nearest.priority < min(least, most - abs(most - limit) / 2) else {
        least = min(least, nearest.priority)
        break
      }
      switch nearest.element {
      case .edge(let edge):
        let distance = tree.distance(from: point, to: edge)
        (least, most) = (min(least, distance), min(most, distance))
      case .run(let run):
        add(tree.parts(of: run), &most)
      }
    }
    return max(least - limit, limit - most, 0)
  }

  /// Queues the parts that may contain the nearest edge, and lowers the upper bound of its
  /// distance.
  private mutating func add(_ parts: some Sequence<EdgeTree.Part>, _ most: inout Double) {
    for part in parts {
      let bounds = bounds(part)
      most = min(most, bounds.most)
      if bounds.least < most { queue.add(part, at: bounds.least) }
    }
  }
}
