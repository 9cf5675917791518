/// A cell of a grid on the sphere: a square of a cube's face, projected from the centre.
///
/// Level 0 has one cell per face; each level halves the side of the previous level. A cell at the
/// corner of a face is half as wide as one at its centre.
struct CubeCell: Sendable, Hashable {
  /// Face, level, column and row.
  let key: UInt64

  /// Cells of the last level are 0.2 to 0.4 m wide.
  static let lastLevel = 25

  private init(face: Int, level: Int, column: Int, row: Int) {
    key = UInt64(face) << 57 | UInt64(level) << 52 | UInt64(column) << 26 | UInt64(row)
  }

  /// The cell of a point on a level.
  init(_ point: SphericalPoint, level: Int) {
    let face = Self.face(of: point)
    let (u, v) = Self.project(point, to: face)
    self.init(
      face: face, level: level, column: Self.position(u, level), row: Self.position(v, level))
  }

  /// Calls a closure with the cell of a point on each level of a bit set. The point is projected
  /// only once.
  static func onLevels(_ levels: UInt32, at point: SphericalPoint, _ body: (CubeCell) -> Void) {
    let face = face(of: point)
    let (u, v) = project(point, to: face)
    var rest = levels
    while rest != 0 {
      let level = rest.trailingZeroBitCount
      rest &= rest - 1
      body(
        CubeCell(face: face, level: level, column: position(u, level), row: position(v, level)))
    }
  }

  /// The cells that cover a cap: at most four on each face that it touches, on the level whose
  /// cells are just wider than the cap. Nil for a cap that is too wide for the grid.
  static func covering(_ cap: SphericalCap) -> (cells: [CubeCell], level: Int)? {
    guard cap.angle <= widestCap else { return nil }
    let boxes = (0..<6).compactMap { face in box(of: cap, on: face).map { (face, $0) } }
    let width = boxes.reduce(0) { max($0, $1.1.width) }
    guard width > 0, width <= 1 else { return nil }
    // A cell of level n is 2¹⁻ⁿ wide.
    let level = min(max(Int((1 / width).exponent) + 1, 0), lastLevel)
    let cells = boxes.flatMap { face, box in
      (position(box.minU, level)...position(box.maxU, level)).flatMap { column in
        (position(box.minV, level)...position(box.maxV, level)).map { row in
          CubeCell(face: face, level: level, column: column, row: row)
        }
      }
    }
    return (cells, level)
  }

  /// Radians, about 640 km.
  private static let widestCap = 0.1

  private struct Box {
    var (minU, maxU, minV, maxV): (Double, Double, Double, Double)

    var width: Double { max(maxU - minU, maxV - minV) }
  }

  /// A box on a face, in -1...1, that contains the part of a cap on that face.
  private static func box(of cap: SphericalCap, on face: Int) -> Box? {
    let axis = component(cap.center, face)
    // A face's corners are 54.7° from its centre.
    guard axis > 0.4 else { return nil }
    let (u, v) = project(cap.center, to: face)
    // On the plane of the face, an angle θ at a distance ρ from its centre becomes at most
    // θ (1 + ρ²) / (1 − ρ tan θ).
    let square = u * u + v * v
    let reach =
      Double.tan(cap.angle) * (1 + square) / (1 - square.squareRoot() * Double.tan(cap.angle))
      * (1 + 1e-9) + 1e-15
    let box = Box(
      minU: max(u - reach, -1), maxU: min(u + reach, 1), minV: max(v - reach, -1),
      maxV: min(v + reach, 1))
    guard box.minU <= box.maxU, box.minV <= box.maxV else { return nil }
    return box
  }

  /// The column or row of a coordinate in -1...1 on a face.
  private static func position(_ value: Double, _ level: Int) -> Int {
    let count = 1 << level
    return min(max(Int((value + 1) / 2 * Double(count)), 0), count - 1)
  }

  /// Faces 0...5: +x, +y, +z, −x, −y, −z.
  private static func face(of point: SphericalPoint) -> Int {
    let (x, y, z) = (abs(point.x), abs(point.y), abs(point.z))
    if x >= y, x >= z { return point.x > 0 ? 0 : 3 }
    if y >= z { return point.y > 0 ? 1 : 4 }
    return point.z > 0 ? 2 : 5
  }

  /// The coordinate of a point along the axis of a face.
  private static func component(_ point: SphericalPoint, _ face: Int) -> Double {
    switch face {
    case 0: point.x
    case 1: point.y
    case 2: point.z
    case 3: -point.x
    case 4: -point.y
    default: -point.z
    }
  }

  private static func project(_ point: SphericalPoint, to face: Int) -> (u: Double, v: Double) {
    let scale = 1 / component(point, face)
    return switch face % 3 {
    case 0: (point.y * scale, point.z * scale)
    case 1: (point.z * scale, point.x * scale)
    default: (point.x * scale, point.y * scale)
    }
  }
}
