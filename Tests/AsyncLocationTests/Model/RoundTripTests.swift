import FoundationEssentials
import Testing

@testable import AsyncLocation

/// What is written is read back exactly, whatever the value.
@Suite struct RoundTripTests {
  private static func roundTrips<Value: Codable & Hashable>(
    _ count: Int, seed: UInt64, _ make: (inout SplitMix) throws -> Value
  ) throws {
    var random = SplitMix(seed: seed)
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

  @Test func locations() throws { try Self.roundTrips(10_000, seed: 10) { try $0.location() } }
  @Test func headings() throws { try Self.roundTrips(10_000, seed: 11) { try $0.heading() } }
  @Test func views() throws { try Self.roundTrips(10_000, seed: 12) { try $0.view() } }
  @Test func receivers() throws { try Self.roundTrips(10_000, seed: 13) { $0.receiver() } }
}
