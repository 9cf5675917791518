/// Chains of geodesic edges, in a tree of caps over consecutive edges.
///
/// On the sphere an edge is the arc between its ends. The true edge deviates from the arc by at
/// most ``SphericalArc/deviation(_:_:)``; within that distance, and where bounds do not decide, the
/// geodesic is solved.
final class EdgeTree: Sendable {
  /// A run of consecutive edges of one chain, and a cap that contains their arcs.
  private struct Node: Sendable {
    let cap: SphericalCap
    /// The largest ``SphericalArc/deviation(_:_:)`` of its edges in metres.
    let deviation: Double
    let edges: Range<Int32>
    /// The nodes of the next lower level; empty for a leaf.
    let children: Range<Int32>
  }

  private struct Vertex: Sendable {
    let coordinate: Coordinate
    let point: SphericalPoint

    init(_ coordinate: Coordinate) {
      self.coordinate = coordinate
      point = SphericalPoint(coordinate)
    }
  }

  /// The vertices of all chains, one after another. An edge is named by the index of its start.
  private let vertices: [Vertex]
  /// The index after the last vertex of each chain but the last.
  private let ends: [Int32]
  /// Empty for few edges, which are one leaf.
  private let nodes: [Node]
  private let roots: Range<Int32>
  /// Contains every edge, geodesics included.
  let cap: SphericalCap
  /// The largest ``SphericalArc/deviation(_:_:)``.
  private let deviation: Double

  /// The number of edges in a leaf, and of children of a node.
  private static let width = 8

  /// - Parameter chains: Chains of at least two vertices that fit into a hemisphere. A ring repeats
  ///   its first vertex at the end.
  init(chains: [[Coordinate]]) {
    let vertices = chains.flatMap { $0.map(Vertex.init) }
    var ends: [Int32] = []
    var nodes: [Node] = []
    var tops: [Node] = []
    var first = 0
    for chain in chains {
      let end = first + chain.count
      var level = Self.leaves(first..<end - 1, vertices)
      while level.count > Self.width { level = Self.parents(of: level, vertices, &nodes) }
      tops += level
      if end < vertices.count { ends.append(Int32(end)) }
      first = end
    }
    self.vertices = vertices
    self.ends = ends
    deviation = tops.reduce(0) { max($0, $1.deviation) }
    let arcs = Self.cap(over: 0..<vertices.count - 1, vertices)
    cap = SphericalCap(
      center: arcs.center, angle: arcs.angle + deviation / WGS84.polarRadius)
    if chains.count == 1, vertices.count <= 2 * Self.width {
      (self.nodes, roots) = ([], 0..<0)
    } else {
      roots = Int32(nodes.count)..<Int32(nodes.count + tops.count)
      self.nodes = nodes + tops
    }
  }

  /// The vertices of each chain.
  var chains: [[Coordinate]] {
    zip([0] + ends.map(Int.init), ends.map(Int.init) + [vertices.count]).map { first, end in
      vertices[first..<end].map(\.coordinate)
    }
  }

  /// The chains that a search considers.
  private enum Chains {
    case all, first
  }

  /// Calls a closure with the nodes to begin with: the roots, or all edges as one leaf.
  @inline(__always)
  private func withRoots(of chains: Chains = .all, _ body: (Node) -> Void) {
    if nodes.isEmpty {
      body(
        Node(
          cap: cap, deviation: deviation, edges: 0..<Int32(vertices.count - 1), children: 0..<0))
    } else {
      for root in roots {
        let root = nodes[Int(root)]
        // The roots are in the order of the chains.
        if chains == .first, let end = ends.first, root.edges.lowerBound >= end { break }
        body(root)
      }
    }
  }

  private static func leaves(_ edges: Range<Int>, _ vertices: [Vertex]) -> [Node] {
    stride(from: edges.lowerBound, to: edges.upperBound, by: width).map { first in
      let run = first..<min(first + width, edges.upperBound)
      return Node(
        cap: cap(over: run, vertices), deviation: deviation(of: run, vertices),
        edges: Int32(run.lowerBound)..<Int32(run.upperBound), children: 0..<0)
    }
  }

