import AsyncLocation
import FoundationEssentials
import LocationFleet
import OwnTracks

/// Receives a fleet's messages from a broker and delivers the results to all subscribers.
///
/// The results of a burst of messages are delivered to each subscriber in one array with one wake,
/// or in several if the burst is large.
final class FleetHub: BrokerHandler, Sendable {
  /// Decodes a payload. Called with no lock held.
  typealias Decode = @Sendable (Span<UInt8>) -> FleetContent

  private let state: Locked<FleetState>
  private let decode: Decode
  private let keys: FleetConfiguration.Keys?
  private let includesAllMessages: Bool
  let publications: FleetPublications
  let time: @Sendable () -> FleetTime
  /// Sleeps until a time in nanoseconds of the monotonic clock.
  private let sleep: @Sendable (Int64) async throws -> Void
  private struct Releaser: Sendable {
    var task: Task<Void, Never>?
    var isClosed = false
  }

  /// Releases locations that have waited for earlier ones for too long.
  private let releaser = Locked(Releaser())
  /// Takes a step when changes are stored, when the storage fails, when an event is returned to the
  /// queue, and at the end.
  let steps = Steps()

  /// - Parameters:
  ///   - configuration: A validated configuration.
  ///   - clock: Measures the silence of devices and the rates of their messages.
  ///   - now: The host's wall clock, which limits times in the future.
  ///   - stored: The content of the fleet's storage; nil without a storage.
  init(
    _ configuration: FleetConfiguration, clock: some Clock<Duration> = ContinuousClock(),
    now: @escaping @Sendable () -> Date = { Date() }, stored: StoredFleet? = nil,
    decode: @escaping Decode
  ) {
    let origin = clock.now
    time = {
      FleetTime(
        wall: now().timeIntervalSinceReferenceDate,
        monotonic: origin.duration(to: clock.now).wholeNanoseconds)
    }
    sleep = { try await clock.sleep(until: origin.advanced(by: .nanoseconds($0)), tolerance: nil) }
    var state = FleetState(configuration)
    if let stored { state.restore(stored, at: time()) }
    let shared = Locked(state)
    self.state = shared
    self.decode = decode
    (keys, includesAllMessages) = (configuration.keys, configuration.includesAllMessages)
    publications = FleetPublications(configuration) { device in
      shared.withLock { $0.storing.confirmations[device] }
    }
  }

  /// Changes the state under the lock and then resumes consumers.
  @discardableResult
  func decide<Value: Sendable>(
    _ body: (inout FleetState, inout Wakes) -> Value
  ) -> Value {
    let (value, wakes) = state.withLock { state in
      var wakes = Wakes()
      let value = body(&state, &wakes)
      return (value, wakes)
    }
    wakes.perform()
    return value
  }

