import AsyncLocation
import LocationTransport

extension GPSDBackend {
  /// Returns a sequence of all of gpsd's reports as they arrive, each as a value and as its exact
  /// bytes.
  ///
  /// ```swift
  /// for try await received in backend.reports() {
  ///   if case .tpv(let fix) = received.report { print(fix.mode ?? 0) }
  /// }
  /// ```
  ///
  /// The subscription starts immediately. It opens its own connection, whether or not the backend
  /// is running, and always over TCP, because shared memory has no reports. It reconnects as a run
  /// does, with the same timeouts and delays. It counts as one of the 64 clients that gpsd serves.
  ///
  /// Reports contain exact positions. Therefore when-in-use permission is requested from the
  /// ``authorizationPolicy``, and the policy is observed, as in a location manager but
  /// independently of any manager. Nothing is read before permission with full accuracy is granted.
  /// While the policy is undecided, the sequence waits. Refusal, revocation and reduced accuracy
  /// end the sequence with `denied` or `restricted`, and buffered reports are discarded.
  ///
  /// The sequence also throws the errors of ``run(_:emit:)``. For options that no report can match
  /// it throws `invalidValue` immediately, regardless of the policy. The sequence keeps a strong
  /// reference to the backend, so a temporary backend works too.
  public func reports(_ options: ReportOptions = ReportOptions()) -> GPSDReportSequence {
    let counters = Locked(GPSDStatistics())
    let (states, sink) = AsyncStream.makeStream(
      of: ConnectionState.self, bufferingPolicy: .bufferingNewest(16))
    let subscription = ReportSubscription(
      options.buffering, policy: authorizationPolicy,
      work: { try await self.readReports(options, counters, sink, $0) },
      ended: { sink.finish() })
    if let problem = options.problem { subscription.fail(problem) } else { subscription.start() }
    return GPSDReportSequence(subscription, counters, states)
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
