import Foundation
import TestSupport
import Testing

@testable import LocationRecording

/// Zones of the system's database.
@Suite(.inTurn) struct LocalTimeZoneTests {
  /// A second of a zone, with the local times before it and from it on.
  struct Instant: Sendable {
    let zone: String
    let seconds: Double
    let before: String
    let after: String

    init(_ zone: String, _ seconds: Double, _ before: String, _ after: String) {
      (self.zone, self.seconds, self.before, self.after) = (zone, seconds, before, after)
    }
  }

  /// The local times are offsets in seconds with abbreviations.
  private static let instants = [
    Instant("Europe/Berlin", -5_349_024_000, "3208 LMT", "3208 LMT"),  // 1800
    Instant("Europe/Berlin", -2_422_054_408, "3208 LMT", "3600 CET"),
    Instant("Europe/Berlin", 1_774_746_000, "3600 CET", "7200 CEST"),
    Instant("Europe/Berlin", 1_792_890_000, "7200 CEST", "3600 CET"),
    Instant("Europe/Berlin", 2_216_250_000, "3600 CET", "7200 CEST"),  // 2040
    Instant("Europe/Berlin", 4_128_627_600, "7200 CEST", "3600 CET"),  // 2100
    Instant("America/New_York", -2_717_650_800, "-17762 LMT", "-18000 EST"),
    Instant("America/New_York", 1_173_596_400, "-18000 EST", "-14400 EDT"),
    Instant("America/New_York", 1_194_156_000, "-14400 EDT", "-18000 EST"),
    Instant("America/New_York", 4_108_690_800, "-18000 EST", "-14400 EDT"),  // 2100
    Instant("America/Sao_Paulo", 1_541_300_400, "-10800 -03", "-7200 -02"),
    Instant("America/Sao_Paulo", 1_550_368_800, "-7200 -02", "-10800 -03"),
    Instant("America/Sao_Paulo", 4_118_083_200, "-10800 -03", "-10800 -03"),  // 2100
    Instant("Asia/Kathmandu", 504_901_800, "19800 +0530", "20700 +0545"),
    Instant("Asia/Kathmandu", 2_224_713_600, "20700 +0545", "20700 +0545"),  // 2040
    // Daylight time is negative, in Ramadan.
    Instant("Africa/Casablanca", 1_771_120_800, "3600 +01", "0 +00"),
    Instant("Africa/Casablanca", 1_774_144_800, "0 +00", "3600 +01"),
    Instant("Africa/Casablanca", 4_118_083_200, "3600 +01", "3600 +01"),  // 2100
    // Daylight time is half an hour.
    Instant("Australia/Lord_Howe", 1_775_314_800, "39600 +11", "37800 +1030"),
    Instant("Australia/Lord_Howe", 1_791_041_400, "37800 +1030", "39600 +11"),
    Instant("Australia/Lord_Howe", 2_216_818_800, "39600 +11", "37800 +1030"),  // 2040
    Instant("Australia/Lord_Howe", 2_233_150_200, "37800 +1030", "39600 +11"),
    // There was no 2011-12-30.
    Instant("Pacific/Apia", 1_325_239_200, "-36000 -10", "50400 +14"),
    Instant("Pacific/Apia", 1_617_458_400, "50400 +14", "46800 +13"),
    Instant("Pacific/Apia", 2_224_713_600, "46800 +13", "46800 +13"),  // 2040
    // The station was not occupied before 2005.
    Instant("Antarctica/Troll", 1_108_166_400, "0 -00", "0 +00"),
    Instant("Antarctica/Troll", 1_774_746_000, "0 +00", "7200 +02"),
    Instant("Antarctica/Troll", 2_234_998_800, "7200 +02", "0 +00"),  // 2040
    Instant("Asia/Tehran", 1_647_894_600, "12600 +0330", "16200 +0430"),
    Instant("Asia/Tehran", 1_663_788_600, "16200 +0430", "12600 +0330"),
    Instant("Asia/Tehran", 4_118_083_200, "12600 +0330", "12600 +0330"),  // 2100
    // Daylight time is negative, in winter.
    Instant("Europe/Dublin", 57_722_400, "3600 IST", "0 GMT"),
    Instant("Europe/Dublin", 1_774_746_000, "0 GMT", "3600 IST"),
    Instant("Europe/Dublin", 2_234_998_800, "3600 IST", "0 GMT"),  // 2040
    // The rule has the hour -1.
    Instant("America/Nuuk", 1_679_792_400, "-10800 -03", "-7200 -02"),
    Instant("America/Nuuk", 1_711_846_800, "-7200 -02", "-3600 -01"),
    Instant("America/Nuuk", 4_109_878_800, "-7200 -02", "-3600 -01"),  // 2100
    Instant("America/Nuuk", 4_128_627_600, "-3600 -01", "-7200 -02"),
    // The rule has the hour 50.
    Instant("Asia/Gaza", 3_794_083_200, "7200 EET", "10800 EEST"),  // 2090
    Instant("UTC", -5_349_024_000, "0 UTC", "0 UTC"),
    Instant("UTC", 4_118_083_200, "0 UTC", "0 UTC"),
  ]

