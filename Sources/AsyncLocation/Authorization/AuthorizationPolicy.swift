/// Decides what a manager is allowed: an operator, a prompt, a rule.
///
/// The manager enforces what the policy says; no backend does.
public protocol AuthorizationPolicy: Sendable {
  /// Answers a request. Asked once at a time; every caller of one kind gets the same answer.
  ///
  /// Takes as long as it needs; its task is cancelled when the manager shuts down.
  func authorize(_ request: AuthorizationRequest) async -> AuthorizationStatus

  /// Reports the status in force, and each later change, until cancelled.
  ///
  /// Runs for as long as the manager lives. Report ``AuthorizationStatus/notDetermined`` to take a
  /// former answer back. The default reports nothing: what was answered stays in force.
  func observe(_ report: @escaping @Sendable (AuthorizationStatus) -> Void) async
}

extension AuthorizationPolicy {
  public func observe(_ report: @escaping @Sendable (AuthorizationStatus) -> Void) async {}
}

/// A policy whose answer is known beforehand.
public struct FixedAuthorizationPolicy: AuthorizationPolicy {
  private enum Answer {
    case granted
    case refused(AuthorizationStatus)
  }

  private let answer: Answer

  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationStatus {
    switch (answer, request) {
    case (.granted, .whenInUse): .authorizedWhenInUse
    case (.granted, .always): .authorizedAlways
    case (.refused(let status), _): status
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
  private let handler: @Sendable (AuthorizationRequest) async -> AuthorizationStatus

  /// Creates a policy from the closure that answers.
  public init(_ handler: @escaping @Sendable (AuthorizationRequest) async -> AuthorizationStatus) {
    self.handler = handler
  }

  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationStatus {
    await handler(request)
  }
}

extension AuthorizationPolicy where Self == AskingAuthorizationPolicy {
  /// Asks a closure: a prompt on a console, a web page, another service.
  public static func ask(
    _ handler: @escaping @Sendable (AuthorizationRequest) async -> AuthorizationStatus
  ) -> Self { Self(handler) }
}
