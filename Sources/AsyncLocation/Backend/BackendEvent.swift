/// An event that a backend reports to its manager.
@nonexhaustive
public enum BackendEvent: Sendable, Hashable {
  /// A real fix. A receiver without a fix is reported as ``unavailable(_:)``.
  case location(Location)
  /// A heading.
  case heading(Heading)
  /// A satellite view.
  case satellites(SatelliteView)
  /// The receiver has no fix at the moment, for this reason.
  case unavailable(LocationError)
  /// The state of the connection to the source changed. The change to connected begins a new
  /// session: later fixes that are not newer than those delivered before are rejected.
  case connection(ConnectionState)
  /// The source itself refuses access, for example because a socket cannot be opened, with
  /// ``AuthorizationStatus/denied`` or ``AuthorizationStatus/restricted``. Any other status revokes
  /// the refusal. A source can refuse what the policy grants, but not grant what the policy
  /// refuses. The refusal holds until a new stream of reports, call or session; then the source is
  /// tried again.
  case authorization(AuthorizationStatus)
}
