public import AsyncLocation

/// How a ``MockBackend`` answers requests for permission.
public struct MockAuthorization: Sendable, Hashable {
  /// An answer to one request.
  @nonexhaustive
  public enum Answer: Sendable, Hashable {
    /// Immediately.
    case now(AuthorizationDecision)
    /// When the test calls ``MockBackend/answerAuthorization(_:to:)``.
    case later
  }

  /// An answer to one request for full accuracy.
  @nonexhaustive
  public enum AccuracyAnswer: Sendable, Hashable {
    /// Immediately, with the duration of the grant; nil declines.
    case now(Duration?)
    /// When the test calls ``MockBackend/answerFullAccuracy(_:)``.
    case later
  }

  /// The answers to requests for permission while in use, in order; the last one repeats.
  public var whenInUse: [Answer]
  /// The answers to requests for permission always, in order; the last one repeats.
  public var always: [Answer]
  /// The answers to requests for full accuracy, in order; the last one repeats.
  public var fullAccuracy: [AccuracyAnswer]
  /// The decision before any request, reported by the policy's `observe`; nil reports nothing.
  public var initialDecision: AuthorizationDecision?

  /// Creates answers. A kind without answers is granted; full accuracy is granted for one hour.
  public init(
    whenInUse: [Answer] = [], always: [Answer] = [], fullAccuracy: [AccuracyAnswer] = [],
    initialDecision: AuthorizationDecision? = nil
  ) {
    self.whenInUse = whenInUse
    self.always = always
    self.fullAccuracy = fullAccuracy
    self.initialDecision = initialDecision
  }

  /// Grants every request.
  public static var granting: Self { Self() }
  /// Denies every request for permission; full accuracy is granted.
  public static var denying: Self { .answering(.denied) }
  /// Answers every request for permission with `restricted`; full accuracy is granted.
  public static var restricting: Self { .answering(.restricted) }
  /// Leaves every request open until the test answers.
  public static var asking: Self {
    Self(whenInUse: [.later], always: [.later], fullAccuracy: [.later])
  }

  /// Answers every request for permission with one decision.
  public static func answering(_ decision: AuthorizationDecision) -> Self {
    Self(whenInUse: [.now(decision)], always: [.now(decision)])
  }

  /// Removes and returns the next answer to a request; the last one repeats.
  mutating func take(_ request: AuthorizationRequest) -> Answer {
    switch request {
    case .whenInUse: Self.take(&whenInUse) ?? .now(.authorizedWhenInUse)
    case .always: Self.take(&always) ?? .now(.authorizedAlways)
    }
  }

  /// Removes and returns the next answer to a request for full accuracy; the last one repeats.
  mutating func takeFullAccuracy() -> AccuracyAnswer {
    Self.take(&fullAccuracy) ?? .now(.seconds(3_600))
  }

  private static func take<Answer>(_ answers: inout [Answer]) -> Answer? {
    answers.count > 1 ? answers.removeFirst() : answers.first
  }
}
