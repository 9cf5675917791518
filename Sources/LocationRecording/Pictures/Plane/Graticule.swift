/// The parallels and meridians at round degrees in a view. Pure.
struct Graticule: Hashable, Sendable {
  struct Line: Hashable, Sendable {
    let isParallel: Bool
    /// The latitude of a parallel, or the longitude of a meridian.
    let degrees: Double
    let label: String
    /// The points within the view.
    let points: [PlanePoint]
  }

  /// The least distances between lines, in pixels.
  private static let parallelSpacing = 80.0
  private static let meridianSpacing = 130.0

  let lines: [Line]

  init(_ view: MapView) {
    let extent = Extent(view)
    let radiiPerUnit = view.projection.radiiPerUnit(atLatitude: view.centralLatitude)
    let degreesPerPixel = (180 / .pi) / view.scale * radiiPerUnit
    let parallel = RoundSteps.angular(span: degreesPerPixel * Self.parallelSpacing, maximumCount: 1)
    let meridian = RoundSteps.angular(
      span: extent.meridianSpan / max(1, view.width / Self.meridianSpacing).rounded(.down),
      maximumCount: 1)
    let latitudes = RoundSteps.multiples(of: parallel, in: extent.south...extent.north)
      .filter { abs($0) < 90 }
    let longitudes = RoundSteps.multiples(of: meridian, in: extent.west...extent.east)
    lines =
      latitudes.flatMap { latitude in
        Self.lines(view, extent, isParallel: true, latitude, parallel)
      }
      + longitudes.filter { $0 < extent.west + 360 - 1e-9 }.flatMap { longitude in
        Self.lines(view, extent, isParallel: false, longitude, meridian)
      }
  }

  /// The parts of one parallel or meridian within the view.
  private static func lines(
    _ view: MapView, _ extent: Extent, isParallel: Bool, _ degrees: Double, _ step: Double
  ) -> [Line] {
    let isStraight = view.projection.kind == .mercator
    let range = isParallel ? extent.west...extent.east : extent.south...extent.north
    let count = isStraight ? 2 : 181
    let points = (0..<count).map { index in
      let along =
        range.lowerBound
        + (range.upperBound - range.lowerBound) * Double(index) / Double(count - 1)
      let (latitude, longitude) = isParallel ? (degrees, along) : (along, degrees)
      return view.pixel(extent.point(latitude: latitude, longitude: longitude))
    }
    let places = RoundSteps.decimalPlaces(of: step)
    let shown = isParallel ? degrees : MapProjection.longitude(degrees)
    let label = AngleText.label(shown, isLatitude: isParallel, places)
    return Clipping.line(points, to: view.box).filter { $0.count > 1 }.map {
      Line(isParallel: isParallel, degrees: shown, label: label, points: $0)
    }
  }

  /// The latitudes and longitudes that a view shows. West and east may be beyond ±180, so that west
  /// is the lesser number.
  private struct Extent {
    let projection: MapProjection
    var south = 90.0
    var north = -90.0
    var west = 0.0
    var east = 0.0

    init(_ view: MapView) {
      projection = view.projection
      let divisions = 24
      var offsets: [Double] = []
      // The extremes are on the edge of the view, unless it shows a pole.
      for row in 0...divisions {
        for column in 0...divisions
        where row == 0 || row == divisions || column == 0 || column == divisions {
          let pixel = PlanePoint(
            view.width * Double(column) / Double(divisions),
            view.height * Double(row) / Double(divisions))
          let point = view.point(atPixel: pixel)
          let (latitude, longitude) = projection.coordinate(at: point)
          (south, north) = (min(south, latitude), max(north, latitude))
          offsets.append(
            projection.kind == .mercator
              ? point.x.degrees
              : MapProjection.longitude(longitude - projection.centralMeridian))
        }
      }
      var (least, greatest) = (offsets.min() ?? 0, offsets.max() ?? 0)
      if projection.kind != .mercator, view.box.contains(view.pixel(PlanePoint(0, 0))) {
        (least, greatest) = (-180, 180)
        if projection.kind == .north { north = 90 } else { south = -90 }
      }
      (west, east) = (
        projection.centralMeridian + max(-180, least),
        projection.centralMeridian
          + min(180, greatest)
      )
    }

    var meridianSpan: Double { max(1e-9, east - west) }

    /// The point of a coordinate. A meridian at the edge of the map remains on its side of the map.
    func point(latitude: Double, longitude: Double) -> PlanePoint {
      var point = projection.point(latitude: latitude, longitude: longitude)
      if projection.kind == .mercator {
        point.x = (longitude - projection.centralMeridian).radians
      }
      return point
    }
  }
}

extension MapProjection {
  /// The length on the ground of one unit of the projection at a latitude, in Earth radii.
  fileprivate func radiiPerUnit(atLatitude latitude: Double) -> Double {
    metresPerUnit(atLatitude: latitude) / Self.radius
  }
}