  private func localTime(_ zone: LocalTimeZone, _ seconds: Double) -> String {
    let date = Date(timeIntervalSince1970: seconds)
    return "\(zone.offset(at: date).components.seconds) \(zone.abbreviation(at: date))"
  }

  @Test(.needsTimeZone(), arguments: instants) func hasKnownLocalTimes(_ instant: Instant) throws {
    let zone = try LocalTimeZone(identifier: instant.zone)
    #expect(localTime(zone, instant.seconds - 1) == instant.before)
    #expect(localTime(zone, instant.seconds - 1e-6) == instant.before)
    #expect(localTime(zone, instant.seconds) == instant.after)
  }

  /// The files of the zones `right/…` count leap seconds. Their transitions are the same as those
  /// of the other zones, up to the end of the table of leap seconds.
  @Test(
    .needsTimeZone("right/Europe/Berlin"),
    arguments: ["Europe/Berlin", "America/New_York", "Pacific/Apia"])
  func ignoresLeapSeconds(_ name: String) throws {
    let right = try LocalTimeZone(identifier: "right/\(name)")
    let zone = try LocalTimeZone(identifier: name)
    // 2024-01-01.
    let limit = 1_704_067_200
    let transitions = zone.schedule.transitions.filter { $0.time < limit }
    #expect(right.schedule.transitions.filter { $0.time < limit } == transitions)
    #expect(transitions.count > 20)
    #expect(right.schedule.first == zone.schedule.first)
    #expect(right != zone)
  }

  @Test func utcNeedsNoDatabase() {
    #expect(LocalTimeZone.utc.identifier == "UTC")
    #expect(localTime(.utc, 0) == "0 UTC")
    #expect(localTime(.utc, -.infinity) == "0 UTC")
  }

  @Test(arguments: [
    "", "/", "/etc/passwd", "../UTC", "Europe/../UTC", "Europe//Berlin", "Europe/Berlin/", "./UTC",
    "UTC\0", "Europe\\Berlin", "tzdata.zi", "Europe/Berlín", "A B",
    String(repeating: "A", count: 65),
  ])
  func refusesOtherIdentifiers(_ identifier: String) {
    #expect(!TimeZoneDatabase.isIdentifier(identifier))
    let error = #expect(throws: RecordingError.self) { try LocalTimeZone(identifier: identifier) }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("use one such as Europe/Berlin") == true)
  }

  @Test(arguments: ["Etc/GMT+12", "America/Port-au-Prince", "EST5EDT", "America/New_York"])
  func acceptsIdentifiers(_ identifier: String) {
    #expect(TimeZoneDatabase.isIdentifier(identifier))
  }

  @Test func reportsAMissingZone() {
    let error = #expect(throws: RecordingError.self) {
      try LocalTimeZone(identifier: "Europe/Nowhere")
    }
    #expect(error?.code == .unreadable)
    #expect(error?.message.contains("install the package tzdata") == true, "\(error as Any)")
    #expect(error?.message.contains("Europe/Nowhere") == true)
  }

  @Test func theEnvironmentNamesTheFolder() throws {
    let folder = try TemporaryFolder()
    _ = try folder.write(TZifBytes.full.bytes, to: "Ours")
    _ = try folder.write([UInt8](repeating: 0, count: 1 << 18), to: "Large")
    let database = TimeZoneDatabase(environment: ["TZDIR": folder.path])
    #expect(try database.contents(of: "Ours") == TZifBytes.full.bytes)
    let large = try database.contents(of: "Large")
    #expect((TZifReader.maximumSize + 1..<1 << 18).contains(large.count))
    let error = #expect(throws: RecordingError.self) {
      try LocalTimeZone(identifier: "Large", contents: large)
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func searchesTheUsualFolders() {
    let usual = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo"]
    #expect(TimeZoneDatabase(environment: [:]).folders == usual)
    #expect(TimeZoneDatabase(environment: ["TZDIR": ""]).folders == usual)
    #expect(TimeZoneDatabase(environment: ["TZDIR": "/a"]).folders == ["/a"] + usual.dropFirst())
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test if the system's database does not have a zone.
  static func needsTimeZone(_ identifier: String = "Europe/Berlin") -> Self {
    .enabled("install the package tzdata, with \(identifier)") {
      (try? TimeZoneDatabase().contents(of: identifier)) != nil
    }
  }
}
