import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

@Suite(.inTurn) struct AuthorizationRulesTests {
  static let valid = """
    {
      "version": 1,
      "locationServicesEnabled": true,
      "default": { "status": "denied" },
      "clients": {
        "harbour-map": {
          "status": "authorizedAlways", "accuracy": "reduced",
          "expires": "2026-12-24T00:00:00Z",
          "temporaryFullAccuracy": { "docking": 600 }
        }
      }
    }
    """

  private static func fault(_ text: String) -> AuthorizationRules.Fault? {
    do throws(AuthorizationRules.Fault) {
      _ = try AuthorizationRules(Array(text.utf8))
      return nil
    } catch {
      return error
    }
  }

  static let malformed: [(String, Int, String)] = [
    ("", 1, "found the end of the file"), ("[]", 1, "the document to be an object"),
    ("{\n\"version\": 1,\n}", 3, "expected a name in quotes, found '}'"),
    ("{\"version\": 1,\n\"default\": {\"status\": \"denied\"}} x", 2, "the end of the file"),
    ("{\n\"version\": 2, \"default\": {\"status\": \"denied\"}}", 2, "\"version\" must be 1"),
    ("{\n\n\"version\": 1}", 1, "lacks \"default\""),
    ("{\"default\": {\"status\": \"denied\"}}", 1, "lacks \"version\""),
    ("{\"version\": 1,\n\"default\": {}}", 2, "lacks \"status\""),
    ("{\"version\": 1,\n\"default\": {\"status\":\n\"yes\"}}", 3, "found \"yes\""),
    ("{\"version\": 1,\n\"default\": {\"status\": true}}", 2, "found true"),
    (
      "{\"version\": 1,\n\"default\": {\"status\": \"denied\"},\n\"cliens\": {}}", 3,
      "no \"cliens\""
    ),
    (
      "{\"version\": 1,\n\"version\": 1, \"default\": {\"status\": \"denied\"}}", 2,
      "\"version\" is there twice"
    ),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\",\n\"expires\": \"2026-12-24T00:00:00Z\"}}",
      2, "cannot expire"
    ),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\"}, \"clients\": {\n\"a/b\": {}}}", 2,
      "holds a '/'"
    ),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\"}, \"clients\": {\n\"a\": []}}", 2,
      "found an array"
    ),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\"}, \"clients\": {\"a\": {\"status\": "
        + "\"denied\",\n\"expires\": \"tomorrow\"}}}", 2, "found \"tomorrow\""
    ),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\", \"accuracy\": \"some\"}}", 1,
      "full or reduced"
    ),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\",\n\"temporaryFullAccuracy\": {\"p\": 0}}}",
      2, "seconds of full accuracy"
    ),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\",\n\"temporaryFullAccuracy\": "
        + "{\"p\": 86401}}}", 2, "at most 86400"
    ),
    (
      "{\"version\": 1, \"locationServicesEnabled\": 1, \"default\": {\"status\": \"denied\"}}", 1,
      "true or false"
    ),
    ("\u{FEFF}{}", 1, "byte order mark"), ("{\"a\u{1}\": 1}", 1, "control character"),
    ("{\"a\": tru}", 1, "texts need quotes"), ("{\"a\": 01}", 1, "\"01\" is not a number"),
    ("{\"a\": 1.}", 1, "is not a number"),
    (
      "{\"version\": 1, \"default\": {\"status\": \"denied\",\n\"temporaryFullAccuracy\": "
        + "{\"p\": 1e999}}}", 2, "found 1e999"
    ),
    ("{\"\\ud800\": 1}", 1, "invalid escape"), ("{\"\\x\": 1}", 1, "invalid escape"),
    ("{\"a", 1, "does not end"), ("{\"a\\", 1, "does not end"),
    ("{\"a\\u12", 1, "does not end"),
    ("{\"version\": 1,\n\"$schema\": 1}", 2, "\"$schema\" to be a text, found 1"),
    (String(repeating: "[", count: 100_000), 1, "nested too deeply"),
    ("{\"version\": 1,\n\n\"\u{1B}[2J\u{202E}\": 1}", 3, "control character"),
    ("{\"version\": 1,\n\"\\u202e\": 1}", 2, "\\u{202e}"),
  ]

  @Test(arguments: malformed)
  func errorsNameTheLine(_ text: String, line: Int, messagePart: String) throws {
    let fault = try #require(Self.fault(text))
    #expect(fault.line == line, "\(fault)")
    #expect(fault.message.contains(messagePart), "\(fault)")
    #expect(fault.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
  }

  @Test func readsValidFiles() throws {
    let rules = try AuthorizationRules(Array(Self.valid.utf8))
    #expect(rules.locationServicesEnabled)
    #expect(rules.fallback == .init(permission: .denied, line: 4))
    let rule = try #require(rules.clients["harbour-map"])
    #expect(rule.permission == .always)
    #expect(rule.accuracy == .reduced)
    #expect(rule.line == 6)
    #expect(rule.purposes == ["docking": .seconds(600)])
  }

  @Test func aRuleAppliesUntilItExpires() throws {
    let rules = try AuthorizationRules(Array(Self.valid.utf8))
    let end = try #require(rules.clients["harbour-map"]?.expires)
    let before = rules.finding(for: "harbour-map", at: end.addingTimeInterval(-0.001))
    #expect(before.rule.permission == .always)
    #expect(before.expires == end)
    #expect(before.reason == "the rule for \"harbour-map\" on line 6")
    let after = rules.finding(for: "harbour-map", at: end)
    #expect(after.rule.permission == .denied)
    #expect(after.expires == nil)
    #expect(after.reason.contains("expired at 2026-12-24T00:00:00.000Z"))
    let other = rules.finding(for: "regatta", at: end)
    #expect(other.rule == rules.fallback)
    #expect(other.reason.contains("default on line 4"))
  }

  @Test("F37 a file cut at any length is a reported error")
  func cuts() {
    let bytes = Array(Self.valid.utf8)
    for length in 0..<bytes.count {
      #expect(throws: AuthorizationRules.Fault.self) {
        try AuthorizationRules(Array(bytes[..<length]))
      }
    }
  }

  @Test("F37 a flipped bit gives an error or another valid document", .longWork)
  func flips() throws {
    let bytes = Array(Self.valid.utf8)
    var refused = 0
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        do throws(AuthorizationRules.Fault) {
          let rules = try AuthorizationRules(flipped)
          // A name, a blank or a digit may change, but never the permission of an unknown client.
          #expect(rules.fallback.permission == .denied)
        } catch {
          refused += 1
          #expect((1...12).contains(error.line))
        }
      }
    }
    #expect(refused > bytes.count * 4)
  }

  @Test(
    "F38 names out of bounds are rejected",
    arguments: ["", ".", "..", "../x", "/etc", "a/b", "a\u{0}b", "a\nb", "a\u{7F}", "\u{85}"]
      + [String(repeating: "é", count: 128)])
  func names(_ name: String) {
    #expect(AuthorizationRules.problem(withName: name) != nil)
  }

  @Test(arguments: ["a", "harbour-map", "Käpt'n", "...", String(repeating: "a", count: 255)])
  func acceptsValidNames(_ name: String) {
    #expect(AuthorizationRules.problem(withName: name) == nil)
  }
}
