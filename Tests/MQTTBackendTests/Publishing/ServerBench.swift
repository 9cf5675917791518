import AsyncLocation
import FoundationEssentials
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport

/// A publisher of a mock's locations to a local HTTP server.
struct ServerBench {
  let backend: MockBackend
  let manager: LocationManager
  let publisher: LocationPublisher

  init(
    _ server: LocalServer, device: String = "boat",
    storage: any PublicationStorage = MemoryPublicationStorage(),
    options: PublisherOptions = PublisherOptions(),
    // System clock: it paces retries.
    clock: any Clock<Duration> = .continuous,
    configure: (inout OwnTracksServer) -> Void = { _ in }
  ) throws {
    // System clock: the mock has no script that waits.
    backend = MockBackend(clock: ContinuousClock())
    // System clock: it paces retries.
    manager = LocationManager(backend: backend, clock: .continuous)
    var configuration = OwnTracksServer(
      url: server.address + "/pub",
      reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(20)))
    configure(&configuration)
    // A test may emit more locations at once than the default buffer holds.
    var options = options
    options.updates.buffering = .newest(100_000)
    publisher = LocationPublisher(
      manager, topic: try OwnTracksTopic(user: "jane", device: device), to: configuration,
      storage: storage, options: options, clock: clock)
  }

  /// Emits locations of consecutive seconds.
  func emit(_ seconds: Range<Int>) async throws {
    await backend.waitUntilRunning()
    try backend.emit(try seconds.map { .location(try PublisherBench.location($0)) })
  }

  /// Publishes locations of consecutive seconds, and waits until the run has ended.
  func publishAll(_ seconds: Range<Int>) async throws {
    let run = Task { try await publisher.run() }
    try await emit(seconds)
    try backend.end()
    try await run.value
  }
}

extension LocalServer {
  /// The answer of the Recorder.
  static let acceptance: [Step] = [.send(answer("[]")), .keepOpen]

  /// The locations in the requests so far, in seconds since ``PublisherBench/start``.
  var seconds: [Int] { requests.compactMap(\.second) }
}

extension LocalServer.Request {
  /// The seconds from ``PublisherBench/start`` to the time of a location; nil for other messages.
  var second: Int? {
    guard case .location(let location) = try? OwnTracksMessage(json: body) else { return nil }
    return location.location.secondsSinceStart
  }
}
