public import AsyncLocation

/// The permission of a ``MockBackend``: its first decision, and its answers to requests.
public struct MockAuthorization: Sendable, Hashable {
  /// An answer to one request.
  @nonexhaustive
  public enum Answer: Sendable, Hashable {
    /// Answers immediately.
    case now(AuthorizationDecision)
    /// Waits until the test calls ``MockBackend/answerAuthorization(_:to:)``.
    case later
  }

  /// An answer to one request for full accuracy.
  @nonexhaustive
  public enum AccuracyAnswer: Sendable, Hashable {
    /// Answers immediately, with the duration of the grant; nil declines.
    case now(Duration?)
    /// Waits until the test calls ``MockBackend/answerFullAccuracy(_:)``.
    case later
  }

  /// The answers to requests for when-in-use authorization, in order; the last one repeats.
  public var whenInUse: [Answer]
  /// The answers to requests for always authorization, in order; the last one repeats.
  public var always: [Answer]
  /// The answers to requests for full accuracy, in order; the last one repeats.
  public var fullAccuracy: [AccuracyAnswer]
  /// The decision before any request, reported by the policy's `observe`; nil reports nothing.
  public var initialDecision: AuthorizationDecision?

  /// Creates answers. Requests of a kind without answers are granted, full accuracy for one hour.
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

  /// Returns the next answer to a request, and removes it unless it is the last.
  mutating func nextAnswer(to request: AuthorizationRequest) -> Answer {
    switch request {
    case .whenInUse: Self.next(in: &whenInUse) ?? .now(.authorizedWhenInUse)
    case .always: Self.next(in: &always) ?? .now(.authorizedAlways)
    }
  }

  /// Returns the next answer to a request for full accuracy, as ``nextAnswer(to:)`` does.
  mutating func nextFullAccuracyAnswer() -> AccuracyAnswer {
    Self.next(in: &fullAccuracy) ?? .now(.seconds(3_600))
  }

  private static func next<Answer>(in answers: inout [Answer]) -> Answer? {
    answers.count > 1 ? answers.removeFirst() : answers.first
  }
}
