import AsyncLocation
import FoundationEssentials
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport

/// A publisher to a local broker, whose locations a test emits.
struct PublisherBench {
  let backend: MockBackend
  let manager: LocationManager
  let publisher: LocationPublisher
  let topic: OwnTracksTopic

  init(
    _ broker: RealBroker, user: String = "jane", device: String = "boat",
    storage: any PublicationStorage = MemoryPublicationStorage(),
    options: PublisherOptions = PublisherOptions(),
    // System clock: it paces retries.
    clock: any Clock<Duration> = .continuous,
    configure: (inout MQTTConfiguration) -> Void = { _ in }
  ) throws {
    try self.init(
      port: broker.port, user: user, device: device, storage: storage, options: options,
      clock: clock, configure: configure)
  }

  init(
    port: Int, user: String = "jane", device: String = "boat",
    storage: any PublicationStorage = MemoryPublicationStorage(),
    options: PublisherOptions = PublisherOptions(),
    // System clock: it paces retries.
    clock: any Clock<Duration> = .continuous,
    configure: (inout MQTTConfiguration) -> Void = { _ in }
  ) throws {
    // System clock: the mock has no script that waits.
    backend = MockBackend(clock: ContinuousClock())
    // System clock: it paces retries.
    manager = LocationManager(backend: backend, clock: .continuous)
    topic = try OwnTracksTopic(user: user, device: device)
    var configuration = MQTTConfiguration.local(port: port)
    configure(&configuration)
    // A test may emit more locations at once than the default buffer holds.
    var options = options
    options.updates.buffering = .newest(100_000)
    publisher = LocationPublisher(
      manager, topic: topic, to: configuration, storage: storage, options: options,
      clock: clock)
  }

  /// Publishes a location of another device, `car`, and returns the topic of the subscriber's next
  /// message: that of the car if no other message has arrived.
  static func nextTopic(
    from broker: RealBroker, to subscriber: ForeignSubscriber
  ) async throws -> String? {
    let bench = try PublisherBench(broker, device: "car")
    let run = Task { try await bench.publisher.run() }
    try await bench.emit(0..<1)
    let topic = await subscriber.messages(1).first?.topic
    run.cancel()
    _ = await run.result
    return topic
  }

  /// 2026-05-04 03:00 UTC, in seconds since 1970.
  static let start = 1_777_863_600
  /// ``start`` as a date.
  static let startDate = Date(timeIntervalSince1970: Double(start))

  /// A location `second` seconds after ``start``. The latitude increases with the time.
  static func location(_ second: Int) throws -> Location {
    try Location(
      latitude: 60 + Double(second) * 1e-5, longitude: 24.5,
      timestamp: Date(timeIntervalSince1970: Double(start + second)),
      horizontalAccuracy: 5)
  }

  /// Emits locations of consecutive seconds.
  func emit(_ seconds: Range<Int>) async throws {
    await backend.waitUntilRunning()
    try backend.emit(try seconds.map { .location(try Self.location($0)) })
  }
}

extension Location {
  /// The seconds since ``PublisherBench/start``.
  var secondsSinceStart: Int { Int(timestamp.timeIntervalSince1970) - PublisherBench.start }
}

extension MQTTConfiguration {
  /// The configuration for a test's broker, with short reconnection delays.
  static func local(_ broker: RealBroker) -> Self { local(port: broker.port) }

  /// The same for a port of 127.0.0.1. The keep-alive is long, because a broker on a busy machine
  /// may be silent for some time. A test that waits for the end of a silent connection sets a
  /// shorter ``keepAlive``.
  static func local(port: Int) -> Self {
    Self(
      host: "127.0.0.1", port: port, keepAlive: .seconds(600),
      reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(100)))
  }
}

extension ForeignSubscriber.Message {
  /// The seconds from ``PublisherBench/start`` to the time of a location; nil for other messages.
  var seconds: Int? {
    guard let message = try? OwnTracksMessage(json: Array(payload.utf8)),
      case .location(let location) = message
    else { return nil }
    return location.location.secondsSinceStart
  }
}
