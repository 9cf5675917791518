/// Decides the permission of a manager, for example by an operator's file, a prompt or a fixed
/// rule.
///
/// The manager enforces the decisions. Backends do not.
public protocol AuthorizationPolicy: Sendable {
  /// Answers a request. All callers that wait for the same kind of request get the same answer.
  ///
  /// If always is requested while when-in-use is granted, an answer below when-in-use does not
  /// revoke the grant. To revoke a grant, report the change through ``observe(_:)``.
  ///
  /// The manager makes one call at a time, to this method or to ``temporaryFullAccuracy(for:)``.
  /// The call has no time limit. Its task is cancelled when the answer is no longer needed and when
  /// the manager shuts down. The method may read from the manager. A request to the same manager
  /// that would wait for this answer throws ``LocationError`` with
  /// ``LocationError/Code/unsupported``.
  func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision

  /// Returns the duration for which full accuracy is granted for a purpose, while accuracy is
  /// reduced. Nil, zero or a negative duration declines. The method is called under the same rules
  /// as ``authorize(_:)``. The default declines.
  func temporaryFullAccuracy(for purposeKey: String) async -> Duration?

  /// Returns the secret that determines the grid of reduced accuracy. The method is called when
  /// accuracy is first reduced, and after an error when a later decision reduces accuracy. The
  /// default throws ``LocationError/Code/unsupported``: a policy that reduces accuracy must supply
  /// the key. `ReducedAccuracyKey.stored(at:)` of the library `AuthorizationPolicyFile` stores a
  /// key in a file.
  ///
  /// Until the call returns, nothing is delivered under the decision that reduces accuracy, and the
  /// answer to the request waits. A later decision that does not reduce accuracy takes effect at
  /// once. The call's task is cancelled when the manager shuts down. An implementation that makes
  /// blocking system calls must make them on its own thread.
  ///
  /// - Throws: ``LocationError`` when there is no key. Permission is then denied, and the reason
  ///   contains the error's message.
  func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey

  /// Whether ``observe(_:)`` reports every decision in force: the current decision when observation
  /// begins, and each later decision before an answer returns that decision. The default is false.
  ///
  /// If true, ``LocationManager/authorization()`` waits for the first report, and a question is
  /// asked again if a report arrives before its answer. If false, nothing is in force before the
  /// first report or answer.
  var reportsEveryDecision: Bool { get }

  /// Reports the decision in force, and each later change, until cancelled.
  ///
  /// Runs until the manager, its streams, monitors and publishers are released: a withdrawal of
  /// permission after ``LocationManager/shutdown()`` still applies to unread elements. The method
  /// is called on the thread that creates the manager and must not block. Changes reported before
  /// its first suspension take effect before anything is delivered, except that a grant of reduced
  /// accuracy waits for its key. The default reports nothing: answers stay in force.
  func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async
}

extension AuthorizationPolicy {
  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? { nil }

  public func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    throw .withoutKey
  }

  public var reportsEveryDecision: Bool { false }

  public func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {}
}

/// A policy with a fixed answer.
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
  /// Grants every request.
  public static var automatic: Self { .automatic }
  /// Denies every request.
  public static var denied: Self { .denied }
  /// Answers every request with restricted: refused, and the user cannot grant it.
  public static var restricted: Self { .restricted }
}

/// A policy that asks a person or a program, through closures.
public struct AskingAuthorizationPolicy: AuthorizationPolicy {
  private let handler: @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  private let accuracyHandler: @Sendable (String) async -> Duration?
  private let keyHandler: (@Sendable () async throws -> ReducedAccuracyKey)?

  /// Creates a policy from the closures that answer.
  ///
  /// - Parameters:
  ///   - temporaryFullAccuracy: Receives the purpose and returns the duration, or nil to decline.
  ///   - reducedAccuracyKey: Returns the key of reduced accuracy; see
  ///     ``AuthorizationPolicy/reducedAccuracyKey()``. If it is nil or throws, an answer that
  ///     reduces accuracy denies permission.
  ///   - handler: Receives the request. Returning ``AuthorizationDecision/notDetermined`` leaves
  ///     the current decision unchanged.
  public init(
    temporaryFullAccuracy: @escaping @Sendable (String) async -> Duration? = { _ in nil },
    reducedAccuracyKey: (@Sendable () async throws -> ReducedAccuracyKey)? = nil,
    _ handler: @escaping @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  ) {
    self.handler = handler
    accuracyHandler = temporaryFullAccuracy
    keyHandler = reducedAccuracyKey
  }

  public func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
    await handler(request)
  }

  public func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
    await accuracyHandler(purposeKey)
  }

  public func reducedAccuracyKey() async throws(LocationError) -> ReducedAccuracyKey {
    guard let keyHandler else { throw .withoutKey }
    do {
      return try await keyHandler()
    } catch let error as LocationError {
      throw error
    } catch {
      throw LocationError(
        .unsupported, "The policy has no key: \(String(printable: "\(error)")).", cause: error)
    }
  }
}

extension AuthorizationPolicy where Self == AskingAuthorizationPolicy {
  /// Asks a closure, such as a prompt on a console, a web page or another service.
  public static func ask(
    temporaryFullAccuracy: @escaping @Sendable (String) async -> Duration? = { _ in nil },
    reducedAccuracyKey: (@Sendable () async throws -> ReducedAccuracyKey)? = nil,
    _ handler: @escaping @Sendable (AuthorizationRequest) async -> AuthorizationDecision
  ) -> Self {
    Self(
      temporaryFullAccuracy: temporaryFullAccuracy, reducedAccuracyKey: reducedAccuracyKey, handler)
  }
}

extension LocationError {
  /// The error for a policy that reduces accuracy without supplying a key.
  fileprivate static var withoutKey: Self {
    Self(
      .unsupported,
      "The policy reduces accuracy and has no key. Return one from reducedAccuracyKey(), such as "
        + "ReducedAccuracyKey.stored() of the library AuthorizationPolicyFile.")
  }
}
