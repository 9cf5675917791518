import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Delivery from several receivers, one of which the source prefers.
@Suite(.inTurn) struct PreferredReceiverTests {
  private static func source(_ device: String, isPreferred: Bool) -> SourceInformation {
    SourceInformation(device: device, isPreferred: isPreferred)
  }

  private static func fix(_ n: Int, _ device: String, isPreferred: Bool) throws -> Location {
    try Location(
      latitude: Double(n) / 1000, longitude: 0,
      timestamp: Date(timeIntervalSince1970: 1_800_000_000 + Double(n)),
      sourceInformation: source(device, isPreferred: isPreferred))
  }

  /// Two receivers alternate; `a` is preferred at first, `b` from the fourth fix.
  private static func fixes() throws -> [Location] {
    try [(1, "a"), (1, "b"), (2, "a"), (3, "b"), (3, "a"), (4, "b")].enumerated().map {
      index, fix in
      try Self.fix(fix.0, fix.1, isPreferred: (fix.1 == "a") == (index < 3))
    }
  }

  private static func devices(_ locations: [Location]) -> [String?] {
    locations.map(\.sourceInformation?.device)
  }

  @Test func withoutADeviceOptionThePreferredReceiverIsDelivered() async throws {
    let gate = MockGate()  // Opened when every stream is open.
    let backend = try MockBackend(script: [
      .wait(for: gate), .emit(try Self.fixes().map(BackendEvent.location)), .end,
    ])
    let manager = LocationManager(backend: backend)
    let (updates, updatesWithOptions) = (manager.updates, manager.updates(UpdateOptions()))
    let named = manager.updates(UpdateOptions(device: "b"))
    let live = manager.liveUpdates
    gate.open()
    #expect(Self.devices(await updates.all().elements) == ["a", "a", "b", "b"])
    #expect(Self.devices(await updatesWithOptions.all().elements) == ["a", "a", "b", "b"])
    #expect(Self.devices(await named.all().elements) == ["b", "b", "b"])
    #expect(Self.devices(await live.all().elements.compactMap(\.location)) == ["a", "a", "b", "b"])
    #expect(await manager.location?.sourceInformation?.device == "b")
  }

  @Test func lastLocationAndRequestsUseThePreferredReceiver() async throws {
    let backend = try MockBackend(script: [
      .emit([
        .location(try Self.fix(1, "b", isPreferred: false)),
        .location(try Self.fix(1, "a", isPreferred: true)),
        .location(try Self.fix(2, "b", isPreferred: false)),
      ])
    ])
    let manager = LocationManager(backend: backend)
    #expect(try await manager.currentLocation().sourceInformation?.device == "a")
    #expect(await manager.location?.sourceInformation?.device == "a")
    await manager.shutdown()
  }

  @Test func headingsAndSatellitesUseThePreferredReceiver() async throws {
    let events: [BackendEvent] = try ["a", "b"].flatMap { device -> [BackendEvent] in
      let source = Self.source(device, isPreferred: device == "a")
      return [
        .heading(
          try Heading(
            trueHeading: device == "a" ? 10 : 90, timestamp: Date(timeIntervalSince1970: 1),
            source: .compass, sourceInformation: source)),
        .satellites(try SatelliteView(satellites: [], sourceInformation: source)),
      ]
    }
    let gate = MockGate()  // Opened when every stream is open.
    let manager = LocationManager(
      backend: try MockBackend(script: [.wait(for: gate), .emit(events), .end]))
    let (headings, satelliteViews) = (manager.headings, manager.satellites)
    let named = manager.headings(HeadingOptions(device: "b"))
    gate.open()
    #expect(await headings.all().elements.map(\.trueHeading) == [10])
    #expect(await named.all().elements.map(\.trueHeading) == [90])
    #expect(await satelliteViews.all().elements.map(\.sourceInformation?.device) == ["a"])
    #expect(await manager.heading?.trueHeading == 10)
  }

  static let sources: [(SourceInformation, String)] = [
    (SourceInformation(), #"{"isSimulated":false,"timeSource":"receiver"}"#),
    (
      SourceInformation(device: "b", timeSource: .provisional, isPreferred: false),
      #"{"device":"b","isPreferred":false,"isSimulated":false,"timeSource":"provisional"}"#
    ),
  ]

  @Test(arguments: sources)
  func sourceInformationIsCodable(source: SourceInformation, text: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(source), as: UTF8.self) == text)
    let decoded = try JSONDecoder().decode(SourceInformation.self, from: Data(text.utf8))
    #expect(decoded == source)
  }

  @Test func jammingAndAntennaStatusHaveRangesAndAreCodable() throws {
    let fix = try GNSSFix(mode: .threeDimensional, jamming: 255, antennaStatus: 0)
    let decoded = try JSONDecoder().decode(GNSSFix.self, from: JSONEncoder().encode(fix))
    #expect(decoded == fix)
    #expect(decoded.jamming == 255)
    #expect(decoded.antennaStatus == 0)
    #expect(throws: LocationError.self) { try GNSSFix(mode: .twoDimensional, jamming: 256) }
    #expect(throws: LocationError.self) { try GNSSFix(mode: .twoDimensional, antennaStatus: -1) }
  }
}
