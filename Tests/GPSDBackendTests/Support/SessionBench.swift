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

  /// Starts and connects.
  func open() throws -> FakeTransport.FakeConnection {
    start()
    session.connectionOpened()
    return try #require(transport.connections.last)
  }

  /// Starts, connects and greets; discards the events.
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

  /// The events of a chunk that arrives at once.
  func receive(_ text: String) throws -> [BackendEvent] {
    try #require(transport.connections.last).receive(text)
    return takeEvents()
  }

  /// The events within a duration.
  func pass(_ milliseconds: Int) -> [BackendEvent] {
    transport.advance(by: .milliseconds(milliseconds))
    return takeEvents()
  }

  func hangUp() -> [BackendEvent] {
    session.connectionClosed(nil)
    return takeEvents()
  }

  func stop() -> [BackendEvent] {
    session.stop()
    return takeEvents()
  }

  /// The events since the last call.
  func takeEvents() -> [BackendEvent] {
    batches.withLock { batches in
      defer { batches = [] }
      return batches.flatMap { $0 }
    }
  }
}
