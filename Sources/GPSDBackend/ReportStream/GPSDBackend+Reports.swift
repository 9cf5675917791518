import AsyncLocation

extension GPSDBackend {
  /// Every report of gpsd as it arrives, as a value and in its exact bytes.
  ///
  /// ```swift
  /// for try await received in backend.reports() {
  ///   if case .tpv(let fix) = received.report { print(fix.mode ?? 0) }
  /// }
  /// ```
  ///
  /// The subscription begins now, with a connection of its own, whether the backend runs or not,
  /// and always by TCP: shared memory has no reports. The connection heals as a run's does, with
  /// the same timeouts and delays. It is gpsd's client like any other, of which gpsd serves 64.
  ///
  /// Reports hold positions as they are. So the ``authorizationPolicy`` is asked for permission
  /// while in use, and followed, as a location manager does, but apart from any manager: nothing is
  /// read before permission is granted with full accuracy. A policy that leaves it undecided makes
  /// the sequence wait. Refusal, revocation and reduced accuracy end it with `denied` or
  /// `restricted`, and what waits then is not delivered.
  ///
  /// Besides, it throws what ``run(_:emit:)`` throws, and `invalidValue` at once, whatever the policy
  /// says, for options that no report can match. The sequence holds the backend: a temporary one
  /// serves as well.
  public func reports(_ options: ReportOptions = ReportOptions()) -> GPSDReports {
    let counters = Locked(GPSDStatistics())
    let (states, sink) = AsyncStream.makeStream(
      of: ConnectionState.self, bufferingPolicy: .bufferingNewest(16))
    let subscription = ReportSubscription(
      options.buffering, policy: authorizationPolicy,
      work: { try await self.readReports(options, counters, sink, $0) },
      ended: { sink.finish() })
    if let problem = options.problem { subscription.fail(problem) } else { subscription.start() }
    return GPSDReports(subscription, counters, states)
  }

  private func readReports(
    _ options: ReportOptions, _ counters: Locked<GPSDStatistics>,
    _ states: AsyncStream<ConnectionState>.Continuation,
    _ deliver: @escaping @Sendable (consuming ReportBatch) -> Void
  ) async throws {
    var configuration = configuration
    configuration.transport = .socket
    if let device = options.device { configuration.device = device }
    try configuration.validate()
    let transport = try transport()
    let session = GPSDSession(
      configuration, purpose: .watch, wanted: WantedKinds(), transport: transport,
      statistics: counters, generator: SystemRandomNumberGenerator(),
      reports: ReportOutlet(options, deliver: deliver),
      emit: { events in
        for case .connection(let state) in events { states.yield(state) }
      })
    _ = try await LoopBound(to: transport, session).run()
  }
}
