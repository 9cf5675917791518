/// A source of positions that a location manager drives.
///
/// A backend works only during ``run(_:emit:)``. The manager owns the single task that calls this
/// method, and runs it while there is demand and permission. Runs of one backend never overlap. A
/// backend neither requests permission nor enforces it: its manager does both, with
/// ``authorizationPolicy``.
public protocol LocationBackend: Sendable {
  /// The kinds of reports that this source produces. Constant for the lifetime of a backend.
  var capabilities: BackendCapabilities { get }

  /// The policy that decides the manager's permission. The default grants every request.
  var authorizationPolicy: any AuthorizationPolicy { get }

  /// Produces events until its task is cancelled or the source ends.
  ///
  /// Returning ends every stream of the manager normally; throwing ends them with the error. A
  /// temporary failure is therefore not thrown but reported as ``BackendEvent/connection(_:)``. An
  /// error thrown after cancellation is ignored.
  ///
  /// - Parameters:
  ///   - demand: The demand at the start; ``demandDidChange(_:)`` reports changes.
  ///   - emit: Receives events in order, in batches, one call at a time, from any thread. The
  ///     closure returns quickly and never suspends. After the end of the run it does nothing. It
  ///     retains no reference to the array, so one array can be reused for every batch.
  /// - Throws: ``LocationError`` when the source fails permanently.
  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws

  /// Called when demand changes during a run. Calls are serialized; intermediate values are
  /// coalesced. The default ignores the change.
  func demandDidChange(_ demand: BackendDemand) async
}

extension LocationBackend {
  public var authorizationPolicy: any AuthorizationPolicy { .automatic }

  public func demandDidChange(_ demand: BackendDemand) async {}
}

/// An event that a backend reports to its manager.
@nonexhaustive
public enum BackendEvent: Sendable, Hashable {
  /// A fix. A receiver without a fix is reported as ``unavailable(_:)``.
  case location(Location)
  /// A heading.
  case heading(Heading)
  /// A satellite view.
  case satellites(SatelliteView)
  /// The beacons that are received at the moment.
  case beacons(BeaconReport)
  /// The receiver has no fix at the moment, for this reason.
  case unavailable(LocationError)
  /// The state of the connection to the source changed. The change to connected begins a new
  /// session: a receiver's first fix of the session is rejected unless it is newer than its last
  /// accepted fix or was timestamped by the host.
  case connection(ConnectionState)
  /// The source itself refuses access, for example because a socket cannot be opened, with
  /// ``AuthorizationStatus/denied`` or ``AuthorizationStatus/restricted``. Any other status revokes
  /// the refusal. A source can refuse access that the policy grants, but cannot grant access that
  /// the policy refuses. A problem with the same code in the last ``connection(_:)`` is the reason.
  /// The refusal stays in force until a stream of reports, a call or a session begins; then the
  /// source is tried again.
  case authorization(AuthorizationStatus)
}

/// The kinds of reports that a backend produces, and its other abilities. Encoded as a JSON array
/// of option names.
public struct BackendCapabilities: NamedOptions, Sendable, Hashable {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// ``BackendEvent/location(_:)``.
  public static var locations: Self { Self(rawValue: 1 << 0) }
  /// ``BackendEvent/heading(_:)``.
  public static var headings: Self { Self(rawValue: 1 << 1) }
  /// ``BackendEvent/satellites(_:)``.
  public static var satellites: Self { Self(rawValue: 1 << 2) }
  /// ``BackendEvent/beacons(_:)``.
  public static var beacons: Self { Self(rawValue: 1 << 3) }
  /// Stops the receiver while ``BackendDemand/isPaused``, and detects movement by itself.
  public static var pausing: Self { Self(rawValue: 1 << 4) }

  package static var names: [(name: String, option: Self)] {
    [
      ("locations", .locations),
      ("headings", .headings),
      ("satellites", .satellites),
      ("beacons", .beacons),
      ("pausing", .pausing),
    ]
  }

  /// The names of the kinds, for a message.
  fileprivate var list: String {
    Self.names.filter { contains($0.option) }.map(\.name).joined(separator: ", ")
  }

  /// Every kind of report.
  public static var all: Self { [.locations, .headings, .satellites, .beacons] }
}

extension LocationError {
  /// The error for reports that a backend does not produce.
  static func unsupportedReports(_ kind: BackendCapabilities) -> Self {
    kind == .beacons
      ? Self(.rangingUnavailable, "The backend cannot range beacons; see its capabilities.")
      : Self(
        .unsupported, "The backend does not produce \(kind.list); see its capabilities.")
  }
}