  /// Moves a level to the end of the nodes and returns the level above it.
  private static func parents(
    of level: [Node], _ vertices: [Vertex], _ nodes: inout [Node]
  ) -> [Node] {
    let base = nodes.count
    nodes += level
    return stride(from: 0, to: level.count, by: width).map { first in
      let children = level[first..<min(first + width, level.count)]
      let edges = children.first!.edges.lowerBound..<children.last!.edges.upperBound
      return Node(
        cap: cap(over: Int(edges.lowerBound)..<Int(edges.upperBound), vertices),
        deviation: children.reduce(0) { max($0, $1.deviation) }, edges: edges,
        children: Int32(base + first)..<Int32(base + first + children.count))
    }
  }

  /// A cap over consecutive edges. The callers have checked that the vertices fit into a hemisphere.
  private static func cap(over edges: Range<Int>, _ vertices: [Vertex]) -> SphericalCap {
    let run = vertices[edges.lowerBound...edges.upperBound].lazy.map(\.point)
    return SphericalCap(containing: run) ?? SphericalCap(center: run.first!, angle: .pi / 2)
  }

  private static func deviation(of edges: Range<Int>, _ vertices: [Vertex]) -> Double {
    edges.reduce(0) {
      max($0, SphericalArc.deviation(vertices[$1].point, vertices[$1 + 1].point))
    }
  }
}

// MARK: Distances

extension EdgeTree {
  /// Bounds in metres of the distance from a point to the nearest edge.
  func distance(to point: AreaPoint) -> ClosedRange<Double> { distance(to: point, of: .all) }

  private func distance(to point: AreaPoint, of chains: Chains) -> ClosedRange<Double> {
    var search = NearestSearch(point.spherical)
    withRoots(of: chains) { bound($0, &search) }
    return search.lower...search.upper
  }

  /// The distance in metres from a point to the nearest edge.
  func exactDistance(to point: AreaPoint) -> Double { exactDistance(to: point, of: .all) }

  private func exactDistance(to point: AreaPoint, of chains: Chains) -> Double {
    var search = NearestSearch(point.spherical)
    withRoots(of: chains) { bound($0, &search) }
    var nearest = Double.infinity
    var edges: [Int] = []
    withRoots(of: chains) { collect($0, within: search.upper, point.spherical, &edges) }
    for edge in edges {
      nearest = min(nearest, segment(edge).nearest(to: point.coordinate).distance)
    }
    return nearest
  }

  private struct NearestSearch {
    let point: SphericalPoint
    var lower = Double.infinity
    var upper = Double.infinity

    init(_ point: SphericalPoint) { self.point = point }
  }

  private func bound(_ node: Node, _ search: inout NearestSearch) {
    let gap = lowerBound(node, search.point)
    guard gap < search.upper else {
      search.lower = min(search.lower, gap)
      return
    }
    for child in node.children { bound(nodes[Int(child)], &search) }
    guard node.children.isEmpty else { return }
    for edge in node.edges {
      let angle = arcAngle(Int(edge), search.point)
      search.lower = min(search.lower, angle * WGS84.polarRadius - node.deviation)
      search.upper = min(search.upper, angle * WGS84.equatorialRadius + node.deviation)
    }
    search.lower = max(search.lower, 0)
  }

  /// Collects the edges that may be within a distance in metres.
  private func collect(
    _ node: Node, within distance: Double, _ point: SphericalPoint, _ edges: inout [Int]
  ) {
    guard lowerBound(node, point) <= distance else { return }
    for child in node.children { collect(nodes[Int(child)], within: distance, point, &edges) }
    guard node.children.isEmpty else { return }
    for edge in node.edges
    where arcAngle(Int(edge), point) * WGS84.polarRadius - node.deviation <= distance {
      edges.append(Int(edge))
    }
  }

  private func lowerBound(_ node: Node, _ point: SphericalPoint) -> Double {
    let gap = point.angle(to: node.cap.center) - node.cap.angle
    return max(gap * WGS84.polarRadius - node.deviation, 0)
  }

  /// The angle from a point to the arc of an edge in radians.
  private func arcAngle(_ edge: Int, _ point: SphericalPoint) -> Double {
    SphericalArc(from: vertices[edge].point, to: vertices[edge + 1].point).angle(to: point)
  }

  private func segment(_ edge: Int) -> GeodesicSegment {
    GeodesicSegment(from: vertices[edge].coordinate, to: vertices[edge + 1].coordinate)
  }
}

