import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

/// The published schema and example agree with the parser.
@Suite(.inTurn) struct PolicySchemaTests {
  private static let documentation =
    String(
      #filePath.dropLast(
        "Tests/AuthorizationPolicyFileTests/Rules/PolicySchemaTests.swift".count))
    + "Documentation/"

  private struct Schema: Decodable {
    struct Property: Decodable {
      let `enum`: [String]?
      let pattern: String?
    }
    struct Rule: Decodable { let properties: [String: Property] }
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

  @Test func theSchemaListsEveryMember() throws {
    let schema = try JSONDecoder().decode(Schema.self, from: Self.bytes("policy.schema.json"))
    #expect(schema.properties.keys.sorted() == AuthorizationRules.documentKeys.sorted())
    let rule = schema.definitions.rule.properties
    #expect(rule.keys.sorted() == AuthorizationRules.ruleKeys.sorted())
    #expect(rule["status"]?.enum == AuthorizationRules.statuses.map(\.name))
    #expect(rule["accuracy"]?.enum == AccuracyAuthorization.allCases.map(\.rawValue))
  }

  @Test func aFileMayContainASchemaMember() throws {
    let text = #"{"$schema": "policy.schema.json", "version": 1, "default": {"status": "denied"}}"#
    #expect(try AuthorizationRules(Array(text.utf8)).fallback.permission == .denied)
  }

  @Test(arguments: [
    ("2030-09-01T00:00:00Z", true), ("2030-09-01T00:00:00.123456789Z", true),
    ("2030-09-01T00:00:00.Z", false), ("2030-09-01T00:00:00.1234567890Z", false),
    ("2030-09-01T00:00:00+02:00", false), ("2030-09-01t00:00:00z", false), ("tomorrow", false),
    ("2030-09-01", false),
  ])
  func theSchemaAcceptsTheTimesThatTheParserAccepts(_ time: String, isAccepted: Bool) throws {
    let schema = try JSONDecoder().decode(Schema.self, from: Self.bytes("policy.schema.json"))
    let pattern = try #require(schema.definitions.rule.properties["expires"]?.pattern)
    #expect(try time.contains(Regex(pattern)) == isAccepted)
    #expect((Timestamp.parse(time) != nil) == isAccepted)
  }

  @Test func theExampleFileIsValid() throws {
    let rules = try AuthorizationRules(Array(Self.bytes("policy.example.json")))
    #expect(rules.fallback.permission == .denied)
    #expect(rules.clients.keys.sorted() == ["async-location-example", "harbour-map", "regatta"])
  }
}
