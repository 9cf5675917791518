/// The fixed grid of reduced accuracy: cells of 25 km² whose position depends on a secret key.
///
/// The key rotates the sphere of ``SurfaceNormal``s, so the poles of the grid can be anywhere. The
/// sphere is divided into two caps with the area of a cell and bands of equal height between them.
/// Each band is divided into columns. The area of each cell is within 5 % of 25 km². The key shifts
/// each band by a fraction of a column. The poles of the Earth and the antimeridian need no special
/// case.
struct ReducedGrid: Sendable {
  /// The side of a cell in metres.
  static let cellSize = 5_000.0
  /// Metres. A receiver stays in its cell until it is this far outside. Jitter is expected to be a
  /// tenth of a cell or less, so it almost never exceeds the margin. With a smaller margin, the
  /// average of many outputs would reveal a receiver at a border. In the columns next to a cap, the
  /// margin is smaller: 1.3 km where they are narrowest.
  static let margin = cellSize / 2
  /// Metres. A receiver enters a reported cell once it is within this distance of the cell. The
  /// difference between the two margins exceeds the jitter of an accurate receiver.
  static let entryMargin = margin - 100
  /// The largest distance in metres between a position and the centre of its cell. It occurs next
  /// to a cap, where columns are widest, and includes the flattening of the ellipsoid.
  static let reach = 8_310.0

  /// The orientation of the grid on the Earth.
  struct Axes: Sendable, Hashable {
    let pole: SurfaceNormal
    /// Points to the grid's equator at longitude 0.
    let prime: SurfaceNormal
    /// Points to the grid's equator at longitude 90 degrees.
    let east: SurfaceNormal

    /// The position at a distance from the pole and a longitude around it, both in radians.
    func normal(distance: Double, longitude: Double) -> SurfaceNormal {
      let (sine, cosine) = (Double.sin(distance), Double.cos(distance))
      return .sum(
        pole, cosine, prime, sine * Double.cos(longitude), east, sine * Double.sin(longitude))
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
    // The direction of the pole is uniformly distributed. A third angle is not needed, because each
    // band has its own offset.
    let height = 2 * orientation.fraction(0) - 1
    let turn = 2 * .pi * orientation.fraction(1)
    let radius = (1 - height * height).squareRoot()
    axes = Axes(
      pole: SurfaceNormal(x: radius * Double.cos(turn), y: radius * Double.sin(turn), z: height),
      prime: SurfaceNormal(x: height * Double.cos(turn), y: height * Double.sin(turn), z: -radius),
      east: SurfaceNormal(x: -Double.sin(turn), y: Double.cos(turn), z: 0))
  }

  /// Returns the cell that contains a position.
  func cell(of position: SurfaceNormal) -> ReducedCell {
    let (along, across) = (position.dot(axes.prime), position.dot(axes.east))
    let distance = Double.atan2(Double.hypot(along, across), position.dot(axes.pole))
    let margins = (
      entry: Self.entryMargin / Self.sphereRadius, stay: Self.margin / Self.sphereRadius
    )
    let band = ((distance - Self.capRadius) / Self.bandHeight).rounded(.down)
    guard band >= 0 else {
      return ReducedCell(
        axes: axes, from: 0, to: Self.capRadius, longitude: 0, halfWidth: nil,
        margins: margins)
    }
    guard band < Self.bandCount else {
      return ReducedCell(
        axes: axes, from: .pi - Self.capRadius, to: .pi, longitude: 0, halfWidth: nil,
        margins: margins)
    }
    let near = Self.capRadius + band * Self.bandHeight
    let far = near + Self.bandHeight
    let area = 2 * .pi * (Double.cos(near) - Double.cos(far))
    let columns = (area / (Self.side * Self.side)).rounded()
    let width = 2 * .pi / columns
    let offset = bands.fraction(UInt64(band))
    // A column that spans longitude ±180° has the same number on both sides.
    let column = (Double.atan2(across, along) / width - offset).rounded(.down)
    let canonical = column < 0 ? column + columns : column
    return ReducedCell(
      axes: axes, from: near, to: far, longitude: (canonical + 0.5 + offset) * width,
      halfWidth: width / 2, margins: margins)
  }
}
