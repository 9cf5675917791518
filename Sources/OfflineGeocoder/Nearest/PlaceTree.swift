/// Searches a k-d tree of points. Pure.
///
/// The middle of a range is the node that splits it; the halves are its subtrees. Ranges of up to
/// ``leaf`` points are not split.
struct PlaceTree {
  /// The nearest point by its chord.
  struct Nearest {
    var index = 0
    var squaredChord = Double.infinity
    /// The square of the chord of the second nearest point, if it is
    /// ``SpacePoint/ambiguous(_:)``.
    var runnerUp = Double.infinity
  }

  private static let leaf = 8

  let nodes: Table

  func point(_ index: Int) -> SpacePoint {
    SpacePoint(
      x: Double(nodes.number(index, as: Int32.self)),
      y: Double(nodes.number(index, at: 4, as: Int32.self)),
      z: Double(nodes.number(index, at: 8, as: Int32.self)))
  }

  func nearest(to point: SpacePoint) -> Nearest {
    var result = Nearest()
    var limit = Double.infinity
    visit(0, nodes.count, Box(), point, &limit) { index, squaredChord, limit in
      if squaredChord < result.squaredChord {
        result.runnerUp = result.squaredChord
        result.squaredChord = squaredChord
        result.index = index
        limit = SpacePoint.ambiguous(squaredChord)
      } else if squaredChord < result.runnerUp {
        result.runnerUp = squaredChord
      }
    }
    return result
  }

  /// Calls a closure with each point within a chord, and with the square of its chord.
  func forEach(
    near point: SpacePoint, withinSquared squaredChord: Double, _ body: (Int, Double) -> Void
  ) {
    var limit = squaredChord
    visit(0, nodes.count, Box(), point, &limit) { index, squaredChord, _ in
      body(index, squaredChord)
    }
  }

  /// How far a range of the tree is away: the offset along each axis to the half-spaces it is in.
  private struct Box {
    var x = 0.0
    var y = 0.0
    var z = 0.0
    var squared = 0.0

    /// The box beyond a plane.
    func beyond(_ offset: Double, _ axis: UInt32) -> Box {
      var box = self
      let previous: Double
      switch axis {
      case 0: (previous, box.x) = (x, offset)
      case 1: (previous, box.y) = (y, offset)
      default: (previous, box.z) = (z, offset)
      }
      box.squared += offset * offset - previous * previous
      return box
    }
  }

  /// Calls a closure with the points of a range within a limit, which it may lower; the nearer half
  /// comes first.
  private func visit(
    _ first: Int, _ end: Int, _ box: Box, _ target: SpacePoint, _ limit: inout Double,
    _ body: (Int, Double, inout Double) -> Void
  ) {
    guard end - first > Self.leaf else {
      for index in first..<end {
        let squaredChord = point(index).squaredChord(to: target)
        if squaredChord <= limit { body(index, squaredChord, &limit) }
      }
      return
    }
    let middle = (first + end) / 2
    let node = point(middle)
    let axis = nodes.number(middle, at: 12) & 3
    let offset =
      axis == 0 ? target.x - node.x : axis == 1 ? target.y - node.y : target.z - node.z
    let isLeft = offset < 0
    visit(isLeft ? first : middle + 1, isLeft ? middle : end, box, target, &limit, body)
    let squaredChord = node.squaredChord(to: target)
    if squaredChord <= limit { body(middle, squaredChord, &limit) }
    let far = box.beyond(offset, axis)
    if far.squared <= limit {
      visit(isLeft ? middle + 1 : first, isLeft ? end : middle, far, target, &limit, body)
    }
  }
}
