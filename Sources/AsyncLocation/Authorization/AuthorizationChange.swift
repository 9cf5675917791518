/// A change that a policy reports without being asked.
@nonexhaustive
public enum AuthorizationChange: Sendable, Hashable {
  /// This decision is in force from now on. ``AuthorizationDecision/notDetermined`` revokes an
  /// earlier decision.
  case decision(AuthorizationDecision)
  /// Location services were switched off or on for every client. While they are off, the status is
  /// denied. When they are on again, the earlier decision is in force again.
  case locationServices(enabled: Bool)
}