  // MARK: Messages, on the thread of the transport

  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool) {
    guard !BrokerDrops.isTopic(topic) else {
      return state.withLock { $0.intake.countBrokerDrops(payload) }
    }
    let now = state.withLock(\.arrival) ?? beginBurst()
    let (admission, wantsMessage) = state.withLock { state in
      let admission = state.admit(
        topic: topic, payloadLength: payload.count, isRetained: isRetained, at: now)
      return (admission, !state.messages.isEmpty)
    }
    guard case .decode(let ticket) = admission else { return }
    var (content, message) = (decode(payload), nil as OwnTracksMessage?)
    if content == .encrypted, let keys {
      (content, message) = decrypt(payload, ticket, topic: topic, keys)
    } else if wantsMessage || (includesAllMessages && content == .other) {
      // With all messages included, `other` messages are decoded in full even without a subscriber,
      // so that their outcome does not depend on subscribers.
      message = content.message(of: payload)
    }
    let deadline = decide { state, wakes in
      state.receive(
        content, message, size: payload.count, ticket, topic: topic, isRetained: isRetained,
        at: now, waking: &wakes)
      return state.waitingDeadline
    }
    if let deadline { release(at: deadline) }
  }

  /// Makes sure that waiting locations are released at a time, unless a task waits to do so.
  private func release(at deadline: Int64) {
    releaser.withLock { releaser in
      guard releaser.task == nil, !releaser.isClosed else { return }
      releaser.task = Task { [weak self, sleep] in
        try? await sleep(deadline)
        guard !Task.isCancelled else { return }
        self?.releaseOverdue()
      }
    }
  }

  private func releaseOverdue() {
    releaser.withLock { $0.task = nil }
    let now = time()
    // The lock is released in between, since there may be many.
    while decide({ state, wakes in
      guard state.end == nil else { return false }
      state.arrived(at: now)
      return state.releaseOverdue(at: now, waking: &wakes)
    }) {}
    flush()
    if let deadline = decide({ state, _ in state.end == nil ? state.waitingDeadline : nil }) {
      release(at: deadline)
    }
  }

  /// Decrypts a message with the key of its device. Returns its content, and the complete message
  /// unless it is dropped.
  private func decrypt(
    _ payload: Span<UInt8>, _ ticket: FleetIntake.Ticket, topic: Span<UInt8>,
    _ keys: FleetConfiguration.Keys
  ) -> (FleetContent, OwnTracksMessage?) {
    guard case .encrypted(let message)? = try? OwnTracksMessage(copying: payload)
    else {
      return (.malformed, nil)
    }
    let device = state.withLock { $0.intake.device(of: ticket, topic: topic) }
    guard let key = device.flatMap(keys) else { return (.encrypted, nil) }
    guard let plain = key.decrypt(message) else { return (.undecryptable, nil) }
    var content = decode(plain.span)
    // Nested encryption is not supported.
    if content == .encrypted { content = .malformed }
    let whole = content.message(of: plain.span)
    return (content, whole)
  }

  /// Reads the time once for the messages of a burst, with no lock held.
  private func beginBurst() -> FleetTime {
    let now = time()
    state.withLock { $0.arrived(at: now) }
    return now
  }

  func flush() {
    let (wake, announced) = decide { state, wakes in
      state.flush(waking: &wakes)
      return (state.storing.wakeForChanges, state.storing.confirmations.takeAnnounced())
    }
    wake?()
    publications.confirm(announced)
  }

  func connected(_ channel: any BrokerChannel, resumesSession: Bool) {
    let now = time()
    let deadline = decide { state, wakes in
      state.connected(resumesSession: resumesSession, at: now, waking: &wakes)
      return state.waitingDeadline
    }
    if let deadline { release(at: deadline) }
    publications.connected(channel)
  }

  func disconnected() {
    flush()
    publications.disconnected()
  }

  func changed(_ state: ConnectionState) {
    let now = time()
    let end = decide { hub, wakes in
      hub.changed(state, at: now, waking: &wakes)
      return hub.end
    }
    if let end { close(end) }
    finishStoring()
  }

  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?) {
    publications.acknowledged(publication, refusal: refusal)
  }

  // MARK: Streams

  typealias Stream<Element: Sendable> =
    any WritableKeyPath<FleetState, Subscribers<Element>> & Sendable

  /// Subscribes to a stream. The subscription retains the lifetime until it ends.
  func subscribe<Element>(
    to stream: Stream<Element>, _ lifetime: FleetLifetime
  ) -> Subscription<Element> {
    decide { state, wakes in
      let channel = BoundedChannel<Element>(limit: state.limits.buffering.limit)
      if let error = state.end {
        channel.finish(error, waking: &wakes)
        return Subscription(channel) {}
      }
      // Staged elements precede the subscription, so the new subscriber must not receive them.
      state.deliver(waking: &wakes)
      return subscription(channel, stream, lifetime, &state)
    }
  }

  /// Subscribes to the complete messages. Their sizes differ, so the buffer is bounded in bytes.
  func subscribeToMessages(_ lifetime: FleetLifetime) -> Subscription<FleetMessage> {
    decide { state, wakes in
      let channel = BoundedChannel<FleetMessage>(
        bytes: state.limits.messageBytes, cost: { $0.size })
      if let error = state.end {
        channel.finish(error, waking: &wakes)
        return Subscription(channel) {}
      }
      state.deliver(waking: &wakes)
      return subscription(channel, \.messages, lifetime, &state)
    }
  }

  /// Subscribes to the states of the connection, beginning with the current one.
  func connectionStates(_ lifetime: FleetLifetime) -> AsyncStream<ConnectionState> {
    decide { state, wakes -> Subscription<ConnectionState> in
      let channel = BoundedChannel<ConnectionState>(limit: FleetState.connectionStatesLimit)
      _ = channel.push([state.connection], waking: &wakes)
      guard state.end == nil else {
        channel.finish(waking: &wakes)
        return Subscription(channel) {}
      }
      return subscription(channel, \.connectionStates, lifetime, &state)
    }.stream()
  }

  private func subscription<Element>(
    _ channel: BoundedChannel<Element>, _ stream: Stream<Element>, _ lifetime: FleetLifetime,
    _ state: inout FleetState
  ) -> Subscription<Element> {
    let id = state[keyPath: stream].join(channel)
    return Subscription(channel, beforeWaiting: lifetime.connection.start) {
      lifetime.hub.decide { $0[keyPath: stream].leave(id, waking: &$1) }
    }
  }

  /// The number of subscribers to all streams.
  var subscriberCount: Int {
    state.withLock {
      $0.updates.count + $0.changes.count + $0.events.count + $0.messages.count
        + $0.tripLocations.count + $0.connectionStates.count
    }
  }

  // MARK: Devices

  var statistics: FleetStatistics {
    var statistics = state.withLock(\.statistics)
    let counts = publications.confirmationCounts
    statistics.confirmations = counts.acknowledged
    statistics.refusedConfirmations = counts.refused
    return statistics
  }

  var deviceCount: Int { state.withLock(\.intake.directory.count) }

  func device(_ id: FleetDevice.ID) -> FleetDevice? {
    let now = time().monotonic
    return state.withLock { $0.intake.device(id, at: now) }
  }

  /// All devices, in no particular order. The lock is taken for one block of devices at a time.
  var devices: [FleetDevice] {
    let now = time().monotonic
    let slots = state.withLock(\.intake.directory.slotCount)
    return stride(from: 0, to: slots, by: DeviceDirectory.blockSize).flatMap { start in
      state.withLock { $0.intake.devices(start..<start + DeviceDirectory.blockSize, at: now) }
    }
  }

  func forget(_ id: FleetDevice.ID) {
    let wake = decide { state, wakes in
      state.forget(id, waking: &wakes)
      return state.storing.wakeForChanges
    }
    wake?()
  }

  // MARK: Conditions

  /// Changes the conditions, which are shared by all devices.
  func changeConditions<Value: Sendable, Failure: Error>(
    _ body: (inout FleetState) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let (value, wake) = try state.withLock { state throws(Failure) in
      (try body(&state), state.storing.wakeForChanges)
    }
    wake?()
    return value
  }

  /// Reads the conditions.
  func withTracker<Value: Sendable>(
    _ body: (ConditionTracker<DeviceDirectory.Slot>) -> Value
  ) -> Value {
    state.withLock { body($0.tracker) }
  }

  func conditions(satisfiedBy id: FleetDevice.ID) -> [String] {
    state.withLock { state in
      state.intake.directory.find(id).map { state.tracker.satisfied(by: $0) } ?? []
    }
  }

  // MARK: The end

  func close(_ error: LocationError) {
    publications.close(error)
    let task = releaser.withLock { releaser in
      releaser.isClosed = true
      return releaser.task.take()
    }
    task?.cancel()
  }

  func shutDown() {
    let now = time()
    let end = decide { state, wakes in
      state.shutDown(at: now, waking: &wakes)
      return state.end
    }
    if let end { close(end) }
    finishStoring()
  }
}

/// Keeps a fleet running: it is shut down when its `Fleet` and all subscriptions are released.
final class FleetLifetime: Sendable {
  let hub: FleetHub
  let connection: FleetConnection
  /// Nil without a storage.
  let writer: FleetWriter?

  init(_ hub: FleetHub, _ connection: FleetConnection, _ writer: FleetWriter?) {
    (self.hub, self.connection, self.writer) = (hub, connection, writer)
  }

  deinit {
    guard writer != nil else {
      hub.shutDown()
      return connection.stop()
    }
    // The connection is stopped first: the broker regards acknowledged messages as handled, so the
    // hub must handle them before it ends.
    connection.stop()
    Task { [hub, connection] in
      await connection.waitUntilStopped()
      hub.shutDown()
    }
  }
}

/// The connection of a fleet's hub to a broker. It retains the hub, not the fleet.
struct FleetConnection: Sendable {
  /// Opens the connection, unless it was opened or stopped. Called from any thread, once or more.
  let start: @Sendable () -> Void
  /// Stops the connection soon. Called from any thread, once or more.
  let stop: @Sendable () -> Void
  /// Returns when the connection has ended and no longer calls the hub.
  let waitUntilStopped: @Sendable () async -> Void
}
