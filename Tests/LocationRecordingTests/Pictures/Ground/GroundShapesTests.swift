import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn, .enabled(if: GroundFile.embedded != nil, "Built without borders."))
struct GroundShapesTests {
  private static func isLand(
    latitude: Double, longitude: Double, in shapes: GroundShapes, _ view: MapView
  ) -> Bool {
    let place = view.pixel(view.projection.point(latitude: latitude, longitude: longitude))
    #expect(view.box.contains(place), "\(latitude), \(longitude) is not in the view")
    let windingNumber = (shapes.land ?? []).reduce(0) { sum, ring in
      zip(ring, ring.dropFirst() + ring.prefix(1)).reduce(sum) { number, edge in
        let (start, end) = edge
        guard (start.y <= place.y) != (end.y <= place.y) else { return number }
        let part = (place.y - start.y) / (end.y - start.y)
        guard start.x + part * (end.x - start.x) > place.x else { return number }
        return number + (end.y > start.y ? 1 : -1)
      }
    }
    return windingNumber != 0
  }

  /// A name, points that the view shows, points on land, and points in water.
  static let views: [(String, [(Double, Double)], [(Double, Double)], [(Double, Double)])] = [
    ("Lake Constance", [(47.4, 8.9), (47.9, 9.9)], [(47.8, 9.6)], [(47.6, 9.4)]),
    (
      "Fiji, across 180°", [(-18.5, 177), (-16, -179)], [(-17.8, 178)],
      [(-17.5, 179.5), (-18, -179.5)]
    ),
    ("the Arctic", [(83, 0), (84, 100), (83, -120)], [(82.5, -70)], [(88, 0), (84, 50)]),
    ("the Antarctic", [(-83, 0), (-89, 100)], [(-84, 5), (-87, 31)], []),
    (
      "the world", [(-60, -170), (75, -60), (70, 60), (-40, 170)], [(48, 11), (40, -100)],
      [(0, -30)]
    ),
  ]

  @Test(.longWork, arguments: views)
  func drawsLandAndWater(
    name: String, shown: [(Double, Double)], land: [(Double, Double)],
    water: [(Double, Double)]
  ) throws {
    let view = try BasemapTests.view(shown)
    let shapes = GroundShapes(.embedded, in: view)
    for (latitude, longitude) in land {
      #expect(
        Self.isLand(latitude: latitude, longitude: longitude, in: shapes, view),
        "\(name): \(latitude), \(longitude)")
    }
    for (latitude, longitude) in water {
      #expect(
        !Self.isLand(latitude: latitude, longitude: longitude, in: shapes, view),
        "\(name): \(latitude), \(longitude)")
    }
    let points = (shapes.land ?? []).joined()
    #expect(points.count < 30_000)
    #expect(points.allSatisfy { view.box.expanded(by: 9).contains($0) })
  }

  /// A picture of a village shows no coast that may be off by a kilometre.
  @Test func coarseCoastIsOmitted() throws {
    let village = try BasemapTests.view([(43.69, 7.24), (43.71, 7.28)])
    #expect(GroundShapes(.embedded, in: village).land == nil)
    let coast = try BasemapTests.view([(43.5, 7), (43.8, 7.5)])
    #expect(GroundShapes(.embedded, in: coast).land?.isEmpty == false)
    #expect(GroundShapes(nil, in: coast) == GroundShapes(nil, in: village))
  }

  @Test func theLargestPlacesComeFirst() throws {
    let view = try BasemapTests.view([(47.9, 11), (48.4, 12)])
    let shapes = GroundShapes(.embedded, in: view)
    #expect(shapes.places.first?.name == "Munich")
    #expect(shapes.places.count > 3)
    #expect(shapes.credits == "Land: GSHHG, names: GeoNames")
  }

  @Test func picturesShowTheGround() throws {
    let track = Track(try [location(47.4, 8.9), location(47.9, 9.9, at: 9000)], name: "Ride")
    let svg = TrackPicture(track).svg()
    for text in ["class=\"water\"", "class=\"land\"", "class=\"border\"", ">Konstanz<", "GeoNames"]
    {
      #expect(svg.contains(text), "\(text)")
    }
    #expect(!svg.contains("rect class=\"ground\""))
    let plain = TrackPicture(track, options: .init(showsGround: false)).svg()
    #expect(!plain.contains("class=\"land\""))
    #expect(!plain.contains("GeoNames"))
    #expect(plain.contains("rect class=\"ground\""))
    #expect(TracksPicture([track]).svg().contains("class=\"land\""))
    #expect(!TracksPicture([track], showsGround: false).svg().contains("class=\"land\""))
  }
}
