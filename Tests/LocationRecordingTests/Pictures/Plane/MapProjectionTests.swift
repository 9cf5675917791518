import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct MapProjectionTests {
  private static func bounds(_ points: [(Double, Double)]) throws -> GeographicBounds {
    let coordinates = try points.map { try Coordinate(latitude: $0.0, longitude: $0.1) }
    let first = GeographicBounds(try #require(coordinates.first))
    return coordinates.dropFirst().reduce(first) { $0.union($1) }
  }

  @Test(
    arguments: [
      ([(48.0, 11.0), (49, 12)], MapProjection.Kind.mercator, 11.5),
      ([(-17, 179.5), (-17, -179.5)], .mercator, 180), ([(83, 10), (89, 10)], .north, 10),
      ([(-70, 0), (-83, 0)], .south, 0), ([(-5, 0), (88, 0)], .mercator, 0), ([(90, 0)], .north, 0),
    ] as [([(Double, Double)], MapProjection.Kind, Double)])
  func suitsTheRegion(
    points: [(Double, Double)], kind: MapProjection.Kind, meridian: Double
  ) throws {
    let projection = MapProjection(for: try Self.bounds(points))
    #expect(projection.kind == kind)
    #expect(abs(projection.centralMeridian.magnitude - meridian) < 1e-9)
  }

  @Test(arguments: [MapProjection.Kind.mercator, .north, .south])
  func roundTrips(_ kind: MapProjection.Kind) throws {
    let projection = MapProjection(kind, centralMeridian: 170)
    for latitude in stride(from: -75.0, through: 75, by: 15) {
      guard kind == .mercator || (kind == .north) == (latitude > 0) else { continue }
      for longitude in stride(from: -170.0, through: 170, by: 17) {
        let point = projection.point(latitude: latitude, longitude: longitude)
        let found = projection.coordinate(at: point)
        #expect(abs(found.latitude - latitude) < 1e-9)
        #expect(abs(MapProjection.longitude(found.longitude - longitude)) < 1e-9)
      }
    }
  }

  /// North is up, east is right, and a metre has the same length in both directions.
  @Test(
    arguments: [
      (MapProjection.Kind.mercator, 0.0), (.mercator, 60), (.north, 85), (.south, -80),
    ] as [(MapProjection.Kind, Double)])
  func isConformal(_ kind: MapProjection.Kind, _ latitude: Double) throws {
    let projection = MapProjection(kind, centralMeridian: 20)
    let here = projection.point(latitude: latitude, longitude: 20)
    let north = projection.point(latitude: latitude + 0.001, longitude: 20)
    let east = projection.point(
      latitude: latitude, longitude: 20 + 0.001 / Double.cosine(latitude.radians))
    let unit = 0.001.radians * MapProjection.radius / projection.metresPerUnit(atLatitude: latitude)
    #expect(abs((here.y - north.y) / unit - 1) < 1e-3)
    #expect(abs((east.x - here.x) / unit - 1) < 1e-3)
    #expect(abs(north.x - here.x) < 1e-9)
  }

  @Test func polesAreFinite() throws {
    for kind in [MapProjection.Kind.mercator, .north, .south] {
      for latitude in [-90.0, 90] {
        let point = MapProjection(kind, centralMeridian: 0).point(latitude: latitude, longitude: 3)
        #expect(point.x.isFinite)
        #expect(point.y.isFinite)
        #expect(point.y.magnitude < 20)
      }
    }
  }

  @Test func linesContinueAcrossTheAntimeridian() {
    let projection = MapProjection(.mercator, centralMeridian: 0)
    let points = [170.0, 178, -178].map { projection.point(latitude: 0, longitude: $0) }
    let lines = projection.lines(points)
    #expect(lines.map(\.count) == [3, 2])
    #expect(lines[0].last?.x == .pi)
    #expect(lines[1].first?.x == -.pi)
    #expect(projection.lines(Array(points.prefix(2))).count == 1)
    #expect(projection.lines([]).isEmpty)
  }

  @Test(
    arguments: [
      (1.0, 150.0, 100.0, "100 m"), (7, 150, 1000, "1 km"), (0.004, 150, 0.5, "0.50 m"),
      (70_000, 150, 10_000_000, "10000 km"), (2, 150, 200, "200 m"), (4, 150, 500, "500 m"),
    ] as [(Double, Double, Double, String)])
  func scaleBarsAreRound(perPixel: Double, limit: Double, metres: Double, label: String) {
    let bar = ScaleBar(metresPerPixel: perPixel, maximumPixels: limit)
    #expect(abs(bar.metres - metres) < metres * 1e-9)
    #expect(abs(bar.pixels - metres / perPixel) < 1e-9)
    #expect(bar.pixels <= limit)
    #expect(bar.label == label)
  }

  /// The scale matches distances on the ellipsoid, within the error of the spherical model.
  @Test(arguments: [0.0, 48, -60, 75]) func metresPerPixelFitsTheEllipsoid(_ latitude: Double)
    throws
  {
    let points = [(latitude, 10.0), (latitude + 0.01, 10.02)]
    let projection = MapProjection(for: try Self.bounds(points))
    let view = MapView(
      projection, showing: points.map { projection.point(latitude: $0.0, longitude: $0.1) },
      width: 800)
    let ends = [200.0, 600].map { x in
      projection.coordinate(at: view.point(atPixel: PlanePoint(x, view.height / 2)))
    }
    let coordinates = try ends.map {
      try Coordinate(latitude: $0.latitude, longitude: $0.longitude)
    }
    let distance = coordinates[0].distance(to: coordinates[1])
    #expect(abs(400 * view.metresPerPixel / distance - 1) < 0.005)
  }

  @Test func gridsHaveRoundDegrees() throws {
    let points = [(47.9, 11.4), (48.2, 11.9)]
    let projection = MapProjection(for: try Self.bounds(points))
    let view = MapView(
      projection, showing: points.map { projection.point(latitude: $0.0, longitude: $0.1) },
      width: 800)
    let lines = Graticule(view).lines
    let labels = { (isParallel: Bool) in
      lines.filter { $0.isParallel == isParallel }.map(\.label)
    }
    #expect(
      labels(true) == [
        "47.90° N", "47.95° N", "48.00° N", "48.05° N", "48.10° N", "48.15° N", "48.20° N",
      ])
    #expect(labels(false) == ["11.4° E", "11.6° E", "11.8° E"])
    for line in lines {
      for point in line.points {
        let place = projection.coordinate(at: view.point(atPixel: point))
        let degrees = line.isParallel ? place.latitude : place.longitude
        #expect(abs(degrees - line.degrees) < 1e-9)
      }
    }
  }

  @Test func gridsCrossTheAntimeridian() throws {
    let points = [(-17.0, 179.2), (-17.5, -179.3)]
    let projection = MapProjection(for: try Self.bounds(points))
    let view = MapView(
      projection, showing: points.map { projection.point(latitude: $0.0, longitude: $0.1) },
      width: 800)
    let labels = Graticule(view).lines.filter { !$0.isParallel }.map(\.label)
    #expect(labels == ["179.5° E", "180.0°", "179.5° W"])
  }
}
