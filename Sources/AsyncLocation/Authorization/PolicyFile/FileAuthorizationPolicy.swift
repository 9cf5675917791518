public import FoundationEssentials

/// A policy that an operator writes into a file, with a default and rules by client.
///
/// The file is watched: what is saved holds at once, also where an editor puts another file in its
/// place. It fails closed: a file that is missing, cannot be read, says something that is not
/// understood or could have been written by others denies everything, with a reason that names the
/// line. `Documentation/policy.schema.json` is its schema.
///
/// An editor may take the file away or empty it for a moment while it saves: a mistake in it denies
/// once it has stood for ``patience``. Whoever else could have written it is refused at once.
///
/// What the file grants holds without being asked for, as permission that was given long ago does on
/// other systems; a request returns it.
///
/// Where a rule reduces accuracy, a secret is kept at ``keyPath``, made when it is first needed, so
/// the running user must be able to write its folder. Keep one for a machine: locations on two grids,
/// side by side, tell more than on one.
public final class FileAuthorizationPolicy: AuthorizationPolicy {
  /// How long a mistake in the file must stand before it denies what was granted.
  public static let patience = Duration.milliseconds(250)

  /// Where the file lies, an absolute path.
  public let path: String
  /// Whose rule applies.
  public let client: String
  /// Where the secret of reduced accuracy is kept.
  public let keyPath: String
  private let clock: WallClock

  /// Creates a policy; nothing is read before a manager asks.
  ///
  /// - Parameters:
  ///   - path: The file. Symbolic links are followed, and it may not exist yet. A relative path is
  ///     taken from the folder in which the program is now.
  ///   - client: Whose rule applies, 1...255 bytes; nil for the name of the running program.
  ///   - keyPath: Where the secret of reduced accuracy is kept, readable by the running user alone,
  ///     such as in the state folder of a service; nil for the path of the file with `.key` after it.
  public convenience init(path: String, client: String? = nil, keyPath: String? = nil) {
    self.init(path: path, client: client, keyPath: keyPath, clock: .system)
  }

  init(path: String, client: String?, keyPath: String?, clock: WallClock) {
    self.path = PathWalk.absolute(path)
    self.client = client ?? Self.programName
    self.keyPath = keyPath ?? self.path + ".key"
    self.clock = clock
  }

  private static var programName: String {
    let name = ProcessInfo.processInfo.processName
    return name.split(separator: "/").last.map(String.init) ?? name
  }

  // MARK: What holds

