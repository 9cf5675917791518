import FoundationEssentials
import Testing

@testable import AsyncLocation

/// The schema and the example that are published say what the code reads.
@Suite struct PolicySchemaTests {
  private static let documentation =
    String(
      #filePath.dropLast(
        "Tests/AsyncLocationTests/Authorization/PolicyFile/PolicySchemaTests.swift".count))
    + "Documentation/"

  private struct Schema: Decodable {
    struct Enumeration: Decodable { let `enum`: [String]? }
    struct Rule: Decodable { let properties: [String: Enumeration] }
    struct Definitions: Decodable { let rule: Rule }
    struct Nothing: Decodable {}

    let definitions: Definitions
    let properties: [String: Nothing]

    enum CodingKeys: String, CodingKey {
      case definitions = "$defs"
      case properties
    }
  }

  private static func bytes(_ name: String) throws -> Data {
    try #require(FileManager.default.contents(atPath: documentation + name))
  }

  @Test func theSchemaNamesWhatIsRead() throws {
    let schema = try JSONDecoder().decode(Schema.self, from: Self.bytes("policy.schema.json"))
    #expect(schema.properties.keys.sorted() == AuthorizationRules.documentKeys.sorted())
    let rule = schema.definitions.rule.properties
    #expect(rule.keys.sorted() == AuthorizationRules.ruleKeys.sorted())
    #expect(rule["status"]?.enum == AuthorizationRules.statuses.map(\.name))
    #expect(rule["accuracy"]?.enum == AccuracyAuthorization.allCases.map(\.rawValue))
  }

  @Test func theExampleIsRead() throws {
    let rules = try AuthorizationRules(Array(Self.bytes("policy.example.json")))
    #expect(rules.fallback.permission == .denied)
    #expect(rules.clients.keys.sorted() == ["async-location-example", "harbour-map", "regatta"])
  }
}
