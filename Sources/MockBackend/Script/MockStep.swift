public import AsyncLocation
public import FoundationEssentials

/// A step of a ``MockScript``.
public struct MockStep: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case emit([BackendEvent])
    case wait(Duration)
    case waitForGate(MockGate)
    case authorize(AuthorizationChange)
    case checkpoint(String)
    case finish(LocationError?)
  }

  let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// Emits events in one batch.
  public static func emit(_ events: BackendEvent...) -> Self { Self(.emit(events)) }

  /// Emits events in one batch.
  public static func emit(_ events: [BackendEvent]) -> Self { Self(.emit(events)) }

  /// Emits locations in one batch.
  public static func locations(_ locations: Location...) -> Self {
    Self(.emit(locations.map(BackendEvent.location)))
  }

  /// Emits a location.
  ///
  /// - Parameters:
  ///   - latitude: Degrees north, -90...90, WGS 84.
  ///   - longitude: Degrees east, -180...180, WGS 84.
  ///   - horizontalAccuracy: Metres; nil for unknown.
  ///   - timestamp: The time of the position; by default the time when the step is created, not
  ///     played.
  /// - Throws: `LocationError` with code `invalidValue` for a value out of its range.
  public static func location(
    latitude: Double, longitude: Double, horizontalAccuracy: Double? = nil,
    timestamp: Date = Date()
  ) throws(LocationError) -> Self {
    try .locations(
      Location(
        latitude: latitude, longitude: longitude, timestamp: timestamp,
        horizontalAccuracy: horizontalAccuracy,
        sourceInformation: SourceInformation(isSimulated: true)))
  }

  /// Reports the state of the connection to the source.
  public static func connection(_ state: ConnectionState) -> Self {
    Self(.emit([.connection(state)]))
  }

  /// Reports that the receiver has no fix, and why.
  public static func unavailable(_ reason: LocationError) -> Self {
    Self(.emit([.unavailable(reason)]))
  }

  /// Waits on the backend's clock, counted from the end of the previous wait. One long advance of a
  /// ``ManualClock`` therefore plays all steps that are due within it. A wait of zero or less ends
  /// immediately; a wait beyond the range of the clock never ends. The initializer of a backend
  /// without a clock throws for a script that waits.
  public static func wait(_ duration: Duration) -> Self { Self(.wait(duration)) }

  /// Waits until the test opens a gate. The next wait counts from that time.
  public static func wait(for gate: MockGate) -> Self { Self(.waitForGate(gate)) }

  /// Changes permission, as ``MockBackend/setAuthorization(_:)`` does.
  public static func authorize(_ decision: AuthorizationDecision) -> Self {
    Self(.authorize(.decision(decision)))
  }

  /// Enables or disables location services, as ``MockBackend/setLocationServices(enabled:)`` does.
  public static func locationServices(enabled: Bool) -> Self {
    Self(.authorize(.locationServices(enabled: enabled)))
  }

  /// Marks a position in the script for ``MockBackend/waitForCheckpoint(_:count:)``. When it is
  /// passed, all earlier events of the script have been delivered.
  public static func checkpoint(_ name: String) -> Self { Self(.checkpoint(name)) }

  /// Ends the run with an error. The next run continues with the following step, unless the script
  /// restarts with each run.
  public static func fail(_ error: LocationError) -> Self { Self(.finish(error)) }

  /// Ends the run normally. This ends every stream of the manager. The next run continues with the
  /// following step, unless the script restarts with each run.
  public static var end: Self { Self(.finish(nil)) }
}
