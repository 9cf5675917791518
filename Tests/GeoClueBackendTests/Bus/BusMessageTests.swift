import AsyncLocation
import TestSupport
import Testing

@testable import GeoClueBackend

/// Values that travel over a bus.
@Suite(.inTurn) struct BusMessageTests {
  static let values: [[BusValue]] = [
    [],
    [.string("ä\u{1F6A2}"), .string("")],
    [.objectPath("/a/b_1"), .boolean(true), .boolean(false)],
    [.uint32(.max), .uint64(.max), .double(-0.5), .double(.infinity)],
    [.structure([.uint64(1), .uint64(2)]), .variant(.structure([.string("x"), .double(1)]))],
    [
      .dictionary([:]), .dictionary(["a": .double(1), "b": .structure([.uint64(1), .uint64(2)])]),
    ],
    [.dictionary(["nested": .dictionary(["x": .boolean(true)])])],
    Array(repeating: .uint32(7), count: 63),
  ]

  /// Sends values to a peer, and returns them as it received them; nil for a malformed message.
  private static func exchange(_ values: [BusValue]) async throws -> [BusValue]? {
    let bus = try await PrivateBus()
    let echo = try await BusPeer(on: bus.address) { request in
      .values([.variant(.boolean(request.arguments == values))] + request.arguments)
    }
    try await echo.own("org.example.Echo")
    let client = try await BusPeer(on: bus.address)
    let answer = try await client.call(
      BusCall(
        destination: "org.example.Echo", path: "/", interface: "org.example.Echo", member: "Echo",
        arguments: values))
    guard answer.first == .variant(.boolean(true)) else { return nil }
    return Array(answer.dropFirst())
  }

  @Test(.needsBus, arguments: values)
  func valuesSurvive(_ values: [BusValue]) async throws {
    #expect(try await Self.exchange(values) == values)
  }

  @Test(.needsBus) func tooManyArgumentsAreRefused() async throws {
    let values = Array(repeating: BusValue.uint32(7), count: 65)
    #expect(try await Self.exchange(values) == nil)
  }

  static let invalid: [BusValue] = [
    .string("a\0b"), .objectPath("no path"), .objectPath("/a\0b"), .unsupported,
    .variant(.unsupported),
  ]

  @Test(.needsBus, arguments: invalid)
  func invalidValuesAreNotSent(_ value: BusValue) async throws {
    await #expect(throws: BusFailure.self) { try await Self.exchange([value]) }
  }
}