  /// What holds for the client at this moment: the file is read anew, and the secret of reduced
  /// accuracy made if it is needed and not there.
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
    /// Why the file could not be used.
    var problem: PolicyFileReader.Problem.Kind?
  }

  private func look() -> Look {
    let shown = String(printable: path)
    guard AuthorizationRules.problem(withName: client) == nil else {
      let problem = AuthorizationRules.problem(withName: client) ?? ""
      return failure("\(client.quotedForMessage) cannot be a client's name: \(problem)", .mistake)
    }
    do throws(PolicyFileReader.Problem) {
      let rules = try PolicyFileReader(path: path).read()
      let finding = rules.finding(for: client, at: clock.now())
      let rule = finding.rule
      if rule.accuracy == .reduced, rule.permission.status.isAuthorized,
        let problem = problemWithKey()
      {
        return failure("Locations cannot be made less accurate: \(problem)", .trouble)
      }
      return Look(
        explanation: PolicyExplanation(
          path: path, client: client,
          decision: AuthorizationDecision(
            rule.permission, accuracy: rule.accuracy, reason: "\(shown): \(finding.reason)"),
          locationServicesEnabled: rules.locationServicesEnabled, expires: finding.expires,
          purposes: rule.permission.status.isAuthorized ? rule.purposes : [:], error: nil))
    } catch {
      return failure("The policy file \(shown) cannot be used: \(error.message)", error.kind)
    }
  }

  private func problemWithKey() -> String? {
    do throws(LocationError) {
      _ = try reducedAccuracyKey()
      return nil
    } catch {
      return error.message
    }
  }

  private func failure(_ message: String, _ problem: PolicyFileReader.Problem.Kind) -> Look {
    Look(
      explanation: PolicyExplanation(
        path: path, client: client, decision: .denied.because(message),
        locationServicesEnabled: true, expires: nil, purposes: [:],
        error: LocationError(.denied, message)),
      problem: problem)
  }

  // MARK: Following it

  public func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    let (nudges, nudge) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    var watch = PathWatch { nudge.yield() }
    var told: PolicyExplanation?
    var doubt: Doubt?
    var timer = look(after: &told, watch, &doubt, nudge, report)
    for await _ in nudges {
      timer?.cancel()
      if watch == nil { watch = PathWatch { nudge.yield() } }
      timer = look(after: &told, watch, &doubt, nudge, report)
    }
    timer?.cancel()
    doubt?.timer.cancel()
    await watch?.close()
  }

  /// A mistake that is not told yet.
  private struct Doubt {
    let isOver = Locked(false)
    let timer: Task<Void, Never>

    init(_ clock: WallClock, _ nudge: AsyncStream<Void>.Continuation) {
      timer = Task { [isOver] in
        await clock.pause(patience)
        guard !Task.isCancelled else { return }
        isOver.withLock { $0 = true }
        nudge.yield()
      }
    }
  }

  /// Looks, and reports what has changed; returns what will look again though nothing happens.
  private func look(
    after told: inout PolicyExplanation?, _ watch: PathWatch?, _ doubt: inout Doubt?,
    _ nudge: AsyncStream<Void>.Continuation, _ report: (AuthorizationChange) -> Void
  ) -> Task<Void, Never>? {
    // Watched before it is read: what changes meanwhile is seen.
    let isWatched = watch?.watch(PathWalk.steps(to: path), path) ?? false
    let look = look()
    let again =
      isWatched && look.problem != .trouble
      ? look.explanation.expires : clock.now().addingTimeInterval(1)
    if let problem = look.problem, problem != .insecure, let told, told.error == nil,
      doubt?.isOver.withLock({ $0 }) != true
    {
      doubt = doubt ?? Doubt(clock, nudge)
    } else {
      doubt?.timer.cancel()
      doubt = nil
      tell(look.explanation, after: &told, report)
    }
    return again.map { wake(at: $0, nudge) }
  }

  private func tell(
    _ new: PolicyExplanation, after told: inout PolicyExplanation?,
    _ report: (AuthorizationChange) -> Void
  ) {
    if told?.locationServicesEnabled != new.locationServicesEnabled {
      report(.locationServices(enabled: new.locationServicesEnabled))
    }
    if told.map({ !$0.decidesAs(new) }) ?? true { report(.decision(new.decision)) }
    told = new
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
  ///   - keyPath: Where the secret of reduced accuracy is kept; nil for the path of the file with
  ///     `.key` after it.
  public static func file(
    _ path: String, client: String? = nil, keyPath: String? = nil
  ) -> Self {
    Self(path: path, client: client, keyPath: keyPath)
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

  /// What an application sees: ``decision``, or denied where location services are off.
  public var status: AuthorizationStatus {
    locationServicesEnabled ? decision.permission.status : .denied
  }
  /// Why ``status`` is what it is. Quotes what an operator wrote: escape before printing.
  public var reason: String? {
    locationServicesEnabled
      ? decision.reason : "\(String(printable: path)): location services are switched off"
  }

  /// Whether an application sees no difference: a rule that only moved in its file is the same.
  fileprivate func decidesAs(_ other: Self) -> Bool {
    decision.permission == other.decision.permission
      && decision.accuracy == other.decision.accuracy && expires == other.expires
      && purposes == other.purposes && error == other.error
  }
}
