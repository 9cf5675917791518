/// What a policy reports of its own accord.
@nonexhaustive
public enum AuthorizationChange: Sendable, Hashable {
  /// This holds from now on. ``AuthorizationDecision/notDetermined`` takes a former answer back.
  case decision(AuthorizationDecision)
  /// Location services were switched off or on for everybody. While they are off, all is denied;
  /// what was granted holds again afterwards.
  case locationServices(enabled: Bool)
}
