/// Decides what a manager is allowed: an operator, a prompt, a rule.
///
/// The manager enforces what the policy says; no backend does.
public protocol AuthorizationPolicy: Sendable {
  /// Answers a request. Every caller of one kind gets the same answer.
  ///
  /// The manager puts one question at a time, this one or ``temporaryFullAccuracy(for:)``. It may
  /// take as long as it needs. Its task is cancelled when the answer no longer matters, and when
  /// the manager shuts down.
  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision

  /// Answers a request for full accuracy where it is reduced: for how long; nil or nothing positive
  /// declines. Put as ``authorize(_:)`` is. The default declines.
  func temporaryFullAccuracy(for purposeKey: String) async -> Duration?

  /// The secret that fixes the grid of reduced accuracy. Asked for when accuracy is first reduced;
  /// permission is denied when it throws. The default keeps one for each user; see
  /// ``ReducedAccuracyKey``.
  func reducedAccuracyKey() throws(LocationError) -> ReducedAccuracyKey

  /// Reports what is in force, and each later change, until cancelled.
  ///
  /// Runs for as long as the manager lives. What it reports before it first suspends holds before
  /// anything is delivered. The default reports nothing: what was answered stays in force.
  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async
}

extension AuthorizationPolicy {
  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? { nil }

  public func reducedAccuracyKey() throws(LocationError) -> ReducedAccuracyKey {
    try .stored(at: ReducedAccuracyKey.standardPath())
  }

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
