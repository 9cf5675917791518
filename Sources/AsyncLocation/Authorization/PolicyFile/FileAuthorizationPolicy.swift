public import FoundationEssentials

/// A policy that an operator writes into a file, with a default and rules by client.
///
/// The file is watched: what is saved holds at once, also where an editor puts another file in its
/// place. It fails closed: a file that is missing, cannot be read, says something that is not
/// understood or could have been written by others denies everything, with a reason that names the
/// line. `Documentation/policy.schema.json` is its schema.
///
/// An editor may take the file away or empty it for a moment while it saves. Such a file is in doubt:
/// for everybody who uses the policy, what was reported last stays in force. A mistake denies once it
/// has stood for ``patience``. A file that others could have written is refused at once.
///
/// Several managers may share one policy. All of them hear the same, in the same order. Files are read
/// on a thread of the policy's own, never on the caller's.
///
/// What the file grants holds without being asked for, as permission that was given long ago does on
/// other systems; a request returns it.
///
/// Where a rule reduces accuracy, a secret is kept at ``keyPath``. It is made when a manager first needs
/// it, so the running user must be able to write its folder. Keep one for a machine: locations on two grids,
/// side by side, tell more than on one.
public final class FileAuthorizationPolicy: AuthorizationPolicy {
  /// How long a mistake in the file must stand before it denies.
  public static let patience = Duration.milliseconds(250)

  /// Where the file lies, an absolute path.
  public let path: String
  /// Whose rule applies.
  public let client: String
  /// Where the secret of reduced accuracy is kept.
  public let keyPath: String
  private let monitor: PolicyFileMonitor

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

  /// - Parameter read: Reads the rules; nil reads the file.
  init(
    path: String, client: String?, keyPath: String?, clock: WallClock,
    read: (@Sendable () throws(PolicyFileReader.Problem) -> AuthorizationRules)? = nil
  ) {
    self.path = PathWalk.absolute(path)
    self.client = client ?? Self.programName
    self.keyPath = keyPath ?? self.path + ".key"
    monitor = PolicyFileMonitor(
      PolicyFileExplainer(
        path: self.path, client: self.client, keyPath: self.keyPath, read: read),
      clock: clock)
  }

  private static var programName: String {
    let name = ProcessInfo.processInfo.processName
    return name.split(separator: "/").last.map(String.init) ?? name
  }

  // MARK: What is in force

  /// What the file says of the client now, be it being saved or not. Writes nothing: a key that is
  /// not there yet is not made.
  ///
  /// What applications see may differ for as long as ``patience``. The file is read on a thread of
  /// the policy's own; cancelling does not cut it short.
  public func explanation() async -> AuthorizationExplanation { await monitor.explanation() }

  /// What is in force for the client. The file is read anew.
  ///
  /// While the file is in doubt, what was reported last stays in force. Before the first report the
  /// call waits until the doubt is over. Cancelled meanwhile, it returns
  /// ``AuthorizationDecision/notDetermined``.
  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    await monitor.inForce()?.decision ?? .notDetermined
  }

  /// For how long the file lets accuracy be full for a purpose; nil where it does not. Waits as
  /// ``authorize(_:)`` does.
  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    await monitor.inForce()?.purposes[purposeKey]
  }

  /// The key that is kept at ``keyPath``; see ``ReducedAccuracyKey/stored(at:)``.
  public func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    do throws(LocationError) {
      return try await .stored(at: keyPath)
    } catch {
      if !Task.isCancelled { await monitor.keyFailed() }
      throw error
    }
  }

  /// True: what the file grants needs no question.
  public var reportsEveryDecision: Bool { true }

  /// Reports what is in force, and each change, until cancelled. The first report comes once the file
  /// is read and not in doubt. Reports come from the policy's own thread.
  public func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    await monitor.observe(report)
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
public struct AuthorizationExplanation: Sendable, Hashable {
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
  /// What an operator should know of the key of reduced accuracy, such as that it is not there yet;
  /// nil where it is there or not needed. Names a path: escape before printing.
  public let keyNotice: String?
  /// Why the file or its key cannot be used; everything is denied then.
  public let error: LocationError?

  /// Creates an explanation. A time beyond the years 1 to 9999 becomes the nearest of them; durations
  /// are kept to the nanosecond.
  public init(
    path: String, client: String, decision: AuthorizationDecision,
    locationServicesEnabled: Bool = true, expires: Date? = nil,
    purposes: [String: Duration] = [:], keyNotice: String? = nil, error: LocationError? = nil
  ) {
    self.path = path
    self.client = client
    self.decision = decision
    self.locationServicesEnabled = locationServicesEnabled
    self.expires = expires.map(Timestamp.nearest)
    self.purposes = purposes.mapValues(ExactSeconds.exact)
    self.keyNotice = keyNotice
    self.error = error
  }

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
  func decidesAs(_ other: Self) -> Bool {
    decision.permission == other.decision.permission
      && decision.accuracy == other.decision.accuracy && expires == other.expires
      && purposes == other.purposes && error == other.error
  }
}
