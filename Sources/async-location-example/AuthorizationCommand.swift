import AsyncLocation
import AuthorizationPolicyFile
import FoundationEssentials

extension Command {
  static let authorization = Command(
    name: "authorization",
    summary: "Shows the permission of a client, and the reason.",
    options: [.presentation, .permission],
    notes: """
      With --policy: the current permission of the client, and the line of the file that decides it.
      Status 3 when nothing is granted, for use in scripts.
      """,
    run: { tool, arguments in
      try await AuthorizationCommand(arguments: arguments, context: tool.context).run()
    })
}

/// The `authorization` command: prints a client's permission and the reason for it.
struct AuthorizationCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// The current authorization, as `--format json` prints it.
  private struct Record: Encodable {
    let policy: String?
    let client: String?
    let status: AuthorizationStatus
    let permission: String
    let accuracy: AccuracyAuthorization
    let locationServicesEnabled: Bool
    let expires: String?
    /// Seconds per purpose key.
    let temporaryFullAccuracy: [String: Double]
    let reason: String?
    /// The state of the reduced-accuracy key.
    let key: String?
  }

  func run() async throws -> ExitCode {
    let record = await record()
    switch context.presentation.shape {
    case .json: try await context.output.write(JSONLine.line(record) + "\n")
    case .table, .lines: try await context.output.write(text(record))
    }
    return record.status.isAuthorized ? .done : .permission
  }

  private func record() async -> Record {
    guard let policy = Sources.policy(arguments) else {
      let decision = await FixedAuthorizationPolicy.automatic.authorize(.whenInUse)
      return Record(
        policy: nil, client: nil, status: decision.permission.status,
        permission: decision.permission.rawValue, accuracy: decision.accuracy,
        locationServicesEnabled: true, expires: nil, temporaryFullAccuracy: [:],
        reason: "without --policy, every request is granted", key: nil)
    }
    let found = await policy.explanation()
    return Record(
      policy: found.path, client: found.client,
      status: found.status,
      permission: found.decision.permission.rawValue, accuracy: found.decision.accuracy,
      locationServicesEnabled: found.locationServicesEnabled,
      expires: found.expires.map { $0.formatted(.iso8601) },
      temporaryFullAccuracy: found.purposes.mapValues { NumberText.seconds($0) },
      reason: found.reason, key: found.keyNotice)
  }

  private func text(_ record: Record) -> String {
    let purposes = record.temporaryFullAccuracy.sorted { $0.key < $1.key }
      .map { "\($0.key) for \(NumberText.fixed($0.value, 0)) s" }.joined(separator: ", ")
    let rows: [(String, String?)] = [
      ("Client", record.client), ("Policy", record.policy),
      ("Status", record.status.rawValue),
      ("Permission", record.permission == record.status.rawValue ? nil : record.permission),
      ("Accuracy", record.accuracy.rawValue),
      ("Services", record.locationServicesEnabled ? "on" : "off"),
      ("Expires", record.expires), ("Purposes", purposes.isEmpty ? nil : purposes),
      ("Why", record.reason), ("Key", record.key),
    ]
    return rows.compactMap { label, value in
      value.map { TextWidth.pad(label, 12) + Escaping.escape($0) + "\n" }
    }.joined()
  }
}
