import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct MapConditionsTests {
  private static func conditions(_ features: String...) throws -> [String: Condition] {
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    return try GeoJSONConditions(Array(text.utf8)).conditions
  }

  private static func feature(
    _ id: String, _ kind: String, _ coordinates: String, _ properties: String = ""
  ) -> String {
    #"{"type":"Feature","id":"\#(id)","properties":{\#(properties)},"#
      + #""geometry":{"type":"\#(kind)","coordinates":\#(coordinates)}}"#
  }

  private static func circle(_ id: String, _ place: String, radius: Int) -> String {
    feature(id, "Point", place, #""radius":\#(radius)"#)
  }

  /// Whether an area contains a point of the plane. The even-odd rule applies to areas with holes,
  /// and the winding number to corridors, whose parts overlap.
  private static func contains(
    _ area: MapConditions.Area, _ place: PlanePoint
  ) -> Bool {
    var crossings = 0
    for ring in area.rings {
      for (start, end) in zip(ring, ring.dropFirst() + ring.prefix(1)) {
        guard (start.y <= place.y) != (end.y <= place.y) else { continue }
        let part = (place.y - start.y) / (end.y - start.y)
        guard start.x + part * (end.x - start.x) > place.x else { continue }
        crossings += area.isCorridor ? (end.y > start.y ? 1 : -1) : 1
      }
    }
    return area.isCorridor ? crossings != 0 : !crossings.isMultiple(of: 2)
  }

  /// A monitor reports a device inside an area exactly where the map draws the area.
  @Test(
    .longWork,
    arguments: [
      (circle("a", "[11.5,48.1]", radius: 4000), [(48.0, 11.3), (48.2, 11.7)]),
      (
        feature(
          "a", "Polygon",
          "[[[11.4,48.05],[11.6,48.05],[11.6,48.15],[11.4,48.15],[11.4,48.05]],"
            + "[[11.48,48.08],[11.52,48.08],[11.5,48.12],[11.48,48.08]]]"),
        [(48.0, 11.3), (48.2, 11.7)]
      ),
      (
        feature("a", "LineString", "[[11.35,48.05],[11.5,48.15],[11.65,48.1]]", #""width":2500"#),
        [(48.0, 11.3), (48.2, 11.7)]
      ),
      (circle("a", "[179.95,-17]", radius: 30_000), [(-17.5, 179.5), (-16.5, -179.5)]),
      (circle("a", "[40,88.5]", radius: 200_000), [(84, 0), (84, 120), (84, -120)]),
      (
        feature("a", "LineString", "[[-60,60],[0,65],[60,60]]", #""width":400000"#),
        [(50, -70), (75, 70)]
      ),
    ])
  func drawnAreasMatchAMonitor(_ feature: String, _ shown: [(Double, Double)]) throws {
    let view = try BasemapTests.view(shown)
    let conditions = try Self.conditions(feature)
    let areas = MapConditions(conditions, in: view).areas
    var tracker = ConditionTracker<Int>()
    try tracker.add(#require(conditions["a"]), identifier: "a")
    var (count, differenceCount) = (0, 0)
    for x in stride(from: 2.0, to: view.width, by: 9) {
      for y in stride(from: 2.0, to: view.height, by: 9) {
        let place = view.projection.coordinate(at: view.point(atPixel: PlanePoint(x, y)))
        guard (-90...90).contains(place.latitude) else { continue }
        let coordinate = try Coordinate(latitude: place.latitude, longitude: place.longitude)
        count += 1
        let changes = tracker.observe(
          try location(coordinate.latitude, coordinate.longitude), of: count, at: .zero)
        let isInside = changes.contains { $0.state == .satisfied }
        let isDrawn = areas.contains { Self.contains($0, PlanePoint(x, y)) }
        if isInside != isDrawn { differenceCount += 1 }
      }
    }
    #expect(count > 1000)
    // Points may differ within a pixel of an edge, and at the ends of a wide corridor's legs.
    #expect(Double(differenceCount) < 0.01 * Double(count), "\(differenceCount) of \(count)")
  }

  @Test func smallConditionsAreDrawnAndDistantOnesAreCounted() throws {
    let view = try BasemapTests.view([(48.0, 11.3), (48.2, 11.7)])
    let conditions = try Self.conditions(
      Self.circle("tiny", "[11.5,48.1]", radius: 1), Self.circle("far", "[12.5,48.1]", radius: 500))
    let shown = MapConditions(conditions, in: view)
    #expect(shown.areas.map(\.name) == ["tiny"])
    #expect(PlaneBox.extent(of: shown.areas[0].rings[0]) >= 5)
    #expect(shown.summary == "2 conditions, 1 of them not on the map")
    #expect(shown.rows.map(\.kind) == ["Circle, radius 500 m", "Circle, radius 1 m"])
    #expect(MapConditions([:], in: view).summary == nil)
  }

  /// The middle of a corridor's box may be far from the corridor.
  @Test func aCorridorsLabelIsOnTheCorridor() throws {
    let conditions = try Self.conditions(
      Self.feature(
        "road", "LineString", "[[11,48],[11,48.2],[11.3,48.2],[11.3,48]]", #""width":900"#))
    let view = try BasemapTests.view([(48.0, 11.0), (48.2, 11.3)])
    let area = try #require(MapConditions(conditions, in: view).areas.first)
    #expect(Self.contains(area, area.middle))
  }

  @Test(.longWork) func aPictureOfManyConditionsIsSmall() throws {
    let features = (0..<3000).map { index in
      Self.circle(
        "area \(index)", "[\(11 + Double(index % 60) / 100),\(48 + Double(index / 60) / 100)]",
        radius: 900)
    }
    let text = #"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#
    let conditions = try GeoJSONConditions(Array(text.utf8)).conditions
    let page = TracksPicture([], conditions: conditions, showsGround: false).html()
    #expect(page.utf8.count < 1_000_000)
    #expect(page.contains("3000 conditions, 2500 of them not on the map"))
    #expect(page.contains("2900 more are not listed."))
  }

  @Test func everyPictureShowsItsConditions() throws {
    let conditions = try Self.conditions(
      Self.circle("<b>depot</b>", "[11,48]", radius: 300),
      Self.feature("road", "LineString", "[[11,48],[11.01,48.01]]", #""width":60"#))
    let track = try TrackPictureTests.walk(200)
    let one = TrackPicture(track, options: .init(conditions: conditions))
    let several = TracksPicture([track], conditions: conditions)
    let alone = TracksPicture([], conditions: conditions)
    for text in [one.svg(), one.html(), several.svg(), several.html(), alone.svg(), alone.html()] {
      #expect(text.contains("class=\"fence\""))
      #expect(text.contains("class=\"corridor\""))
      #expect(text.contains("<title>&lt;b&gt;depot&lt;/b&gt;</title>"))
      #expect(!text.contains("<b>depot"))
      #expect(text.contains("2 conditions"))
    }
    for page in [one.html(), several.html(), alone.html()] {
      #expect(page.contains("<bdi>Corridor, width 60 m</bdi>"))
    }
    #expect(!TrackPicture(track).svg().contains("class=\"fence\""))
    #expect(several.html().contains("class=\"legend\""))
    #expect(!alone.html().contains("class=\"legend\""))
    for picture in [one.svg(), several.svg(), alone.svg()] {
      _ = try TrackPictureTests.elements(picture)
    }
  }
}
