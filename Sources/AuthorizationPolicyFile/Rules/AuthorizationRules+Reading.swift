import AsyncLocation
import FoundationEssentials
import JSONScanning

/// Parsing of the rules. `Documentation/policy.schema.json` describes the same format.
extension AuthorizationRules {
  /// An error and its line.
  struct Fault: Error, Hashable, Sendable {
    let line: Int
    let message: String
  }

  /// The values of `status`.
  static let statuses: [(name: String, permission: AuthorizationDecision.Permission)] = [
    ("denied", .denied), ("restricted", .restricted), ("authorizedWhenInUse", .whenInUse),
    ("authorizedOnce", .whenInUseOnce), ("authorizedAlways", .always),
    ("provisionallyAuthorizedAlways", .provisionalAlways),
  ]

  static let documentKeys = ["$schema", "version", "locationServicesEnabled", "default", "clients"]
  static let ruleKeys = ["status", "accuracy", "expires", "temporaryFullAccuracy"]

  /// Parses the text of a file.
  init(_ bytes: [UInt8]) throws(Fault) {
    let lines = LineNumbers(bytes)
    do throws(RulesFault) {
      try self.init(RulesFault.document(bytes), lines)
    } catch {
      throw Fault(line: lines[error.offset], message: error.message)
    }
  }

  private init(_ document: JSONDocument.Value, _ lines: LineNumbers) throws(RulesFault) {
    let members = try KnownMembers(document, "the document", Self.documentKeys)
    if let schema = members["$schema"], schema.kind != .text {
      throw schema.expected("\"$schema\" to be a text")
    }
    let version = try members.required("version")
    guard version.number == Self.version else {
      throw version.fault("\"version\" must be \(Int(Self.version)), the only one there is")
    }
    locationServicesEnabled =
      try members["locationServicesEnabled"].map { member throws(RulesFault) in
        guard let enabled = member.boolean else {
          throw member.expected("\"locationServicesEnabled\" to be true or false")
        }
        return enabled
      } ?? true
    let fallback = try members.required("default")
    self.fallback = try Self.rule(fallback, "\"default\"", at: lines[fallback.offset])
    if let expires = fallback["expires"] {
      throw expires.fault("\"default\" cannot expire: nothing would apply after it")
    }
    var clients: [String: Rule] = [:]
    if let list = members["clients"] {
      for (name, member) in try list.named("\"clients\"") {
        clients[name] = try Self.rule(
          member.value, name.quotedForMessage, at: lines[member.offset])
      }
    }
    self.clients = clients
  }

  private static func rule(
    _ value: JSONDocument.Value, _ name: String, at line: Int
  ) throws(RulesFault) -> Rule {
    let members = try KnownMembers(value, name, ruleKeys)
    let status = try members.required("status")
    let statusName = status.text
    guard let permission = statuses.first(where: { $0.name == statusName })?.permission else {
      throw status.expected(
        "\"status\" to be one of \(statuses.map(\.name).joined(separator: ", "))")
    }
    var rule = Rule(permission: permission, line: line)
    if let accuracy = members["accuracy"] {
      guard let value = accuracy.text.flatMap(AccuracyAuthorization.init) else {
        throw accuracy.expected("\"accuracy\" to be full or reduced")
      }
      rule.accuracy = value
    }
    if let expires = members["expires"] {
      guard let date = expires.text.flatMap({ Timestamp.parse($0) }) else {
        throw expires.expected("\"expires\" to be a time such as \"2026-12-24T00:00:00Z\"")
      }
      rule.expires = date
    }
    if let purposes = members["temporaryFullAccuracy"] {
      for (name, member) in try purposes.named("\"temporaryFullAccuracy\"") {
        let maximum = longestPurpose.components.seconds
        guard let seconds = member.value.number, seconds > 0, seconds <= Double(maximum) else {
          throw member.value.expected(
            "the seconds of full accuracy, above 0 and at most \(maximum)")
        }
        rule.purposes[name] = .seconds(seconds)
      }
    }
    return rule
  }
}
