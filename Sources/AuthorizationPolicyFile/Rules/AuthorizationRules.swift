import AsyncLocation
import FoundationEssentials

/// The contents of a policy file: a default rule, and rules for clients.
struct AuthorizationRules: Hashable, Sendable {
  /// The rule for one client.
  struct Rule: Hashable, Sendable {
    let permission: AuthorizationDecision.Permission
    var accuracy = AccuracyAuthorization.full
    /// The rule applies until this time.
    var expires: Date?
    /// The purposes for which full accuracy is allowed, and for how long.
    var purposes: [String: Duration] = [:]
    /// The line of the rule in the file.
    var line = 0
  }

  /// The rule that applies to a client, and the reason.
  struct Finding: Hashable, Sendable {
    let rule: Rule
    /// The time until which the rule applies; nil if it does not expire.
    let expires: Date?
    let reason: String
  }

  static let version = 1.0
  /// The longest duration of full accuracy for a purpose.
  static let longestPurpose = Duration.seconds(86_400)

  let locationServicesEnabled: Bool
  let fallback: Rule
  let clients: [String: Rule]

  /// Returns the rule that applies to a client at a time.
  func finding(for client: String, at date: Date) -> Finding {
    let name = client.quotedForMessage
    guard let rule = clients[client] else {
      return Finding(
        rule: fallback, expires: fallback.expires,
        reason: "the default on line \(fallback.line); there is no rule for \(name)")
    }
    if let expires = rule.expires, date >= expires {
      return Finding(
        rule: fallback, expires: nil,
        reason: "the default on line \(fallback.line); the rule for \(name) on line "
          + "\(rule.line) expired at \(Timestamp.format(expires))")
    }
    return Finding(
      rule: rule, expires: rule.expires, reason: "the rule for \(name) on line \(rule.line)")
  }

  // MARK: Names

  /// Returns the problem with the name of a client or a purpose; nil if the name is valid.
  static func problem(withName name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.count > 255 { return "it is longer than 255 bytes" }
    if name == "." || name == ".." { return "it is the name of a folder" }
    if name.utf8.contains(UInt8(ascii: "/")) { return "it holds a '/'" }
    let isPlain = name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    return isPlain ? nil : "it holds a control character"
  }
}
