import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationRecording

private let gpsbabel = ["/usr/bin/gpsbabel", "/usr/local/bin/gpsbabel"]
  .first { FileManager.default.isExecutableFile(atPath: $0) }

/// F83: the tables that GPSBabel writes for a track in the south and west, in each of its styles
/// that has a header with a latitude and a longitude. Tables in other styles are refused.
@Suite(.enabled(if: gpsbabel != nil, "gpsbabel is not installed"), .inTurn)
struct ForeignTableTests {
  private static let track = """
    <gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
    <trkpt lat="-46.915006" lon="-69.634991"><ele>413</ele><time>2026-05-14T03:00:00Z</time>\
    <course>90</course><speed>10</speed></trkpt>
    <trkpt lat="-46.914806" lon="-69.633991"><ele>414.5</ele><time>2026-05-14T03:00:10Z</time></trkpt>
    <trkpt lat="-46.914506" lon="-69.632991"><ele>415.5</ele><time>2026-05-14T03:00:20Z</time></trkpt>
    </trkseg></trk></gpx>
    """

  /// The styles, and whether each contains the altitude, the speed and the time.
  static let styles: [(name: String, altitude: Bool, speed: Bool, time: Bool)] = [
    ("unicsv", true, true, true), ("iblue747", true, true, true), ("iblue757", true, true, true),
    ("openoffice", true, true, true), ("motoactv", true, true, true),
    ("garmin301", true, false, true), ("cup", true, false, false), ("geonet", false, false, false),
    ("nima", false, false, false), ("s_and_t", false, false, false),
    ("saplus", false, false, false),
  ]

  @Test("F83 GPSBabel's tables are read as it wrote them", arguments: styles)
  func reads(_ style: (name: String, altitude: Bool, speed: Bool, time: Bool)) async throws {
    // Most styles contain waypoints only. Without the option, the times of unicsv are local.
    let bytes = try await Self.table(
      style.name == "unicsv" ? "unicsv,utc=0" : style.name,
      hasTracks: ["unicsv", "iblue747", "iblue757"].contains(style.name))
    let recording = try recording(bytes)
    #expect(recording.skipped.isEmpty, "\(recording.skipped)")
    #expect(recording.locations.count == 3)
    for (location, (latitude, longitude, altitude)) in zip(
      recording.locations,
      [
        (-46.915006, -69.634991, 413.0), (-46.914806, -69.633991, 414.5),
        (-46.914506, -69.632991, 415.5),
      ])
    {
      // `cup` has thousandths of a minute, and some styles have whole metres.
      #expect(abs(location.latitude - latitude) < 1e-5)
      #expect(abs(location.longitude - longitude) < 1e-5)
      if style.altitude { #expect(abs((location.altitude ?? 0) - altitude) <= 0.5) }
    }
    if style.speed { #expect(abs((recording.locations.first?.speed ?? 0) - 10) < 1e-6) }
    guard style.time else { return }
    for (time, second) in zip(recording.times, [0, 10, 20]) {
      let expected = date("2026-05-14T03:00:\(second == 0 ? "00" : "\(second)")Z")
      // Spreadsheets have millionths of a day.
      #expect(abs((time ?? .distantPast).timeIntervalSince(expected)) <= 0.1)
    }
  }

  /// Columns without names may be in any order.
  @Test(
    "F83 GPSBabel's tables without a header are refused",
    arguments: ["arc", "cambridge", "csv", "dna", "garmin_poi", "gpsdrive", "kompass_wp", "mxf"])
  func refuses(_ style: String) async throws {
    let bytes = try await Self.table(style, hasTracks: false)
    #expect(!bytes.isEmpty)
    let error = #expect(throws: RecordingError.self) { try recording(bytes) }
    #expect(error?.code == .unknownFormat)
  }

  /// Returns the table that GPSBabel writes for the track.
  private static func table(_ style: String, hasTracks: Bool) async throws -> [UInt8] {
    let folder = NSTemporaryDirectory() + "tables-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try track.write(toFile: folder + "/in.gpx", atomically: true, encoding: .utf8)
    let program = try #require(gpsbabel)
    try await onThread {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: program)
      process.arguments =
        ["-t", "-i", "gpx", "-f", folder + "/in.gpx"]
        + (hasTracks ? [] : ["-x", "transform,wpt=trk,del"])
        + ["-o", style, "-F", folder + "/out"]
      try process.run()
      process.waitUntilExit()
    }
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/out")))
  }
}
