import Glibc

/// The fixed grid of reduced accuracy: cells of 25 km², laid by a secret.
///
/// The key turns the sphere of ``SurfaceNormal``s, so that the grid's poles lie anywhere. About them
/// the sphere is cut into bands of equal height and caps of a cell's area, and each band into
/// columns, as many as give cells of that area, within a twentieth; the key turns each band by a
/// part of a column. The poles of the Earth and the antimeridian are nothing special to it.
struct ReducedGrid: Sendable {
  /// The side of a cell in metres.
  static let cellSize = 5_000.0
  /// A cell is left for another only when the position is this far out of it, in metres. Half a
  /// cell: jitter of a tenth of a cell, which is as much as any receiver's, almost never gets there.
  /// A smaller margin lets it, and then the average of many outputs tells who lives at a border.
  /// Beside the caps, where columns taper, it is less: 1.3 km where they are narrowest.
  static let margin = cellSize / 2
  /// How far from the centre of a cell a position can be that it stands for, at most, in metres:
  /// beside a cap, where columns are widest, and with the ellipsoid's flattening.
  static let reach = 8_310.0

  /// Where the grid lies on the Earth.
  struct Axes: Sendable, Hashable {
    let pole: SurfaceNormal
    let prime: SurfaceNormal
    let east: SurfaceNormal

    /// The position at a distance from the pole and a longitude about it, in radians.
    func normal(distance: Double, longitude: Double) -> SurfaceNormal {
      let (sine, cosine) = (sin(distance), cos(distance))
      return .sum(pole, cosine, prime, sine * cos(longitude), east, sine * sin(longitude))
    }
  }

  private static let sphereRadius = 6_371_008.8
  private static let side = cellSize / sphereRadius
  private static let capRadius = side / Double.pi.squareRoot()
  private static let bandCount = ((.pi - 2 * capRadius) / side).rounded()
  private static let bandHeight = (.pi - 2 * capRadius) / bandCount

  let axes: Axes
  private let bands: SipHash

  init(key: ReducedAccuracyKey) {
    bands = key.hash(half: 0)
    let orientation = key.hash(half: 1)
    // Any direction is as likely as any other. The bands' own turns make a third angle needless.
    let height = 2 * orientation.fraction(0) - 1
    let turn = 2 * .pi * orientation.fraction(1)
    let radius = (1 - height * height).squareRoot()
    axes = Axes(
      pole: SurfaceNormal(x: radius * cos(turn), y: radius * sin(turn), z: height),
      prime: SurfaceNormal(x: height * cos(turn), y: height * sin(turn), z: -radius),
      east: SurfaceNormal(x: -sin(turn), y: cos(turn), z: 0))
  }

  /// The cell in which a position lies.
  func cell(of position: SurfaceNormal) -> ReducedCell {
    let (along, across) = (position.dot(axes.prime), position.dot(axes.east))
    let distance = atan2(hypot(along, across), position.dot(axes.pole))
    let margin = Self.margin / Self.sphereRadius
    let band = ((distance - Self.capRadius) / Self.bandHeight).rounded(.down)
    guard band >= 0 else {
      return ReducedCell(
        axes: axes, from: 0, to: Self.capRadius, longitude: 0, halfWidth: nil, margin: margin)
    }
    guard band < Self.bandCount else {
      return ReducedCell(
        axes: axes, from: .pi - Self.capRadius, to: .pi, longitude: 0, halfWidth: nil,
        margin: margin)
    }
    let near = Self.capRadius + band * Self.bandHeight
    let far = near + Self.bandHeight
    let area = 2 * .pi * (cos(near) - cos(far))
    let columns = (area / (Self.side * Self.side)).rounded()
    let width = 2 * .pi / columns
    let offset = bands.fraction(UInt64(band))
    // The column that half a turn cuts is one, from whichever side.
    let column = (atan2(across, along) / width - offset).rounded(.down)
    let canonical = column < 0 ? column + columns : column
    return ReducedCell(
      axes: axes, from: near, to: far, longitude: (canonical + 0.5 + offset) * width,
      halfWidth: width / 2, margin: margin)
  }
}

/// The cell that stands for one receiver, kept until it is clearly left.
struct CellChoice: Sendable {
  private(set) var cell: ReducedCell

  init(_ position: SurfaceNormal, in grid: ReducedGrid) { cell = grid.cell(of: position) }

  mutating func follow(_ position: SurfaceNormal, in grid: ReducedGrid) {
    if !cell.holds(position) { cell = grid.cell(of: position) }
  }
}
