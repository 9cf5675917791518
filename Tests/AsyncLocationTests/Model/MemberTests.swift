import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AsyncLocation

/// Compares the members that a value's description contains with those that it encodes.
@Suite(.inTurn) struct MemberTests {
  struct Kind: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Returns the names of the members that occur in the descriptions, and in the JSON, of 64
    /// random values.
    let names: @Sendable () throws -> (printed: Set<String>, encoded: Set<String>)

    init<Value: Encodable & Described & Sendable>(
      _ type: Value.Type,
      _ make: @escaping @Sendable (inout SplitMix64) throws -> Value
    ) {
      testDescription = String(reflecting: type)
      names = {
        var random = SplitMix64(seed: 32)
        var (printed, encoded): (Set<String>, Set<String>) = ([], [])
        for _ in 0..<64 {
          let value = try make(&random)
          printed.formUnion(value.members.filter { $0.value != nil }.map(\.name))
          let object = try JSONDecoder().decode(Names.self, from: JSONEncoder().encode(value))
          encoded.formUnion(object.names)
        }
        return (printed, encoded)
      }
    }
  }

  /// The names of an object's members.
  private struct Names: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
      names = try decoder.container(keyedBy: MemberKey.self).allKeys.map(\.stringValue)
    }
  }

  static let kinds = [
    Kind(Location.self) { try $0.location() },
    Kind(GNSSFix.self) { try $0.fix() },
    Kind(DilutionOfPrecision.self) { try $0.dilution() },
    Kind(SourceInformation.self) { $0.source() },
    Kind(Heading.self) { try $0.heading() },
    Kind(Satellite.self) { try $0.satellite() },
    Kind(SatelliteView.self) { try $0.view() },
    Kind(Receiver.self) { $0.receiver() },
    Kind(ConnectionState.self) { $0.connection() },
    Kind(LocationUpdate.self) { try $0.update() },
    Kind(Authorization.self) { $0.authorization() },
    Kind(AuthorizationDecision.self) { $0.decision() },
    Kind(BackendDemand.self) { $0.demand() },
    Kind(UpdateOptions.self) { $0.updateOptions() },
    Kind(HeadingOptions.self) { $0.headingOptions() },
    Kind(VisitOptions.self) { $0.visitOptions() },
    Kind(EventOptions.self) { $0.eventOptions() },
    Kind(LocationManager.Properties.self) { $0.properties() },
    Kind(LocationManager.Configuration.self) { $0.configuration() },
    Kind(LocationManager.Statistics.self) { $0.statistics() },
    Kind(Placemark.self) { try $0.placemark() },
    Kind(PlacemarkUpdate.self) { try $0.placemarkUpdate() },
    Kind(PlacemarkOptions.self) { $0.placemarkOptions() },
  ]

  @Test("each member is printed and encoded", arguments: kinds)
  func membersAreComplete(_ kind: Kind) throws {
    let (printed, encoded) = try kind.names()
    #expect(printed.subtracting(encoded) == [])
    #expect(encoded.subtracting(printed) == [])
  }

  @Test func missingMembersHaveTheirDefaults() throws {
    let empty = Array("{}".utf8)
    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try JSONDecoder().decode(type, from: Data(empty))
    }
    #expect(try decoded(UpdateOptions.self) == UpdateOptions())
    #expect(try decoded(HeadingOptions.self) == HeadingOptions())
    #expect(try decoded(VisitOptions.self) == VisitOptions())
    #expect(try decoded(EventOptions.self) == EventOptions())
    #expect(try decoded(PlacemarkOptions.self) == PlacemarkOptions())
    #expect(try decoded(LocationManager.Properties.self) == LocationManager.Properties())
    #expect(try decoded(LocationManager.Configuration.self) == LocationManager.Configuration())
    #expect(try decoded(LocationManager.Statistics.self) == LocationManager.Statistics())
    #expect(try decoded(CachingGeocoder.Statistics.self) == CachingGeocoder.Statistics())
  }
}
