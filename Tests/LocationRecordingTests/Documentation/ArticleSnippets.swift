import AsyncLocation
import Foundation
import LocationRecording
import MockBackend
import TestSupport
import Testing

/// The code of the articles and doc comments. It is compiled; code that needs no file runs too.
@Suite(.inTurn) @MainActor
struct ArticleSnippets {
  /// A track of 2.4 km along the equator, with a point every 100 metres and 20 seconds.
  private static func track() throws -> Track {
    Track(
      try (0..<25).map { try location(0, Double($0) * 0.0009, at: Double($0) * 20) }, name: "Drive")
  }

  func reads() throws {
    let recording = try Recording(contentsOf: "drive.gpx")
    print(recording.format, recording.locations.count, recording.skipped.count)
    for waypoint in recording.waypoints { print(waypoint.name ?? "", waypoint.coordinate) }
  }

  func readsTheReadablePart() throws {
    let options = RecordingOptions(keepsReadablePart: true)
    let recording = try Recording(contentsOf: "drive.gpx", options: options)
    if let failure = recording.failure { print("read up to \(failure)") }
  }

  func makesATrack() throws {
    let track = Track(try Recording(contentsOf: "drive.gpx"), name: "Drive")
    print(track.statistics().length, track.gaps.count)
    let map = try track.simplified(tolerance: 5)
    _ = map
  }

  func drawsAFile() throws {
    let track = Track(try Recording(contentsOf: "drive.gpx"), name: "Drive")
    let picture = TrackPicture(track)
    try picture.svg().write(toFile: "drive.svg", atomically: true, encoding: .utf8)
    try picture.html().write(toFile: "drive.html", atomically: true, encoding: .utf8)
  }

  @Test func drawsATrack() throws {
    let track = try Self.track()
    let picture = TrackPicture(track)
    let vector = picture.svg()
    let page = picture.html()
    #expect(vector.contains("Drive"))
    #expect(page.contains("Drive"))
  }

  @Test func drawsWithOptions() throws {
    let track = try Self.track()
    let options = TrackPicture.Options(
      coloring: .altitude, title: "To the lake", leastStop: .seconds(600))
    let picture = TrackPicture(track, options: options)
    #expect(picture.svg().contains("To the lake"))
  }

  @Test func drawsABasemap() throws {
    let track = try Self.track()
    let bytes = Array(#"{"type":"LineString","coordinates":[[0,0],[0.02,0]]}"#.utf8)
    let basemap = try Basemap(geoJSON: bytes)
    let map = TrackPicture(track, options: .init(basemap: basemap)).svg()
    #expect(map.contains("class=\"road\""))
  }

  func drawsConditions() throws {
    let track = try Self.track()
    let areas = try GeoJSONConditions(contentsOf: "areas.geojson")
    let drive = TrackPicture(track, options: .init(conditions: areas.conditions))
    let depots = TracksPicture([], conditions: areas.conditions, title: "Depots")
    _ = (drive, depots)
  }

  func drawsTheSky(_ manager: LocationManager) async throws -> String? {
    for try await view in manager.satellites {
      return SkyPicture(view).svg()
    }
    return nil
  }

  @Test func dividesATrack() throws {
    let track = try Self.track()
    let days = try track.split(every: .seconds(86_400))
    let kilometres = try track.split(everyMetres: 1000)
    let trips = track.split(atGapsOf: .seconds(600))
    let whole = Track.merged(trips, name: "Drive")
    #expect(days.count == 1)
    #expect(kilometres.count == 3)
    #expect(trips.count == 1)
    #expect(whole == track)
  }

  @Test func countsAStream() throws {
    let events = TimedEvent.track(try Self.track().points.map(\.location))
    var segmentation = TrackSegmentation()
    var statistics = TrackStatistics()
    for event in events {
      if let point = segmentation.point(for: event.event) { statistics.add(point) }
    }
    #expect(statistics.pointCount == 25)
  }

  @Test func writesATrack() throws {
    let track = try Self.track()
    var bytes: [UInt8] = []
    func store(_ more: [UInt8]) { bytes += more }
    var writer = RecordingWriter(format: .gpx, name: "Drive")
    for waypoint in track.waypoints { store(writer.write(waypoint)) }
    for point in track.points { store(writer.write(point)) }
    store(writer.finish())
    #expect(bytes == track.encoded(as: .gpx))
  }

  func converts(nextBytes: () -> [UInt8]?, store: ([UInt8]) -> Void) throws {
    var reader = RecordingReader()
    var segmentation = TrackSegmentation()
    var statistics = TrackStatistics()
    var writer = RecordingWriter(format: .gpx, name: "A year")
    while let bytes = nextBytes() {
      for event in try reader.read(bytes) {
        guard let point = segmentation.point(for: event.event) else { continue }
        statistics.add(point)
        store(writer.write(point))
      }
    }
    for event in try reader.finish() {
      guard let point = segmentation.point(for: event.event) else { continue }
      statistics.add(point)
      store(writer.write(point))
    }
    store(writer.finish())
  }

  func replays() async throws {
    let recording = try Recording(contentsOf: "drive.gpx")
    let backend = try MockBackend.replay(recording.events, rate: 10, clock: .continuous)
    let manager = LocationManager(backend: backend)
    for try await location in manager.updates { print(location) }
  }

  func controls(_ backend: ReplayBackend) throws {
    backend.pause()
    backend.seek(to: .seconds(90))
    try backend.setRate(2)
    backend.resume()
  }

  @Test func countsPieces() throws {
    let pieces = ["lat,l", "on\n1,2\n3", ",4"].map { Array($0.utf8) }
    var reader = RecordingReader()
    var count = 0
    for bytes in pieces { count += try reader.read(bytes).count }
    count += try reader.finish().count
    #expect(count == 2)
  }

  @Test func countsParts() throws {
    let pieces = ["lat,l", "on\n1,2\n3", ",4"].map { Array($0.utf8) }
    var reader = RecordingReader()
    var count = 0
    for bytes in pieces {
      reader.supply(bytes)
      while let events = try reader.nextEvents() { count += events.count }
    }
    count += try reader.finish().count
    #expect(count == 2)
  }

  func showsEvents(
    nextBytes: () -> [UInt8]?, show: (TimedEvent) -> Void
  ) throws {
    var reader = RecordingReader()
    while let bytes = nextBytes() {
      for event in try reader.read(bytes) { show(event) }
    }
    for event in try reader.finish() { show(event) }
  }

  private func areas(_ monitor: Monitor) async throws {
    let areas = try GeoJSONConditions(contentsOf: "areas.geojson")
    try await monitor.add(contentsOf: areas.conditions)
  }

  /// A recording can drive a manager, whatever the times of its points.
  @Test nonisolated func drivesAManager() async throws {
    let text = "lat,lon,time\n1,2,2001-02-03T04:05:06Z\n3,4,2001-02-03T04:05:07Z\n"
    let recording = try Recording(Array(text.utf8))
    let clock = ManualClock()
    let manager = LocationManager(
      backend: try MockBackend.replay(recording.events, clock: clock), clock: clock)
    let latitudes = Task {
      try await manager.updates.reduce(into: [Double]()) { $0.append($1.latitude) }
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(try await latitudes.value == [1, 3])
  }
}
