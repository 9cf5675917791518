/// What a backend tells its manager.
@nonexhaustive
public enum BackendEvent: Sendable, Hashable {
  /// A fix. Only real ones: a receiver without a fix is ``unavailable(_:)``.
  case location(Location)
  /// A direction.
  case heading(Heading)
  /// The sky.
  case satellites(SatelliteView)
  /// The receiver has no fix at the moment, and why.
  case unavailable(LocationError)
  /// The connection to the source changed. Becoming connected begins a new session: of what
  /// follows, nothing that is not newer than what was delivered before is delivered again.
  case connection(ConnectionState)
  /// The source refuses by its own doing, such as a socket that may not be opened, with
  /// ``AuthorizationStatus/denied`` or ``AuthorizationStatus/restricted``; any other status takes
  /// that back. It can refuse what the policy grants, never grant what the policy refuses.
  /// The refusal holds until somebody asks for something anew; then the source is tried again.
  case authorization(AuthorizationStatus)
}
