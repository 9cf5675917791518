public import AsyncLocation
import FoundationEssentials

/// A policy that an operator writes as a file, with a default rule and rules for clients.
///
/// The file is watched. A saved change takes effect at once, also when an editor replaces the file.
/// The policy fails closed: a file that is missing, unreadable, malformed or writable by other
/// users denies everything, with a reason that names the line or the mode. The schema is
/// `Documentation/policy.schema.json`.
///
/// An editor may remove or empty the file for a moment while it saves. The file is then in doubt:
/// for all users of the policy, the last reported decision stays in force. An error in the file
/// denies only after it has lasted for ``gracePeriod``. A file that other users could have written
/// denies at once.
///
/// Several managers may share one policy. All of them receive the same reports, in the same order.
/// Files are read on the policy's own thread, never on the caller's.
///
/// A grant in the file is in force without a request, like permission from an earlier run on other
/// systems. A request returns it.
///
/// Where a rule reduces accuracy, a secret key is stored at ``keyPath``. It is created when a
/// manager first needs it, so the running user must be able to write its folder. Use one key per
/// machine: locations on two different grids reveal more than locations on one.
public final class FileAuthorizationPolicy: AuthorizationPolicy {
  /// How long an error in the file must last before it denies.
  public static let gracePeriod = Duration.milliseconds(250)

  /// The absolute path of the file.
  public let path: String
  /// The client whose rule applies.
  public let client: String
  /// The path of the key of reduced accuracy.
  public let keyPath: String
  private let monitor: PolicyFileMonitor

  /// Creates a policy; nothing is read until a manager uses it.
  ///
  /// - Parameters:
  ///   - path: The file. Symbolic links are followed. The file need not exist yet. A relative path
  ///     is resolved against the current folder.
  ///   - client: The client whose rule applies, 1...255 bytes; nil for the name of the running
  ///     program.
  ///   - keyPath: The path of the key of reduced accuracy, readable by the running user alone, such
  ///     as a file in the state folder of a service. Nil for the path of the file with `.key`
  ///     appended.
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
      gracePeriod: Self.gracePeriod, clock: clock)
  }

  private static var programName: String {
    let name = ProcessInfo.processInfo.processName
    return name.split(separator: "/").last.map(String.init) ?? name
  }

  // MARK: Decisions

  /// Explains what the file currently grants the client, even while the file is in doubt. Writes
  /// nothing: a missing key is not created.
  ///
  /// The permission that applications see may differ for up to ``gracePeriod``. The file is read on
  /// the policy's own thread; cancellation does not interrupt the read.
  public func explanation() async -> AuthorizationExplanation { await monitor.explanation() }

  /// Reads the file and returns the decision in force for the client.
  ///
  /// While the file is in doubt, the last reported decision stays in force. Before the first
  /// report, the call waits until the doubt is over. If cancelled while it waits, it returns
  /// ``/AsyncLocation/AuthorizationDecision/notDetermined``.
  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    await monitor.inForce()?.decision ?? .notDetermined
  }

  /// Returns how long the file allows full accuracy for a purpose; nil if it does not. Waits like
  /// ``authorize(_:)``.
  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    await monitor.inForce()?.purposes[purposeKey]
  }

  /// Reads or creates the key at ``keyPath``; see ``AsyncLocation/ReducedAccuracyKey/stored(at:)``.
  public func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    do throws(LocationError) {
      return try await .stored(at: keyPath)
    } catch {
      if !Task.isCancelled { await monitor.keyFailed() }
      throw error
    }
  }

  /// True: a grant in the file is in force without a request.
  public var reportsEveryDecision: Bool { true }

  /// Reports the decision in force, and each later change, until cancelled. The first report is
  /// made when the file has been read and is not in doubt. Reports are made on the policy's own
  /// thread.
  public func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
    await monitor.observe(report)
  }
}

extension AuthorizationPolicy where Self == FileAuthorizationPolicy {
  /// Follows a file that an operator writes; see ``FileAuthorizationPolicy``.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - client: The client whose rule applies; nil for the name of the running program.
  ///   - keyPath: The path of the key of reduced accuracy; nil for the path of the file with `.key`
  ///     appended.
  public static func file(
    _ path: String, client: String? = nil, keyPath: String? = nil
  ) -> Self {
    Self(path: path, client: client, keyPath: keyPath)
  }
}
