public import FoundationEssentials

/// A policy that an operator writes into a file, with a default and rules by client.
///
/// The file is watched: what is saved holds at once, also where an editor puts another file in its
/// place. It fails closed: a file that is missing, cannot be read, says something that is not
/// understood or could have been written by others denies everything, with a reason that names the
/// line. `Documentation/policy.schema.json` is its schema.
///
/// What the file grants holds without being asked for, as permission that was given long ago does on
/// other systems; a request returns it.
public final class FileAuthorizationPolicy: AuthorizationPolicy {
  /// Where the file lies.
  public let path: String
  /// Whose rule applies.
  public let client: String
  /// Where the secret of reduced accuracy is kept.
  public let keyPath: String
  private let clock: WallClock

  /// Creates a policy; nothing is read before a manager asks.
  ///
  /// - Parameters:
  ///   - path: The file. Symbolic links are followed, and it may not exist yet.
  ///   - client: Whose rule applies, 1...255 bytes; nil for the name of the running program.
  ///   - keyPath: Where the secret of reduced accuracy is kept, readable by the running user alone;
  ///     nil for the path of the file with `.key` after it.
  public convenience init(path: String, client: String? = nil, keyPath: String? = nil) {
    self.init(path: path, client: client, keyPath: keyPath, clock: .system)
  }

  init(path: String, client: String?, keyPath: String?, clock: WallClock) {
    self.path = path
    self.client = client ?? Self.programName
    self.keyPath = keyPath ?? path + ".key"
    self.clock = clock
  }

  private static var programName: String {
    let name = ProcessInfo.processInfo.processName
    return name.split(separator: "/").last.map(String.init) ?? name
  }

  // MARK: What holds

  /// What the file says of the client at this moment, read anew.
  public func explanation() -> PolicyExplanation { look().explanation }

  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    look().explanation.decision
  }

  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    look().explanation.purposes[purposeKey]
  }

  public func reducedAccuracyKey() throws(LocationError) -> ReducedAccuracyKey {
    try .stored(at: keyPath)
  }

  private struct Look {
    let explanation: PolicyExplanation
    /// Trouble that may pass without anybody touching the file.
    var passes = false
  }

  private func look() -> Look {
    let shown = String(printable: path)
    guard AuthorizationRules.problem(withName: client) == nil else {
      let problem = AuthorizationRules.problem(withName: client) ?? ""
      return failure("\(client.quotedForMessage) cannot be a client's name: \(problem)")
    }
    do throws(PolicyFileReader.Problem) {
      let rules = try PolicyFileReader(path: path).read()
      let finding = rules.finding(for: client, at: clock.now())
      let rule = finding.rule
      return Look(
        explanation: PolicyExplanation(
          path: path, client: client,
          decision: AuthorizationDecision(
            rule.permission, accuracy: rule.accuracy, reason: "\(shown): \(finding.reason)"),
          locationServicesEnabled: rules.locationServicesEnabled, expires: finding.expires,
          purposes: rule.permission.status.isAuthorized ? rule.purposes : [:], error: nil))
    } catch {
      return failure("The policy file \(shown) cannot be used: \(error.message)", error.passes)
    }
  }

  private func failure(_ message: String, _ passes: Bool = false) -> Look {
    Look(
      explanation: PolicyExplanation(
        path: path, client: client, decision: .denied.because(message),
        locationServicesEnabled: true, expires: nil, purposes: [:],
        error: LocationError(.denied, message)),
      passes: passes)
  }

  // MARK: Following it

  public func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    let (nudges, nudge) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    var watch = PathWatch { nudge.yield() }
    var told: PolicyExplanation?
    var next = tell(after: &told, watch, report)
    var timer = next.map { wake(at: $0, nudge) }
    for await _ in nudges {
      timer?.cancel()
      if watch == nil { watch = PathWatch { nudge.yield() } }
      next = tell(after: &told, watch, report)
      timer = next.map { wake(at: $0, nudge) }
    }
    timer?.cancel()
    await watch?.close()
  }

  /// Reports what has changed; returns when to look again though nothing happens.
  private func tell(
    after told: inout PolicyExplanation?, _ watch: PathWatch?,
    _ report: (AuthorizationChange) -> Void
  ) -> Date? {
    // Watched before it is read: what changes meanwhile is seen.
    let isWatched = watch?.watch(PathWalk.steps(to: path)) ?? false
    let look = look()
    let new = look.explanation
    if told?.locationServicesEnabled != new.locationServicesEnabled {
      report(.locationServices(enabled: new.locationServicesEnabled))
    }
    if told.map({ !$0.decidesAs(new) }) ?? true { report(.decision(new.decision)) }
    told = new
    guard isWatched, !look.passes else { return clock.now().addingTimeInterval(1) }
    return new.expires
  }

  private func wake(
    at date: Date, _ nudge: AsyncStream<Void>.Continuation
  ) -> Task<Void, Never> {
    Task { [clock] in
      await clock.wait(date)
      if !Task.isCancelled { nudge.yield() }
    }
  }
}

extension AuthorizationPolicy where Self == FileAuthorizationPolicy {
  /// Follows a file that an operator owns; see ``FileAuthorizationPolicy``.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - client: Whose rule applies; nil for the name of the running program.
  public static func file(_ path: String, client: String? = nil) -> Self {
    Self(path: path, client: client)
  }
}

/// What a policy file says of a client, and why.
public struct PolicyExplanation: Sendable, Hashable {
  /// The file.
  public let path: String
  /// Whose rule applies.
  public let client: String
  /// What holds, with the reason. Quotes what an operator wrote: escape before printing.
  public let decision: AuthorizationDecision
  /// False where the file switches location services off for everybody.
  public let locationServicesEnabled: Bool
  /// When the rule ceases to apply; nil for never.
  public let expires: Date?
  /// For which purposes accuracy may be full, and for how long.
  public let purposes: [String: Duration]
  /// Why the file cannot be used; everything is denied then.
  public let error: LocationError?

  /// Whether an application sees no difference: a rule that only moved in its file is the same.
  fileprivate func decidesAs(_ other: Self) -> Bool {
    decision.permission == other.decision.permission
      && decision.accuracy == other.decision.accuracy && expires == other.expires
      && purposes == other.purposes && error == other.error
  }
}
