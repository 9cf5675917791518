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
  /// Permission changed by the source's own doing, such as a socket that may not be opened.
  case authorization(AuthorizationStatus)
}
