/// Searches a k-d tree of points. Pure.
///
/// The middle of a range is the node that splits it; the halves are its subtrees. Ranges of up to
/// ``leafSize`` points are not split.
struct PlaceTree {
  /// The nearest point by chord.
  struct Nearest {
    var index = 0
    var squaredChord = Double.infinity
    /// The square of the chord of the second nearest point if it is within
    /// ``SpacePoint/ambiguityLimit(_:)``; otherwise a greater number than that limit.
    var runnerUp = Double.infinity
  }

  fileprivate static let leafSize = 8

  let nodes: Table

  @inline(__always)
  func point(_ index: Int) -> SpacePoint {
    SpacePoint(
      x: Double(nodes.number(index, as: Int32.self)),
      y: Double(nodes.number(index, at: 4, as: Int32.self)),
      z: Double(nodes.number(index, at: 8, as: Int32.self)))
  }

  @inline(__always)
  fileprivate func axis(_ index: Int) -> UInt32 { nodes.number(index, at: 12) & 3 }

  /// The nearest included point; nil if there is none.
  func nearest(to point: SpacePoint, where isIncluded: (Int) -> Bool) -> Nearest? {
    withoutActuallyEscaping(isIncluded) { isIncluded in
      var search = TreeSearch(
        tree: self, target: point, collector: NearestCollector(isIncluded: isIncluded))
      search.visit(from: 0, to: nodes.count, in: Box())
      let nearest = search.collector.nearest
      return nearest.squaredChord.isFinite ? nearest : nil
    }
  }

  /// The points within a chord, in no order.
  func points(near point: SpacePoint, withinSquared squaredChord: Double) -> [Int] {
    var search = TreeSearch(
      tree: self, target: point, collector: NeighborCollector(limit: squaredChord))
    search.visit(from: 0, to: nodes.count, in: Box())
    return search.collector.indices
  }
}

/// Collects the points that a search finds.
private protocol PointCollector {
  /// The square of the chord within which points are searched; may decrease.
  var limit: Double { get }
  mutating func insert(_ index: Int, _ squaredChord: Double)
}

private struct NearestCollector: PointCollector {
  let isIncluded: (Int) -> Bool
  var nearest = PlaceTree.Nearest()
  var limit = Double.infinity

  mutating func insert(_ index: Int, _ squaredChord: Double) {
    guard isIncluded(index) else { return }
    if squaredChord < nearest.squaredChord {
      nearest.runnerUp = nearest.squaredChord
      nearest.squaredChord = squaredChord
      nearest.index = index
      limit = SpacePoint.ambiguityLimit(squaredChord)
    } else if squaredChord < nearest.runnerUp {
      nearest.runnerUp = squaredChord
    }
  }
}

private struct NeighborCollector: PointCollector {
  let limit: Double
  var indices: [Int] = []

  mutating func insert(_ index: Int, _ squaredChord: Double) { indices.append(index) }
}

/// The box that contains the points of a range of the tree, as its offsets from the target along
/// each axis; 0 where the box extends to the target.
private struct Box {
  var x = 0.0
  var y = 0.0
  var z = 0.0
  /// The square of the distance from the target to the box.
  var squaredDistance = 0.0

  /// The part of the box beyond a plane, at an offset from the target along an axis.
  @inline(__always)
  func beyond(_ offset: Double, _ axis: UInt32) -> Box {
    var box = self
    let previous: Double
    switch axis {
    case 0: (previous, box.x) = (x, offset)
    case 1: (previous, box.y) = (y, offset)
    default: (previous, box.z) = (z, offset)
    }
    box.squaredDistance += offset * offset - previous * previous
    return box
  }
}

/// The state of a search of the tree.
private struct TreeSearch<Collector: PointCollector> {
  let tree: PlaceTree
  let target: SpacePoint
  var collector: Collector

  /// Collects the points of a range within the limit; the nearer half comes first.
  mutating func visit(from first: Int, to end: Int, in box: Box) {
    guard end - first > PlaceTree.leafSize else {
      for index in first..<end { collect(index, tree.point(index)) }
      return
    }
    let middle = (first + end) / 2
    let node = tree.point(middle)
    let axis = tree.axis(middle)
    let offset =
      axis == 0 ? target.x - node.x : axis == 1 ? target.y - node.y : target.z - node.z
    let isLeft = offset < 0
    visit(from: isLeft ? first : middle + 1, to: isLeft ? middle : end, in: box)
    collect(middle, node)
    let far = box.beyond(offset, axis)
    guard far.squaredDistance <= collector.limit else { return }
    visit(from: isLeft ? middle + 1 : first, to: isLeft ? end : middle, in: far)
  }

  @inline(__always)
  private mutating func collect(_ index: Int, _ point: SpacePoint) {
    let squaredChord = point.squaredChord(to: target)
    if squaredChord <= collector.limit { collector.insert(index, squaredChord) }
  }
}
