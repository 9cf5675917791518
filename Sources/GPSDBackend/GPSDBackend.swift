public import AsyncLocation
import CGPSDShims
@_exported public import GPSDReports
package import LocationTransport

/// A backend that receives positions from gpsd, on this machine or another.
///
/// The backend recovers from errors by itself. If gpsd is absent, restarted, silent or unreachable,
/// it reconnects with increasing delays. Each step is reported as a
/// ``/AsyncLocation/ConnectionState``. Permanent errors end the run with a
/// ``/AsyncLocation/LocationError``: a server that is not gpsd, a receiver that gpsd does not have,
/// or a denied connection. All runs of a process share one thread, which never blocks and
/// reads gpsd's socket independently of consumers. While host names are looked up, there is one
/// more thread for each name, 32 at most. All other reports of gpsd are available through
/// ``reports(_:)``.
///
/// Receiver names are kept until the process exits, and a server may send any number of them. A
/// backend therefore keeps at most 1,024 names, 128 KiB in total. Locations and other events of
/// further receivers have no ``/AsyncLocation/SourceInformation/device``.
public final class GPSDBackend: LocationBackend {
  /// The address of gpsd and the options of the connection.
  public let configuration: GPSDConfiguration
  private let makeTransport: @Sendable () throws(TransportFailure) -> any Transport
  /// Creates the random number generator of a run, for the jitter of its reconnection delays.
  private let makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable
  private let counters = Locked(GPSDStatistics())
  private let wanted = WantedKinds()
  private let nameLimit = DeviceNameLimit()

  /// Creates a backend. It does nothing until it is run.
  ///
  /// A backend may serve several managers: each run opens its own connection.
  public convenience init(_ configuration: GPSDConfiguration) {
    self.init(configuration) { () throws(TransportFailure) in try EventLoop.shared() }
  }

  /// Creates a backend for gpsd over TCP. It does nothing until it is run.
  public convenience init(
    host: String = "localhost", port: Int = 2947, device: String? = nil,
    authorizationPolicy: any AuthorizationPolicy = .automatic
  ) {
    self.init(
      GPSDConfiguration(
        host: host, port: port, device: device, authorizationPolicy: authorizationPolicy))
  }

  package init(
    _ configuration: GPSDConfiguration,
    generator: @escaping @Sendable () -> any RandomNumberGenerator & Sendable = {
      SystemRandomNumberGenerator()
    },
    makeTransport: @escaping @Sendable () throws(TransportFailure) -> any Transport
  ) {
    self.configuration = configuration
    makeGenerator = generator
    self.makeTransport = makeTransport
  }

  public var capabilities: BackendCapabilities { .all }
  public var authorizationPolicy: any AuthorizationPolicy { configuration.authorizationPolicy }

  /// The API version of the libgps that this program was built with; nil if it was built without
  /// libgps and cannot use shared memory.
  public static var libgpsAPI: Int? {
    let version = Int(cgpsd_api_version())
    return version > 0 ? version : nil
  }

  /// The current state, and counters over all runs of this backend.
  public var statistics: GPSDStatistics { counters.withLock { $0 } }

  /// Produces events until its task is cancelled or a permanent error occurs.
  ///
  /// Nothing is emitted after it returns. `emit` is called on the thread that serves all
  /// connections and must not block. Locations are produced regardless of the demand, from every
  /// receiver unless ``GPSDConfiguration/device`` names one.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: `invalidValue` for an
  ///   invalid configuration, `notGPSD`, `deviceUnknown`, `denied`, `unsupported`; a transient
  ///   error if no attempt is left, as with ``/AsyncLocation/Reconnection/never``;
  ///   `backendUnavailable` if the system has no thread or descriptor left.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try configuration.validate()
    wanted.add(demand)
    // Separate functions, so that their stack frames do not live as long as the run.
    switch configuration.transport {
    case .socket: _ = try await socketRun(emit).run()
    case .sharedMemory: _ = try await sharedMemoryRun(emit).run()
    }
  }

  @inline(never)
  private func socketRun(
    _ emit: @escaping EventOutlet.Emit
  ) throws(LocationError) -> LoopBound<GPSDSession> {
    let transport = try transport()
    return LoopBound(
      to: transport,
      GPSDSession(
        configuration, purpose: .watch, wanted: wanted, nameLimit: nameLimit, transport: transport,
        statistics: counters, generator: makeGenerator(), emit: emit))
  }

  @inline(never)
  private func sharedMemoryRun(
    _ emit: @escaping EventOutlet.Emit
  ) throws(LocationError) -> LoopBound<SharedMemorySession> {
    let transport = try transport()
    return LoopBound(
      to: transport,
      SharedMemorySession(
        configuration, wanted: wanted, nameLimit: nameLimit, transport: transport,
        statistics: counters,
        generator: makeGenerator(), emit: emit))
  }

  /// Called when demand changes. Once any demand has included headings or satellite views, they are
  /// produced from then on, even after that demand ends.
  public func demandDidChange(_ demand: BackendDemand) async { wanted.add(demand) }

  /// Requests the list of gpsd's receivers, over a separate connection and in a single attempt.
  ///
  /// Works whether or not the backend is running, and always over TCP, because shared memory has no
  /// such list.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: `backendUnavailable`,
  ///   `notGPSD`, `timedOut`, `connectionLost`, `denied`, `invalidValue`.
  public func devices() async throws -> [Receiver] {
    var configuration = configuration
    configuration.transport = .socket
    try configuration.validate()
    let transport = try transport()
    let session = GPSDSession(
      configuration, purpose: .listDevices, wanted: wanted, transport: transport,
      statistics: counters, generator: makeGenerator(), emit: { _ in })
    return try await LoopBound(to: transport, session).run()
  }

  /// Returns the transport for a connection to gpsd.
  func transport() throws(LocationError) -> any Transport {
    do throws(TransportFailure) {
      return try makeTransport()
    } catch {
      throw .cannotConnect(to: configuration.endpoint, error)
    }
  }
}