// MARK: Inside

extension EdgeTree {
  /// Returns the side of a point, for chains that are rings, and whether it is at least a margin in
  /// metres from the nearest edge that limits the area.
  func side(of point: AreaPoint, margin: Double) -> (side: AreaSide, isCertain: Bool) {
    let (isInFirst, isInAnother) = rings(around: point)
    let side: AreaSide = isInFirst && !isInAnother ? .inside : .outside
    guard margin > 0 else { return (side, true) }
    // From outside the first ring, the others limit nothing: the way to the area crosses the first.
    let chains: Chains = isInFirst ? .all : .first
    let bounds = distance(to: point, of: chains)
    if bounds.lowerBound >= margin { return (side, true) }
    if bounds.upperBound < margin { return (side, false) }
    return (side, exactDistance(to: point, of: chains) >= margin)
  }

  /// Whether a point is within the first ring, and within any other.
  ///
  /// Counts the edges that cross the meridian from the point over the north to its antipode, which
  /// is outside because the rings fit into a hemisphere.
  private func rings(around point: AreaPoint) -> (first: Bool, another: Bool) {
    guard point.spherical.angle(to: cap.center) <= cap.angle else { return (false, false) }
    let meridian = Meridian(from: point.spherical)
    var (chain, parity, isInFirst, isInAnother) = (0, false, false, false)
    func endChain() {
      if chain == 0 { isInFirst = parity } else if parity { isInAnother = true }
      (chain, parity) = (chain + 1, false)
    }
    // The roots are in the order of the chains.
    withRoots { root in
      while chain < ends.count, root.edges.lowerBound >= ends[chain] { endChain() }
      parity = parity != crosses(root, point, meridian)
    }
    endChain()
    return (isInFirst, isInAnother)
  }

  /// The half circle from a point over the north to its antipode.
  private struct Meridian {
    private let east: SphericalPoint
    private let north: SphericalPoint

    init(from point: SphericalPoint) {
      let radius = Double.hypot(point.x, point.y)
      east =
        radius > 0
        ? SphericalPoint(x: -point.y / radius, y: point.x / radius, z: 0)
        : SphericalPoint(x: 0, y: 1, z: 0)
      north = point.cross(east)
    }

    /// True when the arc between two points crosses the meridian.
    @inline(__always)
    func isCrossed(_ start: SphericalPoint, _ end: SphericalPoint) -> Bool {
      let (from, to) = (start.dot(east), end.dot(east))
      guard (from > 0) != (to > 0) else { return false }
      let height = start.dot(north) * to - end.dot(north) * from
      return to > 0 ? height > 0 : height < 0
    }
  }

  /// True when the edges of a node cross the meridian an odd number of times.
  private func crosses(_ node: Node, _ point: AreaPoint, _ meridian: Meridian) -> Bool {
    let angle = point.spherical.angle(to: node.cap.center)
    let reach = node.cap.angle + node.deviation / WGS84.polarRadius
    if angle > reach, .pi - angle > reach {
      // The run can be straightened without passing over either end of the meridian.
      return meridian.isCrossed(
        vertices[Int(node.edges.lowerBound)].point, vertices[Int(node.edges.upperBound)].point)
    }
    guard node.children.isEmpty else {
      return node.children.reduce(false) { $0 != crosses(nodes[Int($1)], point, meridian) }
    }
    return node.edges.reduce(false) { parity, edge in
      let isCrossed = meridian.isCrossed(
        vertices[Int(edge)].point, vertices[Int(edge) + 1].point)
      return parity != (isCrossed != isBetween(Int(edge), point))
    }
  }

  /// True when a point is between an edge's arc and its geodesic.
  private func isBetween(_ edge: Int, _ point: AreaPoint) -> Bool {
    let (start, end) = (vertices[edge].point, vertices[edge + 1].point)
    let angle = arcAngle(edge, point.spherical)
    guard angle * WGS84.polarRadius <= SphericalArc.deviation(start, end) else { return false }
    guard let side = segment(edge).nearest(to: point.coordinate).side else { return false }
    let isLeftOfArc = (start - end).cross(start + end).dot(point.spherical) > 0
    return isLeftOfArc != (side < 0)
  }
}
