import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// Other programs read the same content: xmllint with the GPX schema, gpsbabel, GDAL and gpxpy.
@Suite(.inTurn) struct ValidatorTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let schemas = environment["ASYNC_LOCATION_SCHEMAS"]
  private static let python = environment["ASYNC_LOCATION_GPXPY"]
  private static let script =
    String(#filePath.dropLast("/LocationRecordingTests/Writing/ValidatorTests.swift".count))
    + "/Scripts/gpx-points"

  /// Tracks of receivers, and tracks with random content.
  private static func tracks() throws -> [Track] {
    try (0..<20).map { seed in
      var random = RandomTrack(seed: UInt64(seed))
      return try random.track()
    }
      + (0..<60).map { seed in
        var random = RandomLocations(seed: UInt64(seed))
        var track = try random.track()
        track.waypoints = try waypoints
        return track
      }
  }

  /// Waypoints with every member, with a few, and with names that need escapes.
  private static var waypoints: [Waypoint] {
    get throws {
      [
        try Waypoint(
          Coordinate(latitude: 50.5, longitude: 8.25), name: "Inn & pub", comment: "closed",
          details: "<b>old</b>", symbol: "Lodging", type: "food",
          timestamp: Date(timeIntervalSince1970: 1_777_863_721.5), altitude: 99.5),
        try Waypoint(Coordinate(latitude: -1e-7, longitude: 180)),
        try Waypoint(
          Coordinate(latitude: 1, longitude: 2), name: RandomLocations.names.joined(), type: "x"),
      ]
    }
  }

  private static func files(
    _ format: RecordingWriter.Format, _ ending: String, in folder: TemporaryFolder,
    of tracks: [Track]
  ) throws -> [String] {
    try tracks.enumerated().map {
      try folder.write($1.encoded(as: format), to: "\($0).\(ending)")
    }
  }

  @Test(
    .enabled(
      if: schemas != nil && Command.isInstalled("xmllint"),
      "set ASYNC_LOCATION_SCHEMAS to a folder with gpx-1.1.xsd, and install libxml2-utils"))
  func gpxIsValidAndKMLIsWellFormed() async throws {
    let folder = try TemporaryFolder()
    let paths = try Self.files(
      .gpx, "gpx", in: folder, of: Self.tracks() + [Track(), GPXExtensionTests.track()])
    let schema = try #require(Self.schemas) + "/gpx-1.1.xsd"
    _ = try await Command.output(of: ["xmllint", "--noout", "--schema", schema] + paths)
    let kmlPaths = try Self.files(.kml, "kml", in: folder, of: Self.tracks() + [Track()])
    _ = try await Command.output(of: ["xmllint", "--noout"] + kmlPaths)
  }

  @Test(
    .enabled(
      if: python != nil, "set ASYNC_LOCATION_GPXPY to a Python that has the package gpxpy"))
  func gpxpyReadsTheSameTracks() async throws {
    let folder = try TemporaryFolder()
    let tracks = try Self.tracks()
    let paths = try Self.files(.gpx, "gpx", in: folder, of: tracks)
    let output = try await Command.output(of: [try #require(Self.python), Self.script] + paths)
    let theirs = try output.split(separator: "\n").map {
      try JSONDecoder().decode([Double?].self, from: Data($0.utf8))
    }
    let ours = tracks.enumerated().flatMap { number, track in
      track.points.map { (number, $0.location) }
    }
    try #require(ours.count == theirs.count)
    for ((number, location), their) in zip(ours, theirs) {
      // GPX excludes a longitude of 180°.
      let longitude = location.longitude == 180 ? -180 : location.longitude
      #expect(their[0] == Double(number))
      #expect(their[1] == location.latitude)
      #expect(their[2] == longitude)
      #expect(their[3] == location.altitude)
      // gpxpy has a resolution of microseconds.
      let difference = (their[4] ?? 0) - location.timestamp.timeIntervalSince1970
      #expect(abs(difference) <= 2e-6)
    }
  }

  /// gpsbabel reads the heart rate and the temperature of Garmin's extension, and writes them
  /// again.
  @Test(.enabled(if: Command.isInstalled("gpsbabel"), "install gpsbabel"))
  func gpsbabelReadsSensors() async throws {
    let folder = try TemporaryFolder()
    let track = try GPXExtensionTests.track()
    let path = try folder.write(track.encoded(as: .gpx), to: "ride.gpx")
    let output = try await Command.output(
      of: ["gpsbabel", "-t", "-i", "gpx", "-f", path, "-o", "gpx,garminextensions=1", "-F", "-"])
    let theirs = Track(try Recording(Array(output.utf8)), options: .recordedGapsOnly)
    try #require(theirs.pointCount == track.pointCount)
    for (their, our) in zip(theirs.points, track.points) {
      // gpsbabel stores the heart rate as an integer below 256.
      guard let rate = our.sensors?.heartRate, rate < 256 else { continue }
      #expect(their.sensors?.heartRate == rate)
      #expect(their.sensors?.airTemperature == our.sensors?.airTemperature)
    }
  }

  /// gpsbabel recognizes a column by part of its name, and reads the last of several such columns.
  @Test(.enabled(if: Command.isInstalled("gpsbabel"), "install gpsbabel"))
  func gpsbabelReadsTheColumnsOfTables() async throws {
    let folder = try TemporaryFolder()
    var point = TrackPoint(
      try Location(
        latitude: 47, longitude: 8, timestamp: Date(timeIntervalSince1970: 1_777_896_000),
        altitude: 400, ellipsoidalAltitude: 448, horizontalAccuracy: 3, verticalAccuracy: 5,
        speed: 10, speedAccuracy: 0.5, course: 90, courseAccuracy: 2),
      beginning: .start)
    point.sensors = try SensorReadings(heartRate: 140, airTemperature: 20, waterTemperature: 10)
    var track = Track(name: "Ride")
    track.append(point)
    let path = try folder.write(track.encoded(as: .csv), to: "ride.csv")
    let output = try await Command.output(
      of: ["gpsbabel", "-i", "unicsv", "-f", path, "-o", "unicsv,utc=0", "-F", "-"])
    let recording = try Recording(Array(output.utf8))
    let their = try #require(recording.locations.first)
    #expect(their.altitude == 400)
    #expect(their.speed == 10)
    #expect(their.course == 90)
    #expect(recording.sensors[0]?.airTemperature == 20)
    #expect(recording.sensors[0]?.heartRate == 140)
  }

  /// gpsbabel reads the names, and writes GPX whose waypoints and track are read again.
  @Test(
    .enabled(if: Command.isInstalled("gpsbabel"), "install gpsbabel"),
    arguments: [("gpx", RecordingWriter.Format.gpx), ("kml", .kml), ("geojson", .geoJSONTrack)])
  func gpsbabelReadsWaypoints(_ name: String, _ format: RecordingWriter.Format) async throws {
    let folder = try TemporaryFolder()
    var random = RandomTrack(seed: 1)
    var track = try random.track()
    track.waypoints = try Self.waypoints.filter { $0.name == "Inn & pub" }
    let path = try folder.write(track.encoded(as: format), to: "track.\(name)")
    let output = try await Command.output(
      of: ["gpsbabel", "-t", "-w", "-i", name, "-f", path, "-o", "gpx", "-F", "-"])
    let recording = try Recording(Array(output.utf8))
    // gpsbabel reads the lines of GeoJSON as routes.
    #expect(recording.pointKind == (format == .geoJSONTrack ? .route : .track))
    #expect(recording.locations.count >= track.pointCount)
    let waypoint = try #require(recording.waypoints.first { $0.name == "Inn & pub" })
    #expect(abs(waypoint.coordinate.latitude - 50.5) < 1e-6)
    #expect(abs(waypoint.coordinate.longitude - 8.25) < 1e-6)
  }

  @Test(
    .enabled(if: Command.isInstalled("gpsbabel"), "install gpsbabel"),
    arguments: [("gpx", RecordingWriter.Format.gpx), ("kml", .kml), ("geojson", .geoJSON)])
  func gpsbabelReadsTheSameTracks(_ name: String, _ format: RecordingWriter.Format) async throws {
    let folder = try TemporaryFolder()
    for seed in 0..<5 {
      var random = RandomTrack(seed: UInt64(seed))
      let track = try random.track()
      let path = try folder.write(track.encoded(as: format), to: "track.\(name)")
      let output = try await Command.output(
        of: [
          "gpsbabel", "-i", name, "-f", path, "-x", "transform,wpt=trk,del", "-o",
          "unicsv,utc=0", "-F", "-",
        ])
      let theirs = try Recording(Array(output.utf8)).locations
      let ours = track.points.map(\.location)
      try #require(theirs.count == ours.count)
      for (our, their) in zip(ours, theirs) {
        // gpsbabel prints six decimal places and milliseconds, and reads no times of GeoJSON.
        #expect(our.distance(to: their) < 0.2)
        guard format != .geoJSON else { continue }
        #expect(abs(our.timestamp.timeIntervalSince(their.timestamp)) <= 0.001)
      }
    }
  }

  /// gpsbabel writes some formats that this package does not write, or writes differently.
  @Test(
    .enabled(if: Command.isInstalled("gpsbabel"), "install gpsbabel"),
    arguments: [
      ("kml,track=1,points=0,lines=0", RecordingFormat.kml, 0.2), ("kml,track=1", .kml, 0.2),
      ("kml", .kml, 0.2), ("gtrnctr", .tcx, 0.2),
      ("igc", .igc, 2), ("garmin_fit", .fit, 0.2),
    ])
  func readsGPSBabelOutput(
    output: String, format: RecordingFormat, tolerance: Double
  ) async throws {
    let folder = try TemporaryFolder()
    for seed in 0..<5 {
      var random = RandomTrack(seed: UInt64(seed))
      let track = try random.track()
      let path = try folder.write(track.encoded(as: .gpx), to: "track.gpx")
      let written = "\(folder.path)/written"
      _ = try await Command.output(
        of: ["gpsbabel", "-t", "-i", "gpx", "-f", path, "-o", output, "-F", written])
      let theirs = try Recording(contentsOf: written)
      #expect(theirs.format == format)
      #expect(theirs.waypoints.isEmpty)
      let ours = track.points.map(\.location)
      try #require(theirs.locations.count == ours.count, "\(output) of seed \(seed)")
      for (our, their) in zip(ours, theirs.locations) {
        #expect(our.distance(to: their) < tolerance)
        // IGC has whole metres, and 0 for no altitude.
        #expect(abs((our.altitude ?? 0) - (their.altitude ?? 0)) < 1)
        #expect(abs(our.timestamp.timeIntervalSince(their.timestamp)) < 1)
      }
    }
  }

  @Test(
    .enabled(if: Command.isInstalled("ogrinfo"), "install gdal-bin"),
    arguments: [
      ("gpx", RecordingWriter.Format.gpx, ["track_points"]), ("geojson", .geoJSON, []),
      ("geojsonl", .geoJSONLines, []), ("geojsons", .geoJSONSequence, []),
    ])
  func gdalReadsTheSameNumberOfPoints(
    ending: String, format: RecordingWriter.Format, layers: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    var random = RandomTrack(seed: 3)
    let track = try random.track()
    let path = try folder.write(track.encoded(as: format), to: "track.\(ending)")
    let output = try await Command.output(of: ["ogrinfo", "-ro", "-so", "-al", path] + layers)
    #expect(output.contains("Feature Count: \(track.pointCount)\n"), "\(output)")
  }
}
