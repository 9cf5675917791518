import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Random values are equal to the originals after encoding and decoding.
@Suite(.inTurn) struct RoundTripTests {
  private static func roundTrips<Value: Codable & Hashable>(
    _ count: Int, seed: UInt64, _ make: (inout SplitMix64) throws -> Value
  ) throws {
    var random = SplitMix64(seed: seed)
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    for _ in 0..<count {
      let value = try make(&random)
      let data = try encoder.encode(value)
      let back = try decoder.decode(Value.self, from: data)
      #expect(back == value, "\(String(bytes: data, encoding: .utf8) ?? "")")
      #expect(back.hashValue == value.hashValue)
    }
  }

  struct Kind: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let check: @Sendable () throws -> Void

    init<Value: Codable & Hashable & Sendable>(
      _ type: Value.Type, _ count: Int = 1_000,
      _ make: @escaping @Sendable (inout SplitMix64) throws -> Value
    ) {
      testDescription = String(reflecting: type)
      check = { try RoundTripTests.roundTrips(count, seed: 10, make) }
    }
  }

  /// The values of managers, streams, events and geocoders. Those of monitors and of movement have
  /// tests of their own.
  static let kinds = [
    Kind(Coordinate.self) { try $0.location().coordinate },
    Kind(Location.self, 3_000) { try $0.location() },
    Kind(GNSSFix.self) { try $0.fix() },
    Kind(DilutionOfPrecision.self) { try $0.dilution() },
    Kind(SourceInformation.self) { $0.source() },
    Kind(Heading.self, 3_000) { try $0.heading() },
    Kind(Satellite.self) { try $0.satellite() },
    Kind(SatelliteView.self, 3_000) { try $0.view() },
    Kind(Receiver.self, 3_000) { $0.receiver() },
    Kind(LocationUpdate.self) { try $0.update() },
    Kind(LocationUpdate.Diagnostics.self) { $0.diagnostics() },
    Kind(ConnectionState.self) { $0.connection() },
    Kind(LocationError.self) { $0.error() },
    Kind(DesiredAccuracy.self) { $0.accuracy() },
    Kind(LocationManager.Statistics.self) { $0.statistics() },
    Kind(LocationManager.Configuration.self) { $0.configuration() },
    Kind(Authorization.self) { $0.authorization() },
    Kind(AuthorizationDecision.self) { $0.decision() },
    Kind([AuthorizationRequest].self) { [$0.pick(AuthorizationRequest.self)] },
    Kind(BackendDemand.self) { $0.demand() },
    Kind(UpdateOptions.self) { $0.updateOptions() },
    Kind(HeadingOptions.self) { $0.headingOptions() },
    Kind(VisitOptions.self) { $0.visitOptions() },
    Kind(EventOptions.self) { $0.eventOptions() },
    Kind(LocationManager.Properties.self) { $0.properties() },
    Kind(Placemark.self) { try $0.placemark() },
    Kind(PlacemarkUpdate.self) { try $0.placemarkUpdate() },
    Kind(PlacemarkOptions.self) { $0.placemarkOptions() },
  ]

  @Test(.longWork, arguments: kinds)
  func everyValueRoundTripsExactly(_ kind: Kind) throws { try kind.check() }
}
