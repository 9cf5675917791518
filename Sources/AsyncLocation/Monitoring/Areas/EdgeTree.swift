/// Chains of geodesic edges, in a tree of runs of consecutive edges.
///
/// On the sphere an edge is the arc between its ends. The true edge deviates from the arc by at
/// most ``SphericalArc/deviation(_:_:)``; the geodesic is solved for points within that distance.
/// Long edges are divided, because the bound holds for short edges only.
final class EdgeTree: Sendable {
  /// A run of consecutive edges of one chain.
  struct Run: Sendable {
    /// Contains the arcs of its edges.
    let cap: SphericalCap
    /// The largest ``SphericalArc/deviation(_:_:)`` of its edges in metres.
    let deviation: Double
    /// The largest straight-line distance in metres from its edges to the chord between its ends.
    let halfWidth: Double
    let edges: Range<Int32>
    /// The runs of the next lower level; empty for a leaf.
    let children: Range<Int32>
  }

  struct Vertex: Sendable {
    let coordinate: Coordinate
    let point: SphericalPoint

    init(_ coordinate: Coordinate) {
      self.coordinate = coordinate
      point = SphericalPoint(coordinate)
    }
  }

  /// The vertices of all chains, one after another, and the points that divide long edges. An edge
  /// is identified by the index of its start.
  let vertices: [Vertex]
  /// The indices of the vertices that divide long edges.
  private let dividers: [Int32]
  /// The index after the last vertex of each chain except the last chain.
  let ends: [Int32]
  /// Empty if there are few edges, which then form one leaf.
  let runs: [Run]
  private let roots: Range<Int32>
  /// Contains every edge, geodesics included.
  let cap: SphericalCap
  /// The largest ``SphericalArc/deviation(_:_:)`` of all edges in metres.
  private let deviation: Double

  /// The largest number of edges in a leaf, and of children of any other run.
  private static let width = 8

  /// The largest angle between the ends of an edge in radians, about 1,270 km. Beyond 2.2 radians,
  /// ``SphericalArc/deviation(_:_:)`` would not hold.
  private static let longestEdge = 0.2

  /// - Parameter chains: Chains of at least two vertices that ``AreaLimits`` accepts. A ring
  ///   repeats its first vertex at the end.
  init(chains: [[Coordinate]]) {
    var vertices: [Vertex] = []
    vertices.reserveCapacity(chains.reduce(0) { $0 + $1.count })
    var dividers: [Int32] = []
    var ends: [Int32] = []
    var runs: [Run] = []
    var topRuns: [Run] = []
    for (index, chain) in chains.enumerated() {
      let first = vertices.count
      Self.append(chain, to: &vertices, &dividers)
      var level = Self.leaves(first..<vertices.count - 1, vertices)
      while level.count > Self.width { level = Self.parents(of: level, vertices, &runs) }
      topRuns += level
      if index < chains.count - 1 { ends.append(Int32(vertices.count)) }
    }
    self.vertices = vertices
    self.dividers = dividers
    self.ends = ends
    deviation = topRuns.reduce(0) { max($0, $1.deviation) }
    let arcs = Self.cap(over: 0..<vertices.count - 1, vertices)
    cap = SphericalCap(
      center: arcs.center, angle: arcs.angle + deviation / WGS84.polarRadius)
    if chains.count == 1, vertices.count <= 2 * Self.width {
      (self.runs, roots) = ([], 0..<0)
    } else {
      roots = Int32(runs.count)..<Int32(runs.count + topRuns.count)
      self.runs = runs + topRuns
    }
  }

  /// Appends the vertices of a chain, and points that divide its long edges.
  private static func append(
    _ chain: [Coordinate], to vertices: inout [Vertex], _ dividers: inout [Int32]
  ) {
    vertices.append(Vertex(chain[0]))
    for (start, end) in zip(chain, chain.dropFirst()) {
      let vertex = Vertex(end)
      let angle = vertices[vertices.count - 1].point.angle(to: vertex.point)
      if angle > longestEdge {
        let points = GeodesicSegment(from: start, to: end)
          .points(dividingInto: Int((angle / longestEdge).rounded(.up)))
        for point in points {
          dividers.append(Int32(vertices.count))
          vertices.append(Vertex(point))
        }
      }
      vertices.append(vertex)
    }
  }

  /// The vertices of each chain, without the points that divide long edges.
  var chains: [[Coordinate]] {
    let dividers = Set(dividers.map(Int.init))
    return zip([0] + ends.map(Int.init), ends.map(Int.init) + [vertices.count]).map { first, end in
      (first..<end).filter { !dividers.contains($0) }.map { vertices[$0].coordinate }
    }
  }

  // MARK: Building

