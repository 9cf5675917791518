/// A cell of a cubic grid through the Earth, for finding points near each other.
///
/// The grid is Earth-centred, Earth-fixed (ECEF), so cells have the same size everywhere, including
/// at the poles and the antimeridian. Two points no farther apart than the size of a cell are in
/// the same cell or in adjacent ones, since the straight line between them is no longer than the
/// path along the ellipsoid.
struct SurfaceCell: Hashable, Sendable {
  private let x: Int32
  private let y: Int32
  private let z: Int32

  private init(_ x: Int32, _ y: Int32, _ z: Int32) { (self.x, self.y, self.z) = (x, y, z) }

  /// The cell of a point.
  ///
  /// - Parameter size: The edge of a cell in metres, at least 1.
  init(_ coordinate: Coordinate, size: Double) {
    let point = ShortDistance.Point(coordinate)
    func index(_ metres: Double) -> Int32 { Int32((metres / size).rounded(.down)) }
    self.init(index(point.x), index(point.y), index(point.z))
  }

  /// This cell and the 26 adjacent ones.
  var neighborhood: [SurfaceCell] {
    var cells: [SurfaceCell] = []
    cells.reserveCapacity(27)
    for x in x - 1...x + 1 {
      for y in y - 1...y + 1 {
        for z in z - 1...z + 1 { cells.append(SurfaceCell(x, y, z)) }
      }
    }
    return cells
  }
}
