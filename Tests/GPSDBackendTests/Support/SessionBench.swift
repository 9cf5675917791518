import AsyncLocation
import MockBackend
import Testing

@testable import GPSDBackend
@testable import LocationTransport

/// A run over a fake network in virtual time, and its events.
final class SessionBench {
  let transport = FakeTransport()
  /// The events, one array per call of `emit`.
  let batches = Locked([[BackendEvent]]())
  let session: GPSDSession
  private let counters = Locked(GPSDStatistics())
  private(set) var results: [Result<[Receiver], any Error>] = []

  /// Creates a run that has not started, with or without a subscriber to reports.
  init(reports: ReportOutlet? = nil, _ change: (inout GPSDConfiguration) -> Void = { _ in }) {
    var configuration = GPSDConfiguration(host: "boat")
    change(&configuration)
    session = GPSDSession(
      configuration, purpose: .watch, wanted: WantedKinds(.all), transport: transport,
      statistics: counters, generator: SplitMix64(seed: 1), reports: reports,
      emit: { [batches] batch in batches.withLock { $0.append(batch) } })
  }

  /// Returns a run that is connected and uses the reports of all receivers.
  static func connected(
    _ change: (inout GPSDConfiguration) -> Void = { _ in }
  ) throws -> SessionBench {
    let bench = SessionBench { configuration in
      configuration.receiverSelection = .all
      change(&configuration)
    }
    _ = try bench.connect()
    return bench
  }

  func start() {
    session.start { self.results.append($0) }
    transport.advance(by: .zero)
  }

  /// Starts and opens the connection. gpsd has not sent its greeting yet.
  func open() throws -> FakeTransport.FakeConnection {
    start()
    session.connectionOpened()
    return try #require(transport.connections.last)
  }

  /// Starts, opens the connection and receives gpsd's greeting. Discards the events.
  func connect() throws -> FakeTransport.FakeConnection {
    let connection = try open()
    connection.receive(FakeGPSD.banner + FakeGPSD.watching)
    _ = takeEvents()
    return connection
  }

  var statistics: GPSDStatistics { counters.withLock { $0 } }
  var events: [BackendEvent] { batches.withLock { $0.flatMap { $0 } } }
  var phases: [ConnectionState.Phase] {
    events.compactMap { if case .connection(let state) = $0 { state.phase } else { nil } }
  }

  /// Receives a chunk of bytes, and returns the events since the last call.
  func receive(_ text: String) throws -> [BackendEvent] {
    try #require(transport.connections.last).receive(text)
    return takeEvents()
  }

  /// Advances the clock, and returns the events since the last call.
  func advance(milliseconds: Int) -> [BackendEvent] {
    transport.advance(by: .milliseconds(milliseconds))
    return takeEvents()
  }

  /// Closes the connection on gpsd's side, and returns the events since the last call.
  func closeByPeer() -> [BackendEvent] {
    session.connectionClosed(nil)
    return takeEvents()
  }

  /// Stops the run, and returns the events since the last call.
  func stop() -> [BackendEvent] {
    session.stop()
    return takeEvents()
  }

  /// Removes and returns the collected events.
  func takeEvents() -> [BackendEvent] {
    batches.withLock { batches in
      defer { batches = [] }
      return batches.flatMap { $0 }
    }
  }
}
