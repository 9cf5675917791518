/// The ground that a view shows: land, borders, and the largest places. Pure.
struct GroundShapes: Hashable, Sendable {
  struct Place: Hashable, Sendable {
    let name: String
    let place: PlanePoint
  }

  /// The number of points of all rings and borders above which they are simplified again with twice
  /// the tolerance, up to ``coarsestTolerance``.
  private static let vertexLimit = 30_000
  /// The maximum number of places.
  private static let placeLimit = 200
  /// The first tolerance in pixels.
  private static let finestTolerance = 0.4
  /// The last tolerance in pixels, regardless of the number of points.
  private static let coarsestTolerance = 3.2
  /// The least width or height of a drawn island, in pixels.
  private static let leastExtent = 1.0
  /// The greatest error of a drawn coast, in pixels.
  private static let greatestError = 16.0
  /// The margin around the view in pixels, which hides the edges of clipped areas.
  private static let bleed = 8.0

  /// The rings of land, for the nonzero winding rule; nil if the view shows more detail than the
  /// file has, or if there is no file.
  private(set) var land: [[PlanePoint]]?
  private(set) var borders: [[PlanePoint]] = []
  /// The places, the largest first.
  private(set) var places: [Place] = []

  /// - Parameter file: Nil for a plain ground.
  init(_ file: GroundFile?, in view: MapView) {
    guard let file else { return }
    let tiles = GroundTiles(view, bleed: Self.bleed).visible.map { visible in
      (visible, file.tile(row: visible.row, column: visible.column))
    }
    let candidates = tiles.flatMap { visible, tile in
      tile.places.map { ($0, visible.pixel($0.point)) }
    }
    places =
      candidates.filter { view.box.contains($0.1) }
      .sorted { $0.0.population > $1.0.population }
      .prefix(Self.placeLimit).map { Place(name: $0.name, place: $1) }
    let limit = Self.greatestError * view.metresPerPixel
    guard !tiles.isEmpty, tiles.allSatisfy({ $0.1.tolerance <= limit }) else { return }
    let box = view.box.expanded(by: Self.bleed)
    let lines = tiles.flatMap { visible, tile in
      tile.borders.flatMap { Clipping.line($0.map(visible.pixel), to: box) }
    }
    let rings = tiles.flatMap { visible, tile in
      tile.areas.map { Clipping.ring($0.map(visible.pixel), to: box) }
    }
    var tolerance = Self.finestTolerance
    repeat {
      borders = lines.map { LineReduction.reduced($0, tolerance: tolerance) }
      land = rings.map { LineReduction.reduced($0, tolerance: tolerance) }
        .filter { $0.count > 2 && PlaneBox.extent(of: $0) >= Self.leastExtent }
      tolerance *= 2
    } while vertexCount > Self.vertexLimit && tolerance <= Self.coarsestTolerance
  }

  /// The sources of the ground that is shown; nil if no ground is shown.
  var credits: String? {
    switch (land == nil, places.isEmpty) {
    case (true, true): nil
    case (true, false): "Names: GeoNames"
    case (false, true): "Land: GSHHG"
    case (false, false): "Land: GSHHG, names: GeoNames"
    }
  }

  /// The credits as a sentence to append to others; empty without credits.
  var creditsSentence: String { credits.map { " \($0)." } ?? "" }

  private var vertexCount: Int {
    (borders + (land ?? [])).reduce(0) { $0 + $1.count }
  }
}

/// The tiles of the ground that a view shows. Pure.
struct GroundTiles {
  /// A tile and its place in a view. A view around the Earth may have a tile twice.
  struct Visible {
    let row: Int
    let column: Int
    fileprivate let view: MapView
    /// The x of the western edge in Mercator's projection, in the units of the projection.
    fileprivate let left: Double

    /// The pixel of a point of the tile.
    func pixel(_ point: GroundTile.Point) -> PlanePoint {
      var place = view.projection.point(latitude: point.latitude, longitude: point.longitude)
      if view.projection.kind == .mercator {
        // A point beyond the side of the map remains next to the tile's other points.
        place.x = left + (point.longitude - west).radians
      }
      return view.pixel(place)
    }

    private var west: Double { Double(column * GroundFile.side - 180) }

    /// The pixels of points on the edge, and of the middle.
    fileprivate var outline: [PlanePoint] {
      let side = Double(GroundFile.side)
      let south = Double(row * GroundFile.side - 90)
      return [0, side / 2, side].flatMap { north in
        [0, side / 2, side].map { east in
          pixel(GroundTile.Point(latitude: south + north, longitude: west + east))
        }
      }
    }
  }

  let visible: [Visible]

  init(_ view: MapView, bleed: Double) {
    let box = view.box.expanded(by: bleed)
    let isMercator = view.projection.kind == .mercator
    visible = (0..<GroundFile.rowCount).flatMap { row -> [Visible] in
      let turns = isMercator ? [-1.0, 0, 1] : [0]
      return (0..<GroundFile.columnCount).flatMap { column -> [Visible] in
        let west = Double(column * GroundFile.side - 180)
        let base = MapProjection.longitude(west - view.projection.centralMeridian).radians
        return turns.map { turn in
          Visible(row: row, column: column, view: view, left: base + turn * 2 * .pi)
        }.filter { tile in
          // The edges of tiles around a pole are curved.
          PlaneBox(around: tile.outline).map { outline in
            outline.expanded(by: isMercator ? 0 : 0.02 * outline.extent)
              .intersects(box)
          } ?? false
        }
      }
    }
  }
}
