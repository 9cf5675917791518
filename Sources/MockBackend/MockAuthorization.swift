public import AsyncLocation

/// How a ``MockBackend`` answers requests for permission.
public struct MockAuthorization: Sendable, Hashable {
  /// An answer to one request.
  public enum Answer: Sendable, Hashable {
    /// At once.
    case now(AuthorizationStatus)
    /// When the test calls ``MockBackend/answerAuthorization(_:to:)``.
    case later
  }

  /// The answers to requests for permission while in use, in order; the last one repeats.
  public var whenInUse: [Answer]
  /// The answers to requests for permission always, in order; the last one repeats.
  public var always: [Answer]
  /// The status in force before anybody asks, reported by the policy's `observe`; nil reports
  /// nothing.
  public var initialStatus: AuthorizationStatus?

  /// Creates answers. Where there is none for a kind, what is asked is granted.
  public init(
    whenInUse: [Answer] = [], always: [Answer] = [], initialStatus: AuthorizationStatus? = nil
  ) {
    self.whenInUse = whenInUse
    self.always = always
    self.initialStatus = initialStatus
  }

  /// Grants what is asked for.
  public static var granting: Self { Self() }
  /// Refuses what is asked for.
  public static var denying: Self { .answering(.denied) }
  /// Refuses what is asked for, as one who could not grant it.
  public static var restricting: Self { .answering(.restricted) }
  /// Leaves every request open until the test answers.
  public static var asking: Self { Self(whenInUse: [.later], always: [.later]) }

  /// Answers every request with one status.
  public static func answering(_ status: AuthorizationStatus) -> Self {
    Self(whenInUse: [.now(status)], always: [.now(status)])
  }

  /// Takes the answer to a request; the last one stays.
  mutating func take(_ request: AuthorizationRequest) -> Answer {
    switch request {
    case .whenInUse: Self.take(&whenInUse) ?? .now(.authorizedWhenInUse)
    case .always: Self.take(&always) ?? .now(.authorizedAlways)
    }
  }

  private static func take(_ answers: inout [Answer]) -> Answer? {
    answers.count > 1 ? answers.removeFirst() : answers.first
  }
}
