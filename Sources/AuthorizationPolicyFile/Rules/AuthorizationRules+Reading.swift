import AsyncLocation
import FoundationEssentials

/// Parsing of the rules. `Documentation/policy.schema.json` describes the same format.
extension AuthorizationRules {
  typealias Fault = LinedJSON.Fault

  /// The values of `status`.
  static let statuses: [(name: String, permission: AuthorizationDecision.Permission)] = [
    ("denied", .denied), ("restricted", .restricted), ("authorizedWhenInUse", .whenInUse),
    ("authorizedOnce", .whenInUseOnce), ("authorizedAlways", .always),
    ("provisionallyAuthorizedAlways", .provisionalAlways),
  ]

  static let documentKeys = ["$schema", "version", "locationServicesEnabled", "default", "clients"]
  static let ruleKeys = ["status", "accuracy", "expires", "temporaryFullAccuracy"]

  /// Parses the text of a file.
  init(_ bytes: [UInt8]) throws(Fault) { try self.init(LinedJSONReader.read(bytes)) }

  private init(_ document: LinedJSON) throws(Fault) {
    let members = try Members(document, "the document", Self.documentKeys)
    let version = try members.required("version")
    guard version.value == .number(Self.version) else {
      throw version.fault("\"version\" must be \(Int(Self.version)), the only one there is")
    }
    locationServicesEnabled =
      try members["locationServicesEnabled"].map { member throws(Fault) in
        guard case .bool(let enabled) = member.value else {
          throw member.expected("\"locationServicesEnabled\" to be true or false")
        }
        return enabled
      } ?? true
    let fallback = try members.required("default")
    self.fallback = try Self.rule(fallback, "\"default\"", at: fallback.line)
    if let expires = try Members(fallback, "\"default\"", Self.ruleKeys)["expires"] {
      throw expires.fault("\"default\" cannot expire: nothing would apply after it")
    }
    var clients: [String: Rule] = [:]
    if let list = members["clients"] {
      for member in try Self.named(list, "\"clients\"") {
        clients[member.name] = try Self.rule(
          member.value, member.name.quotedForMessage, at: member.line)
      }
    }
    self.clients = clients
  }

  private static func rule(
    _ value: LinedJSON, _ name: String, at line: Int
  ) throws(Fault) -> Rule {
    let members = try Members(value, name, ruleKeys)
    let status = try members.required("status")
    guard case .string(let word) = status.value,
      let permission = statuses.first(where: { $0.name == word })?.permission
    else {
      throw status.expected(
        "\"status\" to be one of \(statuses.map(\.name).joined(separator: ", "))")
    }
    var rule = Rule(permission: permission, line: line)
    if let accuracy = members["accuracy"] {
      guard case .string(let word) = accuracy.value,
        let value = AccuracyAuthorization(rawValue: word)
      else { throw accuracy.expected("\"accuracy\" to be full or reduced") }
      rule.accuracy = value
    }
    if let expires = members["expires"] {
      guard case .string(let text) = expires.value, let date = Timestamp.parse(text) else {
        throw expires.expected("\"expires\" to be a time such as \"2026-12-24T00:00:00Z\"")
      }
      rule.expires = date
    }
    if let purposes = members["temporaryFullAccuracy"] {
      for member in try named(purposes, "\"temporaryFullAccuracy\"") {
        let longest = longestPurpose.components.seconds
        guard case .number(let seconds) = member.value.value, seconds > 0,
          seconds <= Double(longest)
        else {
          throw member.value.expected(
            "the seconds of full accuracy, above 0 and at most \(longest)")
        }
        rule.purposes[member.name] = .seconds(seconds)
      }
    }
    return rule
  }

  /// The members of an object whose names are chosen by the operator.
  private static func named(_ value: LinedJSON, _ what: String) throws(Fault) -> [LinedJSON.Member]
  {
    guard case .object(let members) = value.value else {
      throw value.expected("\(what) to be an object")
    }
    for member in members {
      if let problem = problem(withName: member.name) {
        throw Fault(
          line: member.line, message: "\(member.name.quotedForMessage) cannot be a name: \(problem)"
        )
      }
    }
    return members
  }
}

/// The members of an object with known names; an unknown name is an error.
private struct Members {
  private let object: LinedJSON
  private let what: String
  private let members: [LinedJSON.Member]

  init(_ object: LinedJSON, _ what: String, _ known: [String]) throws(LinedJSON.Fault) {
    guard case .object(let members) = object.value else {
      throw object.expected("\(what) to be an object")
    }
    for member in members where !known.contains(member.name) {
      throw LinedJSON.Fault(
        line: member.line,
        message: "\(what) has no \(member.name.quotedForMessage); "
          + "it may have \(known.joined(separator: ", "))")
    }
    (self.object, self.what, self.members) = (object, what, members)
  }

  subscript(name: String) -> LinedJSON? { members.first { $0.name == name }?.value }

  func required(_ name: String) throws(LinedJSON.Fault) -> LinedJSON {
    guard let value = self[name] else { throw object.fault("\(what) lacks \"\(name)\"") }
    return value
  }
}

extension LinedJSON {
  fileprivate func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

  fileprivate func expected(_ what: String) -> Fault {
    let found =
      switch value {
      case .string(let text): text.quotedForMessage
      case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
      default: value.kind
      }
    return fault("expected \(what), found \(found)")
  }
}
