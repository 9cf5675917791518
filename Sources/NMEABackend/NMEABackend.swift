public import AsyncLocation
import LocationTransport

/// A backend that receives positions as sentences of NMEA 0183, without gpsd: from a serial port, a
/// TCP server or UDP datagrams.
///
/// ```swift
/// let manager = LocationManager(backend: NMEABackend(.serial(path: "/dev/ttyUSB0")))
/// for try await location in manager.updates { print(location) }
/// ```
///
/// The backend recovers from errors by itself. A device that is unplugged or absent is opened when
/// it is back, and a server that is restarted or silent is connected to again, with increasing
/// delays. Each step is reported as a ``/AsyncLocation/ConnectionState``. A device that this process
/// may not read for 3 s, in which udev sets its group, ends the run with `denied`. Nothing is ever
/// written to a source.
///
/// A location is delivered for each epoch, the sentences of one time. Once the order of a receiver's
/// sentences is known, that happens with the last sentence that contributes to the location; before,
/// when the receiver has been quiet for a moment. Of several receivers on one line, which a
/// multiplexer merges, the best one is used. Compass headings, of HDT, THS, HDG and HDM, are
/// delivered as they arrive, with the host's time. Without a compass, the course of a moving receiver
/// is the heading.
///
/// A fix gets the receiver's time. Until a sentence with a date arrives, fixes are held back for 5 s,
/// and then get the host's time, as ``/AsyncLocation/SourceInformation/timeSource`` shows.
///
/// All runs of a process share one thread, which never blocks. A source of text other than NMEA
/// 0183, or of another protocol, is reported as such.
public final class NMEABackend: LocationBackend {
  typealias System = (transport: any Transport, ports: any PortOpening)

  /// The source and the options of the connection.
  public let configuration: NMEAConfiguration
  private let makeSystem: @Sendable () throws(TransportFailure) -> System
  private let counters = Locked(NMEAStatistics())
  /// The speed that was detected last, which the next run tries first.
  private let lastSpeed = Locked<SerialSpeed?>(nil)
  /// The receiver that has the source's name, also in the next run.
  private let firstReceiver = Locked<TalkerFamily?>(nil)

  /// Creates a backend. It does nothing until it is run.
  ///
  /// A backend of a TCP server may serve several managers: each run opens its own connection. A
  /// serial port or a UDP port serves one run at a time.
  public convenience init(_ configuration: NMEAConfiguration) {
    self.init(configuration) { () throws(TransportFailure) in
      let loop = try EventLoop.shared()
      return (loop, SystemPorts(loop: loop))
    }
  }

  /// Creates a backend for a source. It does nothing until it is run.
  public convenience init(
    _ source: NMEASource, authorizationPolicy: any AuthorizationPolicy = .automatic
  ) {
    self.init(NMEAConfiguration(source: source, authorizationPolicy: authorizationPolicy))
  }

  init(
    _ configuration: NMEAConfiguration,
    makeSystem: @escaping @Sendable () throws(TransportFailure) -> System
  ) {
    self.configuration = configuration
    self.makeSystem = makeSystem
  }

  public var capabilities: BackendCapabilities { [.locations, .headings, .satellites] }
  public var authorizationPolicy: any AuthorizationPolicy { configuration.authorizationPolicy }

  /// The current state, and counters over all runs of this backend.
  public var statistics: NMEAStatistics { counters.withLock { $0 } }

  /// Produces events until its task is cancelled or a permanent error occurs.
  ///
  /// Nothing is emitted after it returns, and a serial port is closed. `emit` is called on the thread that serves all connections
  /// and must not block. All kinds of events are produced regardless of the demand.
  ///
  /// - Throws: `CancellationError`, or ``/AsyncLocation/LocationError``: `invalidValue` for an invalid
  ///   configuration or a path that is no serial port, `denied`; a transient error or `unsupported`
  ///   if no attempt is left, as with ``/AsyncLocation/Reconnection/never``; `backendUnavailable` if
  ///   the system has no thread or descriptor left.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    try configuration.validate()
    let session = try session(emit)
    let outcome: Result<Void, any Error>
    do {
      _ = try await session.run()
      outcome = .success(())
    } catch {
      outcome = .failure(error)
    }
    if case .serial(let path, _) = configuration.source {
      // The port is closed on another thread, and may be opened again when this returns: waits for a
      // call that opens it, then for its result, then for the call that closes it.
      await SerialDevice.waitForCalls(at: path)
      await withCheckedContinuation { caller in session.submit { _ in caller.resume() } }
      await SerialDevice.waitForCalls(at: path)
    }
    try outcome.get()
  }

  @inline(never)
  private func session(
    _ emit: @escaping NMEAOutlet.Emit
  ) throws(LocationError) -> LoopBound<NMEASession> {
    do throws(TransportFailure) {
      let system = try makeSystem()
      return LoopBound(
        to: system.transport,
        NMEASession(
          configuration, transport: system.transport, ports: system.ports, statistics: counters,
          lastSpeed: lastSpeed, firstReceiver: firstReceiver,
          generator: SystemRandomNumberGenerator(), emit: emit))
    } catch {
      throw .cannotConnect(to: configuration.source.endpoint, error)
    }
  }
}
