import Foundation
import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct MonitorCodingTests {
  private static let time = Date(timeIntervalSince1970: 1_800_000_000.25)
  private static let uuid = UUID(uuidString: "8E1D3F5A-0000-4000-8000-000000000001")!

  private func text(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  static let conditions: [(Condition, String)] = [
    (
      try! .circle(center: at(60, 24), radius: 150),
      #"{"circle":{"center":{"latitude":60,"longitude":24},"radius":150}}"#
    ),
    (
      try! Condition.corridor(along: [at(0, 0), at(0, 1)], width: 20).dwelling(.milliseconds(1_500))
        .expiring(at: time),
      #"{"corridor":{"path":[{"latitude":0,"longitude":0},{"latitude":0,"longitude":1}],"width":20},"#
        + #""dwell":1.5,"expiry":"2027-01-15T08:00:00.250Z"}"#
    ),
    (
      .beacon(BeaconIdentityConstraint(uuid: uuid, major: 3)),
      #"{"beacon":{"major":3,"uuid":"8E1D3F5A-0000-4000-8000-000000000001"}}"#
    ),
    (
      try! .polygon([at(0, 0), at(0, 1), at(1, 1)]),
      #"{"polygon":{"exterior":[{"latitude":0,"longitude":0},{"latitude":0,"longitude":1},"#
        + #"{"latitude":1,"longitude":1}],"holes":[]}}"#
    ),
  ]

  @Test func conditionsKeepTheirFormat() throws {
    for (condition, json) in Self.conditions {
      #expect(try text(condition) == json)
      #expect(try decode(Condition.self, json) == condition)
    }
  }

  @Test func eventsKeepTheirFormat() throws {
    let event = Monitor.Event(
      identifier: "a", number: 7, state: .satisfied, previousState: .unknown, date: Self.time,
      diagnostics: .persistenceUnavailable, isRepeated: true)
    let json =
      #"{"diagnostics":["persistenceUnavailable"],"identifier":"a","isRepeated":true,"number":7,"#
      + #""previousState":"unknown","state":"satisfied","timestamp":"2027-01-15T08:00:00.250Z"}"#
    #expect(try text(event) == json)
    #expect(try decode(Monitor.Event.self, json) == event)
    let located = Monitor.Event(
      identifier: "b", number: 8, state: .unsatisfied, previousState: .satisfied, date: Self.time,
      location: fix(3), refinement: Self.conditions[2].0)
    #expect(try decode(Monitor.Event.self, text(located)) == located)
  }

  @Test(arguments: [
    #"{}"#, #"{"circle":{"center":{"latitude":0,"longitude":0},"radius":-1}}"#,
    #"{"circle":{"center":{"latitude":91,"longitude":0},"radius":1}}"#,
    #"{"polygon":{"exterior":[]}}"#, #"{"corridor":{"path":[],"width":1}}"#,
    #"{"circle":{"center":{"latitude":0,"longitude":0},"radius":1},"dwell":-1}"#,
    #"{"circle":{"center":{"latitude":0,"longitude":0},"radius":1},"expiry":"soon"}"#,
    #"{"beacon":{"uuid":"x"}}"#,
  ])
  func badConditionsAreRefused(_ json: String) {
    #expect(throws: DecodingError.self) { try decode(Condition.self, json) }
  }

  @Test func rawValuesAreThoseOfCoreLocation() {
    #expect(Monitor.State.allCases.map(\.rawValue) == [0, 1, 2, 3])
    #expect(
      Monitor.State.allCases.map(\.description) == [
        "unknown", "satisfied", "unsatisfied", "unmonitored",
      ])
  }

  @Test func aMinorWithoutMajorIsIgnored() throws {
    let constraint = BeaconIdentityConstraint(uuid: Self.uuid)
    #expect(BeaconIdentityConstraint(uuid: Self.uuid, minor: 3) == constraint)
    let json = Data(#"{"uuid":"\#(Self.uuid.uuidString)","minor":3}"#.utf8)
    #expect(try JSONDecoder().decode(BeaconIdentityConstraint.self, from: json) == constraint)
  }
}
