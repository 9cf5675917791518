import AsyncLocation
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@testable import AuthorizationPolicyFile

/// The JSON and the printed form of an explanation.
@Suite(.inTurn) struct AuthorizationExplanationTests {
  @Test func anExplanationHasItsFormat() throws {
    let explanation = AuthorizationExplanation(
      path: "/etc/p", client: "c", decision: .denied,
      expires: Date(timeIntervalSinceReferenceDate: 799_556_521.25),
      purposes: ["map": .milliseconds(1500)])
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = try encoder.encode(explanation)
    #expect(
      String(bytes: data, encoding: .utf8) == """
        {"client":"c","decision":{"accuracy":"full","permission":"denied"},\
        "expires":"2026-05-04T03:02:01.250Z","locationServicesEnabled":true,"path":"/etc/p",\
        "purposes":{"map":1.5}}
        """)
    #expect(try JSONDecoder().decode(AuthorizationExplanation.self, from: data) == explanation)
  }

  @Test(.longWork) func everyExplanationIsReadBackExactly() throws {
    var random = SplitMix64(seed: 10)
    for _ in 0..<2_000 {
      let explanation = Self.explanation(&random)
      let data = try JSONEncoder().encode(explanation)
      let decoded = try JSONDecoder().decode(AuthorizationExplanation.self, from: data)
      #expect(decoded == explanation, "\(String(bytes: data, encoding: .utf8) ?? "")")
      #expect(decoded.hashValue == explanation.hashValue)
    }
  }

  @Test func printsItsMembers() {
    let explanation = AuthorizationExplanation(
      path: "p", client: "c", decision: .denied, purposes: ["m": .seconds(1)])
    let text =
      "AuthorizationExplanation(path: \"p\", client: \"c\", "
      + "decision: AuthorizationDecision(permission: denied, accuracy: full), "
      + "locationServicesEnabled: true, purposes: [\"m\": 1.0 seconds])"
    #expect("\(explanation)" == text)
    // A failed expectation prints this form.
    #expect(String(describingForTest: explanation).hasSuffix(text))
  }

  @Test("F41 text of an operator has no effect on a terminal when it is printed", .longWork)
  func harmless() {
    var random = SplitMix64(seed: 41)
    for _ in 0..<200 {
      let explanation = Self.explanation(&random)
      var dumped = ""
      dump(explanation, to: &dumped)
      let dumpedLines = dumped.split(separator: "\n").joined()
      for text in ["\(explanation)", String(reflecting: explanation), dumpedLines] {
        let isHarmless = text.unicodeScalars.allSatisfy {
          $0.value >= 0x20 && ![.control, .format].contains($0.properties.generalCategory)
        }
        #expect(isHarmless, "\(text.debugDescription)")
      }
    }
  }

  // MARK: Random values

  private static func explanation(_ random: inout SplitMix64) -> AuthorizationExplanation {
    AuthorizationExplanation(
      path: text(&random), client: text(&random), decision: decision(&random),
      locationServicesEnabled: .random(using: &random),
      expires: maybe(&random) { random in
        Date(timeIntervalSinceReferenceDate: .random(in: -63e9...252e9, using: &random))
      },
      purposes: Dictionary(
        (0..<Int.random(in: 0..<3, using: &random)).map { _ in
          (text(&random), .nanoseconds(Int.random(in: -1...10_000_000_000_000, using: &random)))
        }, uniquingKeysWith: { first, _ in first }),
      keyNotice: maybe(&random) { text(&$0) },
      error: maybe(&random) { error(&$0, depth: 0) })
  }

  private static func decision(_ random: inout SplitMix64) -> AuthorizationDecision {
    AuthorizationDecision(
      AuthorizationDecision.Permission.allCases.randomElement(using: &random)!,
      accuracy: AccuracyAuthorization.allCases.randomElement(using: &random)!,
      reason: maybe(&random) { text(&$0) })
  }

  private static func error(_ random: inout SplitMix64, depth: Int) -> LocationError {
    let codes: [LocationError.Code] = [.timedOut, .denied, .invalidValue, .backendUnavailable]
    let cause =
      depth < 3 && Bool.random(using: &random) ? error(&random, depth: depth + 1) : nil
    return LocationError(codes.randomElement(using: &random)!, text(&random), cause: cause)
  }

  private static func text(_ random: inout SplitMix64) -> String {
    let alphabet = ["a", "/", "\"", "\\", "é", "😀", "\u{1B}", "\n", "\0", " "]
    return (0..<Int.random(in: 0..<12, using: &random))
      .map { _ in alphabet.randomElement(using: &random)! }.joined()
  }

  /// A value or nil, with equal probability.
  private static func maybe<Value>(
    _ random: inout SplitMix64, _ value: (inout SplitMix64) -> Value
  ) -> Value? {
    Bool.random(using: &random) ? value(&random) : nil
  }
}