  private static func leaves(_ edges: Range<Int>, _ vertices: [Vertex]) -> [Run] {
    stride(from: edges.lowerBound, to: edges.upperBound, by: width).map { first in
      let edges = first..<min(first + width, edges.upperBound)
      return Run(
        cap: cap(over: edges, vertices),
        deviation: edges.reduce(0) {
          max($0, SphericalArc.deviation(vertices[$1].point, vertices[$1 + 1].point))
        },
        halfWidth: halfWidth(of: edges, vertices),
        edges: Int32(edges.lowerBound)..<Int32(edges.upperBound), children: 0..<0)
    }
  }

  /// Moves a level to the end of the runs and returns the level above it.
  private static func parents(
    of level: [Run], _ vertices: [Vertex], _ runs: inout [Run]
  ) -> [Run] {
    let base = runs.count
    runs += level
    return stride(from: 0, to: level.count, by: width).map { first in
      let children = level[first..<min(first + width, level.count)]
      let edges = children.first!.edges.lowerBound..<children.last!.edges.upperBound
      let indices = Int(edges.lowerBound)..<Int(edges.upperBound)
      return Run(
        cap: cap(over: indices, vertices),
        deviation: children.reduce(0) { max($0, $1.deviation) },
        halfWidth: halfWidth(of: indices, vertices), edges: edges,
        children: Int32(base + first)..<Int32(base + first + children.count))
    }
  }

  /// A cap over the arcs of consecutive edges.
  private static func cap(over edges: Range<Int>, _ vertices: [Vertex]) -> SphericalCap {
    SphericalCap(
      containing: vertices[edges.lowerBound...edges.upperBound].lazy.map(\.point),
      sufficient: widestCap)
  }

  /// Radians. A cap over arcs must be smaller than a hemisphere, which holds for accepted areas.
  private static let widestCap = 1.5

  private static func halfWidth(of edges: Range<Int>, _ vertices: [Vertex]) -> Double {
    let start = SpatialPoint(vertices[edges.lowerBound].point)
    let end = SpatialPoint(vertices[edges.upperBound].point)
    var (farthest, longest) = (0.0, 0.0)
    var last = start
    for edge in edges {
      let next = SpatialPoint(vertices[edge + 1].point)
      farthest = max(farthest, next.distance(toLineFrom: start, to: end))
      longest = max(longest, last.distance(to: next))
      last = next
    }
    return farthest + SpatialPoint.bulge(chord: longest)
  }
}

// MARK: Parts

extension EdgeTree {
  /// The chains that a search considers.
  enum Chains {
    case all, first
  }

  /// A run or a single edge.
  enum Part: Sendable {
    case run(Int32)
    case edge(Int32)
  }

  /// The parts with which a search of the chains starts.
  func roots(of chains: Chains) -> some Sequence<Part> {
    guard !runs.isEmpty else { return Self.parts(0..<Int32(vertices.count - 1), areEdges: true) }
    var roots = roots
    // The roots are in the order of the chains.
    if chains == .first, let end = ends.first,
      let other = roots.first(where: { runs[Int($0)].edges.lowerBound >= end })
    {
      roots = roots.lowerBound..<other
    }
    return Self.parts(roots, areEdges: false)
  }

  /// The children of a run, or the edges of a leaf.
  func parts(of run: Int32) -> some Sequence<Part> {
    let run = runs[Int(run)]
    return run.children.isEmpty
      ? Self.parts(run.edges, areEdges: true) : Self.parts(run.children, areEdges: false)
  }

  private static func parts(
    _ indices: Range<Int32>, areEdges: Bool
  ) -> some Sequence<Part> {
    indices.lazy.map { areEdges ? Part.edge($0) : .run($0) }
  }

  /// A line segment and a distance in metres that bound a part: no point of the part is farther
  /// from the segment, and no point of the segment is farther from the part.
  @inline(__always)
  func strip(_ part: Part) -> (start: SpatialPoint, end: SpatialPoint, halfWidth: Double) {
    switch part {
    case .run(let index):
      let run = runs[Int(index)]
      return (
        SpatialPoint(vertices[Int(run.edges.lowerBound)].point),
        SpatialPoint(vertices[Int(run.edges.upperBound)].point), run.halfWidth
      )
    case .edge(let edge):
      let start = SpatialPoint(vertices[Int(edge)].point)
      let end = SpatialPoint(vertices[Int(edge) + 1].point)
      return (start, end, SpatialPoint.bulge(chord: start.distance(to: end)))
    }
  }

  /// The distance in metres from a point to an edge.
  func distance(from point: Coordinate, to edge: Int32) -> Double {
    segment(Int(edge)).nearest(to: point).distance
  }

  func segment(_ edge: Int) -> GeodesicSegment {
    GeodesicSegment(from: vertices[edge].coordinate, to: vertices[edge + 1].coordinate)
  }

  /// Calls a closure with each root, or with all edges as one leaf if there are no runs.
  @inline(__always)
  func forEachRoot(_ body: (Run) -> Void) {
    guard !runs.isEmpty else {
      return body(
        Run(
          cap: cap, deviation: deviation, halfWidth: .infinity,
          edges: 0..<Int32(vertices.count - 1), children: 0..<0))
    }
    for root in roots { body(runs[Int(root)]) }
  }
}
