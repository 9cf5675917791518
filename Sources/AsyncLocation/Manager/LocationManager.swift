/// Delivers locations, headings and satellites from one source to any number of subscribers.
///
/// The manager runs its backend while somebody wants reports and permission holds, and at no other
/// time: nothing has to be started or stopped by hand. Everyone shares one session of the source,
/// each with options of their own.
///
/// A stream holds its source open: dropping the manager ends nothing while somebody iterates one of
/// its streams, so a function may return ``updates`` of a manager that it made. When the manager,
/// its streams and its sessions are all gone, the backend stops and everything is freed.
/// ``shutdown()`` ends all of them at once.
public actor LocationManager {
  nonisolated let lifetime: HubLifetime
  nonisolated var hub: Hub { lifetime.hub }
  nonisolated let buffering: BufferingPolicy

  /// Creates a manager; nothing runs until somebody asks for something.
  ///
  /// - Parameters:
  ///   - backend: The source, such as gpsd or a mock.
  ///   - configuration: What holds for every subscriber.
  ///   - clock: Measures ages, intervals and deadlines; tests give one that they move by hand.
  public init(
    backend: any LocationBackend, configuration: Configuration = .init(),
    clock: any Clock<Duration> = .continuous
  ) {
    self.init(backend: backend, configuration: configuration, clock: clock, executor: nil)
  }

  /// Creates a manager whose own tasks run where a simulation says.
  package init(
    backend: any LocationBackend, configuration: Configuration, clock: any Clock<Duration>,
    executor: (any TaskExecutor)?
  ) {
    buffering = configuration.buffering
    lifetime = HubLifetime(
      Hub(
        backend: backend, asksByItself: configuration.requestsAuthorizationImplicitly,
        timeline: .of(clock), executor: executor))
    hub.attendPolicy()
  }

  /// Ends every stream after what it holds, fails every waiting call with
  /// ``LocationError/Code/shutDown``, stops the backend, and returns once it has stopped.
  ///
  /// Afterwards ``updates``, ``headings``, ``satellites`` and every call throw
  /// ``LocationError/Code/shutDown``; streams that cannot throw end at once. Calling again waits for
  /// the same end. Cancelling the caller's task does not cut it short.
  public func shutdown() async {
    hub.decide { $0.close(&$1) }
    await hub.waitUntilIdle()
  }

  /// Tells that the application came into use, as it is at first, or went out of it: a display that
  /// was switched off, a vehicle that was parked.
  ///
  /// Out of use, permission for while in use delivers nothing; streams wait, the source stops, and
  /// permission for once is over. Permission always goes on.
  public func setInUse(_ isInUse: Bool) { hub.decide { $0.authorize(.use(isInUse), &$1) } }

  // MARK: What is known

  /// What the manager is allowed at this moment. Asks nobody.
  ///
  /// Waits for the first report of a policy that makes one when it begins; see
  /// ``AuthorizationPolicy/reportsEveryDecision``. Cancelling and ``shutdown()`` end that wait.
  public func authorization() async -> Authorization { await hub.authorization() }

  /// The location that arrived last; nil before the first and without permission. Starts nothing:
  /// look at its ``Location/age``.
  public var location: Location? { hub.decide { state, _ in state.lastLocation } }

  /// The heading that arrived last; nil before the first and without permission. Starts nothing: a
  /// source may make headings only while somebody reads them.
  public var heading: Heading? { hub.decide { state, _ in state.lastHeading } }

  /// Counts since the manager was made.
  public var statistics: Statistics { hub.decide { state, _ in state.statistics } }
}

extension LocationManager {
  /// What holds for every subscriber of a manager.
  public struct Configuration: Sendable, Hashable {
    /// Asks for when-in-use permission when somebody wants reports and nobody has asked yet, as
    /// Core Location's implicit sessions do. When false, streams wait until it is granted.
    public var requestsAuthorizationImplicitly: Bool
    /// The bound of the streams that take no options.
    public var buffering: BufferingPolicy

    /// Creates a configuration.
    public init(
      requestsAuthorizationImplicitly: Bool = true, buffering: BufferingPolicy = .newest(64)
    ) {
      self.requestsAuthorizationImplicitly = requestsAuthorizationImplicitly
      self.buffering = buffering
    }
  }

  /// Counts since a manager was made, and what holds now.
  public struct Statistics: Sendable, Hashable {
    /// Events that the backend emitted.
    public var eventsReceived: UInt64 = 0
    /// Events that came from a run already told to stop, or after permission went.
    public var eventsDiscarded: UInt64 = 0
    /// Locations and headings not delivered because they were older than what was delivered before.
    public var locationsStale: UInt64 = 0
    /// Headings and views of the sky not delivered because accuracy is reduced.
    public var reportsWithheld: UInt64 = 0
    /// Elements that arrived for a subscriber, counted for each.
    public var elementsDelivered: UInt64 = 0
    /// Elements that their subscriber never read: they made room for newer ones, permission for them was
    /// withdrawn, or they came when the stream had just ended. Elements that were buffered when their
    /// stream was released are not counted.
    public var elementsDropped: UInt64 = 0
    /// Streams open now.
    public var subscribers: Int = 0
    /// How often the backend was started.
    public var backendRuns: UInt64 = 0

    /// Creates counts.
    public init(
      eventsReceived: UInt64 = 0, eventsDiscarded: UInt64 = 0, locationsStale: UInt64 = 0,
      reportsWithheld: UInt64 = 0, elementsDelivered: UInt64 = 0, elementsDropped: UInt64 = 0,
      subscribers: Int = 0, backendRuns: UInt64 = 0
    ) {
      self.eventsReceived = eventsReceived
      self.eventsDiscarded = eventsDiscarded
      self.locationsStale = locationsStale
      self.reportsWithheld = reportsWithheld
      self.elementsDelivered = elementsDelivered
      self.elementsDropped = elementsDropped
      self.subscribers = subscribers
      self.backendRuns = backendRuns
    }
  }
}
