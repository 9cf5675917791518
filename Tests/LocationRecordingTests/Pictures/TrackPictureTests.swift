import AsyncLocation
import Foundation
import FoundationXML
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TrackPictureTests {
  static let hostileName =
    "</title></script><script>document.body.dataset.ran=1</script>\"' onload='x' \u{1B}[31m\u{202E}]]>&amp;"

  /// A random walk with a location each second. The step is in degrees.
  static func walk(
    _ count: Int, step: Double = 0.000_1, hasAltitudes: Bool = true
  ) throws -> Track {
    var random = SplitMix64(seed: 7)
    var (latitude, longitude, heading) = (48.0, 11.0, 0.0)
    let locations = try (0..<count).map { index in
      heading += .random(in: -0.3...0.3, using: &random)
      latitude += step * Double.cosine(heading)
      longitude += step * Double.sine(heading) * 1.5
      return try location(
        latitude, longitude, at: Double(index),
        altitude: hasAltitudes ? 500 + 100 * .sine(Double(index) / 300) : nil,
        speed: 10 + 9 * .sine(Double(index) / 50))
    }
    return Track(locations, name: "Walk")
  }

  /// The elements of a picture, which must be well-formed.
  static func elements(_ svg: String) throws -> [(name: String, attributes: [String: String])] {
    let parser = XMLParser(data: Data(svg.utf8))
    let collector = Collector()
    parser.delegate = collector
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
    return collector.elements
  }

  private final class Collector: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
      qualifiedName: String?, attributes: [String: String]
    ) { elements.append((name, attributes)) }
  }

  // MARK: Any track

  @Test(.longWork, arguments: 0..<6) func anyTrackIsWellFormed(_ seed: Int) throws {
    var random = RandomTrack(seed: UInt64(seed))
    let colorings = TrackPicture.Coloring.allCases
    let picture = TrackPicture(
      try random.track(), options: .init(coloring: colorings[seed % colorings.count]))
    let svg = picture.svg()
    #expect(try Self.elements(svg).first?.name == "svg")
    #expect(!svg.contains("nan"))
    #expect(!svg.contains("inf"))
    #expect(picture.html().contains("role=\"slider\""))
  }

  /// A trip around the equator.
  private static func equatorTrip() throws -> [Location] {
    try (0...72).map { index in
      let degrees = index * 5 % 360 - 180
      return try location(0, Double(degrees), at: Double(index))
    }
  }

  private static let oddTracks: [Track?] = [
    Track(), Track([]), try? Track([location(90, 0)]), try? Track([location(0, 180)]),
    try? Track([location(10, 20), location(10, 20)]),
    try? Track([location(-90, 0), location(90, 0, at: 5)]), try? Track(equatorTrip()),
  ]

  @Test(arguments: oddTracks)
  func oddTracksAreWellFormed(_ track: Track?) throws {
    let picture = TrackPicture(try #require(track))
    _ = try Self.elements(picture.svg())
    #expect(picture.html().hasSuffix("</html>\n"))
  }

  /// The picture has colors, a gap, a stop, ends, a grid and a scale.
  @Test(.longWork) func aTrackPictureHasItsParts() throws {
    var track = try Self.walk(600)
    let last = try #require(track.segments.last?.locations.last)
    track.append(
      TrackPoint(
        try location(last.latitude + 0.01, last.longitude, at: 900, speed: 3), beginning: .loss))
    for second in 901..<1300 {
      track.append(
        TrackPoint(try location(last.latitude + 0.01, last.longitude, at: Double(second), speed: 0))
      )
    }
    let svg = TrackPicture(track).svg()
    let classes = try Self.elements(svg).compactMap { $0.attributes["class"] }
    for name in ["gap", "casing", "line k0", "grid", "scale", "stop", "start", "end", "curve"] {
      #expect(classes.contains(name), "\(name)")
    }
    for text in [
      "<title id=\"title\">Walk</title>", "1 gap", "1 stop", "Stop 1, 6 min 39 s", ">Start<",
      ">End<", "prefers-color-scheme:dark", "role=\"img\"", "UTC",
    ] {
      #expect(svg.contains(text), "\(text)")
    }
    let html = TrackPicture(track).html()
    for text in ["no fix", "6 min 39 s", "Ascent", "aria-live=\"polite\"", "tabindex=\"0\""] {
      #expect(html.contains(text), "\(text)")
    }
  }

  @Test func trackWithoutAltitudeHasNoAltitudeProfile() throws {
    let track = try Self.walk(50, hasAltitudes: false)
    #expect(!TrackPicture(track).svg().contains("Altitude"))
    let colored = TrackPicture(track, options: .init(coloring: .altitude)).svg()
    #expect(colored.contains("Altitude: not recorded"))
    #expect(colored.contains("class=\"line none\""))
  }

  /// If most of the time is a gap, distance is the more suitable axis.
  @Test func longGapsDoNotDominateTheProfile() throws {
    let locations = try (0..<20).map { index in
      let gap = index < 10 ? 0.0 : 50_000
      return try location(0, Double(index) / 1000, at: Double(index) + gap)
    }
    #expect(TrackContent(Track(locations), .init()).chart.axis == .distance)
    #expect(TrackContent(Track(locations.prefix(10)), .init()).chart.axis == .time)
    // A requested axis is used anyway.
    for axis in TrackPicture.ProfileAxis.allCases {
      #expect(TrackContent(Track(locations), .init(profileAxis: axis)).chart.axis == axis)
    }
  }

  // MARK: Size

  @Test func dayFitsInHalfAMegabyte() async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      let picture = TrackPicture(try Self.walk(86_400))
      let svg = picture.svg()
      #expect(svg.utf8.count < 300_000)
      #expect(picture.html().utf8.count < 500_000)
      #expect(try Self.elements(svg).count > 20)
    }
  }

  /// A jump across the map every second: no point can be simplified away.
  @Test func aDayOfNoiseIsLessThanAMegabyte() async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      var random = SplitMix64(seed: 3)
      let locations = try (0..<86_400).map { index in
        try location(
          .random(in: 40...50, using: &random), .random(in: 5...20, using: &random),
          at: Double(index), altitude: .random(in: 0...3000, using: &random),
          speed: .random(in: 0...60, using: &random))
      }
      let picture = TrackPicture(Track(locations))
      #expect(picture.html().utf8.count < 1_000_000)
    }
  }

  // MARK: Waypoints

  /// The map shows the extent of the track, however far away a waypoint is.
  @Test func waypointsAreShownWithTheirNames() throws {
    var track = try Self.walk(300)
    let plain = TrackContent(track, .init()).view
    let near = try #require(track.segments.first?.locations[150].coordinate)
    track.waypoints = [
      try Waypoint(near, name: "Inn & pub", details: "closed", type: "food", altitude: 512),
      try Waypoint(near.coordinate(atDistance: 300_000, bearing: 90), name: "Far away"),
      try Waypoint(near),
    ]
    #expect(TrackContent(track, .init()).view == plain)
    let picture = TrackPicture(track)
    let classes = try Self.elements(picture.svg()).compactMap { $0.attributes["class"] }
    #expect(classes.count { $0 == "waypoint" } == 2)
    for text in [
      "<title>Inn &amp; pub</title>", ">Inn &amp; pub</text>", "3 waypoints, 1 of them not",
    ] {
      #expect(picture.svg().contains(text), "\(text)")
    }
    #expect(!picture.svg().contains("Far away"))
    for text in ["Waypoints</h2>", "<bdi>Far away</bdi>", "<bdi>512 m</bdi>", "<bdi>food</bdi>"] {
      #expect(picture.html().contains(text), "\(text)")
    }
    #expect(TracksPicture([track]).svg().contains(">Inn &amp; pub</text>"))
    #expect(
      try !Self.elements(TrackPicture(Self.walk(30)).svg()).contains {
        $0.attributes["class"] == "waypoint"
      })
  }

  @Test func manyWaypointsAreBounded() throws {
    var track = try Self.walk(30)
    let place = try #require(track.segments.first?.locations.first?.coordinate)
    track.waypoints = try (0..<2000).map { try Waypoint(place, name: "place \($0)") }
    let html = TrackPicture(track).html()
    #expect(html.contains("1900 more are not listed."))
    #expect(html.utf8.count < 500_000)
  }

  // MARK: Names

  @Test("F59 names add no element, attribute or control character")
  func namesAreText() throws {
    var track = try Self.walk(30)
    let plain = try Self.elements(TrackPicture(track).svg())
    track.name = Self.hostileName
    let place = try #require(track.segments.first?.locations.first?.coordinate)
    track.waypoints = [
      try Waypoint(place, name: Self.hostileName, details: Self.hostileName, type: Self.hostileName)
    ]
    let encodedName = try JSONEncoder().encode([Self.hostileName])
    let name = String(decoding: encodedName, as: UTF8.self).dropFirst().dropLast()
    let basemap = try Basemap(
      geoJSON: Array(
        """
        {"type":"Feature","properties":{"name":\(name)},
        "geometry":{"type":"Point","coordinates":[11.0,48.0005]}}
        """.utf8))
    let picture = TrackPicture(track, options: .init(basemap: basemap))
    let hostile = try Self.elements(picture.svg())
    let kinds = { (elements: [(name: String, attributes: [String: String])]) in
      Set(elements.flatMap { element in [element.name] + element.attributes.keys })
    }
    #expect(
      kinds(hostile).subtracting(kinds(plain)).subtracting(["circle", "cx", "cy", "r"]).isEmpty)
    for text in [picture.svg(), picture.html()] {
      #expect(text.contains("&lt;/title&gt;"))
      #expect(!text.contains("<script>document.body"))
      let controls = text.unicodeScalars.filter {
        $0.properties.generalCategory == .control && $0 != "\n" || $0.properties.isBidiControl
      }
      #expect(controls.isEmpty)
    }
  }
}
