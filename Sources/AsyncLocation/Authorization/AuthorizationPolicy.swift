/// Decides what a manager is allowed: an operator, a prompt, a rule.
///
/// The manager enforces what the policy says; no backend does.
public protocol AuthorizationPolicy: Sendable {
  /// Answers a request. Every caller of one kind gets the same answer.
  ///
  /// Asked for always while when-in-use holds, an answer that grants less keeps when-in-use. To take
  /// back what was granted report it through ``observe(_:)``.
  ///
  /// The manager puts one question at a time, this one or ``temporaryFullAccuracy(for:)``. It may
  /// take as long as it needs. Its task is cancelled when the answer no longer matters, and when
  /// the manager shuts down. It may read from the manager; a request of the same manager that would
  /// wait for this answer throws ``LocationError`` with ``LocationError/Code/unsupported``.
  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision

  /// Answers a request for full accuracy where it is reduced: for how long; nil or nothing positive
  /// declines. Put as ``authorize(_:)`` is. The default declines.
  func temporaryFullAccuracy(for purposeKey: String) async -> Duration?

  /// The secret that fixes the grid of reduced accuracy. Asked for when accuracy is first reduced.
  /// The default keeps one for each user; see ``ReducedAccuracyKey``.
  ///
  /// Until it returns, nothing is delivered under the decision that reduces accuracy, and the answer
  /// to a request waits. A later decision does not wait. Its task is cancelled when the manager shuts
  /// down. An implementation that calls the system moves to a thread of its own first.
  ///
  /// - Throws: ``LocationError`` when there is no key: permission is denied, with its message.
  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey

  /// Whether ``observe(_:)`` reports everything that is in force: a decision when it begins, and every
  /// later one before an answer gives it. The default is false.
  ///
  /// If true, ``LocationManager/authorization()`` waits for the first report, and a question is put
  /// again when a report has overtaken its answer. If false, nothing is in force before the first
  /// report or answer.
  var reportsEveryDecision: Bool { get }

  /// Reports what is in force, and each later change, until cancelled.
  ///
  /// Runs for as long as the manager lives. It is called on the thread that creates the manager and
  /// must not block. What it reports before it first suspends holds before anything is delivered; only
  /// a grant of reduced accuracy waits for its key. The default reports nothing: what was answered stays in force.
  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async
}

extension AuthorizationPolicy {
  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? { nil }

  public func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    try await .stored(at: ReducedAccuracyKey.standardPath())
  }

  public var reportsEveryDecision: Bool { false }

  public func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {}
}

/// A policy whose answer is known beforehand.
public struct FixedAuthorizationPolicy: AuthorizationPolicy {
  private enum Answer {
    case granted
    case refused(AuthorizationDecision)
  }

  private let answer: Answer

  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    switch (answer, request) {
    case (.granted, .whenInUse): .authorizedWhenInUse
    case (.granted, .always): .authorizedAlways
    case (.refused(let decision), _): decision
    }
  }

  fileprivate static let automatic = Self(answer: .granted)
  fileprivate static let denied = Self(answer: .refused(.denied))
  fileprivate static let restricted = Self(answer: .refused(.restricted))
}

extension AuthorizationPolicy where Self == FixedAuthorizationPolicy {
  /// Grants what is asked for.
  public static var automatic: Self { .automatic }
  /// Refuses what is asked for.
  public static var denied: Self { .denied }
  /// Refuses what is asked for, as one who could not grant it.
  public static var restricted: Self { .restricted }
}

/// A policy that asks a person or a program.
public struct AskingAuthorizationPolicy: AuthorizationPolicy {
  private let handler: @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  private let accuracyHandler: @Sendable (String) async -> Duration?

  /// Creates a policy from the closures that answer.
  ///
  /// - Parameters:
  ///   - temporaryFullAccuracy: Takes the purpose; answers for how long, or nil to decline.
  ///   - handler: Takes the request. ``AuthorizationDecision/notDetermined`` leaves what holds.
  public init(
    temporaryFullAccuracy: @escaping @Sendable (String) async -> Duration? = { _ in nil },
    _ handler: @escaping @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  ) {
    self.handler = handler
    accuracyHandler = temporaryFullAccuracy
  }

  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    await handler(request)
  }

  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    await accuracyHandler(purposeKey)
  }
}

extension AuthorizationPolicy where Self == AskingAuthorizationPolicy {
  /// Asks a closure: a prompt on a console, a web page, another service.
  public static func ask(
    temporaryFullAccuracy: @escaping @Sendable (String) async -> Duration? = { _ in nil },
    _ handler: @escaping @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  ) -> Self { Self(temporaryFullAccuracy: temporaryFullAccuracy, handler) }
}
