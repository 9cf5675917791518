public import AsyncLocation
import CGPSDShims

/// Positions from gpsd, on this machine or another.
///
/// It heals itself: a gpsd that is absent, restarted, silent or not to be reached is tried again
/// with growing delays, and each step shows as a ``/AsyncLocation/ConnectionState``. What does not
/// heal ends the run with a ``/AsyncLocation/LocationError``: another server at the address, a
/// receiver that gpsd lacks, a denied connection. All runs of a process share one thread, which
/// blocks nobody and reads gpsd's socket whatever the consumers do. While host names are looked up
/// there is one more thread for each name, 32 at most. Whatever else gpsd says comes by
/// ``reports(_:)``.
///
/// What speaks as gpsd may invent receivers, and a process keeps the names that it meets. So a backend
/// adds at most 1,024 names, of 128 KiB together; reports of receivers beyond that have no
/// ``/AsyncLocation/SourceInformation/device``.
public final class GPSDBackend: LocationBackend {
  /// Where gpsd is and how to deal with it.
  public let configuration: GPSDConfiguration
  private let makeTransport: @Sendable () throws(TransportFailure) -> any Transport
  /// Jitters the delays before another attempt.
  private let makeGenerator: @Sendable () -> any RandomNumberGenerator & Sendable
  private let counters = Locked(GPSDStatistics())
  private let wanted = WantedKinds()
  private let names = DeviceNameLimit()

  /// Creates a backend; nothing happens before it is run.
  ///
  /// It may serve several managers: each of its runs has a connection of its own.
  public convenience init(_ configuration: GPSDConfiguration) {
    self.init(configuration) { () throws(TransportFailure) in try EventLoop.shared() }
  }

  /// Creates a backend for gpsd over TCP; nothing happens before it is run.
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

  /// The API of the libgps that this program was built for; nil when it was built without, and has
  /// no shared memory.
  public static var libgpsAPI: Int? {
    let version = Int(cgpsd_api_version())
    return version > 0 ? version : nil
  }

  /// What was received since the backend was made, all runs together, and how it stands.
  public var statistics: GPSDStatistics { counters.withLock { $0 } }

  /// Produces events until its task is cancelled or something fails for good.
  ///
  /// Nothing is emitted once it has returned. What is emitted comes from the thread that serves all
  /// connections: `emit` must not block it. Locations come whatever is asked for, from every receiver
  /// unless ``GPSDConfiguration/device`` names one.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: `invalidValue` for a
  ///   configuration that makes no sense, `notGPSD`, `deviceUnknown`, `denied`, `unsupported`; with
  ///   ``GPSDConfiguration/Reconnection/never`` also what is transient; `backendUnavailable` when
  ///   the system has no thread or descriptor left to begin with.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try configuration.validate()
    wanted.add(demand)
    // Made elsewhere, so that what it takes to make them is not kept for as long as they run.
    switch configuration.transport {
    case .socket: _ = try await socketRun(emit).run()
    case .sharedMemory: try await sharedMemoryRun(emit).run()
    }
  }

  @inline(never)
  private func socketRun(
    _ emit: @escaping GPSDSession.Emit
  ) throws(LocationError) -> LoopBound<GPSDSession> {
    let transport = try transport()
    return LoopBound(
      to: transport,
      GPSDSession(
        configuration, purpose: .watch, wanted: wanted, names: names, transport: transport,
        statistics: counters, generator: makeGenerator(), emit: emit))
  }

  @inline(never)
  private func sharedMemoryRun(
    _ emit: @escaping GPSDSession.Emit
  ) throws(LocationError) -> LoopBound<SharedMemorySession> {
    let transport = try transport()
    return LoopBound(
      to: transport,
      SharedMemorySession(
        configuration, wanted: wanted, names: names, transport: transport, statistics: counters,
        generator: makeGenerator(), emit: emit))
  }

  /// Hears of a change of demand. Headings and views of the sky are made once anybody has asked for
  /// them.
  public func demandDidChange(_ demand: BackendDemand) async { wanted.add(demand) }

  /// Asks gpsd which receivers it has, on a connection of its own and in one attempt.
  ///
  /// Works whether the backend runs or not, and always by TCP: shared memory has no such list.
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

  func transport() throws(LocationError) -> any Transport {
    do throws(TransportFailure) {
      return try makeTransport()
    } catch {
      throw .cannotConnect(to: configuration.endpoint, error)
    }
  }
}
