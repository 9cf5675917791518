import AsyncLocation
import FoundationEssentials

extension Command {
  static let doctor = Command(
    name: "doctor",
    summary: "Diagnoses why there is no fix, and what to do.",
    options: [.receiving, [.transport, .device, .backend]],
    meanings: [.backend: Option.diagnosedSource],
    notes: """
      Of GeoClue and NMEA 0183, checks source, permission, sky (NMEA 0183 only), fix and time. Of gpsd,
      checks library, daemon, permission, receivers, sky, fix and time, and prints for each: ok,
      warning, problem, or skipped. With --format json: one object per line, with check, result,
      finding and any advice. Never prints a position. Watches for up to 10 seconds, for NMEA 0183 25, in
      which the speed of a port is found, or --timeout (for NMEA 0183 at least 4).
      Several sources, such as --backend gpsd,nmea, are diagnosed one after another, each below its
      name; in JSON the member backend names it.
      Status 0 without a problem, 3 if permission is missing, else 1.
      """,
    check: { arguments, _ throws(UsageError) in
      if arguments.uses(.mqtt) || arguments.uses(.replay) {
        throw UsageError(
          "doctor diagnoses --backend gpsd, geoclue or nmea", command: arguments.command)
      }
    },
    run: { tool, arguments in
      try await DoctorCommand(arguments: arguments, context: tool.context)
        .run(tool.source, survey: tool.survey)
    })
}

/// The `doctor` command: finds the problems that prevent a fix and suggests remedies.
struct DoctorCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Finding the speed of a serial port, and that it sends something else, takes up to 20 seconds.
  static func watchDuration(of backend: Arguments.Backend) -> Duration {
    backend == .nmea ? .seconds(25) : .seconds(10)
  }

  /// Returns `permission` if permission is missing, and `failed` if another check found a problem;
  /// warnings do not count. Without permission, the receivers are not reported.
  func run(
    _ source: (Arguments) async throws -> NamedBackend,
    survey: (Arguments) async throws -> Evidence.Survey
  ) async throws -> ExitCode {
    var problems: [Finding] = []
    for backend in arguments.backends {
      let own = DoctorCommand(
        arguments: arguments.isCombined ? arguments.limited(to: backend) : arguments,
        context: context)
      problems += try await own.diagnose(
        backend, namesIt: arguments.isCombined, source, survey: survey
      ).filter { $0.result == .problem }
    }
    if problems.contains(where: { $0.check == .permission }) { return .permission }
    return problems.isEmpty ? .done : .failed
  }

  /// Prints the findings about one source.
  private func diagnose(
    _ backend: Arguments.Backend, namesIt: Bool,
    _ source: (Arguments) async throws -> NamedBackend,
    survey: (Arguments) async throws -> Evidence.Survey
  ) async throws -> [Finding] {
    var evidence = Evidence()
    evidence.usesSharedMemory = arguments.transport == .sharedMemory
    evidence.device = arguments.device
    evidence.watchDuration = arguments.timeout ?? Self.watchDuration(of: backend)
    // A port counts as not permitted after three seconds, in which udev sets its group.
    if backend == .nmea { evidence.watchDuration = max(evidence.watchDuration, .seconds(4)) }
    evidence.backend = backend
    if backend == .gpsd { evidence.survey = try await survey(arguments) }
    let source = try await source(arguments)
    evidence.source = source.name
    let hasSky = source.backend.capabilities.contains(.satellites)
    return try await withLocationManager(
      backend: source.backend, clock: context.clock
    ) { [evidence] manager in
      // The findings are printed before the source is stopped, because permission may be withdrawn
      // while the source stops.
      var evidence = evidence
      try await watch(manager, expectingSky: hasSky, &evidence)
      let findings = Diagnosis.findings(evidence)
      try await write(findings, of: evidence, namesSource: namesIt)
      return findings
    }
  }

  private func write(
    _ findings: [Finding], of evidence: Evidence, namesSource: Bool
  ) async throws {
    switch context.presentation.shape {
    case .json:
      for var finding in findings {
        if namesSource { finding.backend = evidence.backend.rawValue }
        try await context.output.write(JSONLine.line(finding) + "\n")
      }
    case .table, .lines:
      let title = StyledLine(Escaping.escape(evidence.source, limit: 200), .title)
      for line in (namesSource ? [title] : []) + findings.flatMap(\.lines) {
        try await context.output.write(line.text(color: context.presentation.color) + "\n")
      }
    }
  }

  private func watch(
    _ manager: LocationManager, expectingSky hasSky: Bool, _ evidence: inout Evidence
  ) async throws {
    let watchDuration = evidence.watchDuration
    let collector = EvidenceCollector()
    let states = manager.connectionStates
    let authorization = try await manager.requestWhenInUseAuthorization()
    evidence.authorization = authorization
    guard authorization.isAuthorized, evidence.isReachable else { return }
    await context.printMessage("watching the receivers for up to \(NumberText.span(watchDuration))")
    await collector.expect(
      authorization.accuracy, sky: hasSky, failures: evidence.backend != .gpsd)
    let locations = manager.updates(UpdateOptions(device: arguments.subscribedDevice))
    let (skies, authorizations) = (manager.satellites, manager.authorizationUpdates)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for await state in states { await collector.record(state) }
      }
      group.addTask {
        // Measurements from before a withdrawal are not reported, even if permission returns.
        for await present in authorizations { await collector.forget(whatExceeds: present) }
      }
      group.addTask {
        do throws(LocationError) {
          for try await location in locations { await collector.record(location, at: Date()) }
        } catch {
          await collector.record(error)
        }
        await collector.end()
      }
      group.addTask {
        // This stream ends with the locations, whose loop reports the error.
        do { for try await view in skies { await collector.record(view) } } catch {}
      }
      let stopwatch = Stopwatch(context.clock)
      try await withThrowingTaskGroup(of: Void.self) { race in
        race.addTask { try await stopwatch.sleep(until: watchDuration) }
        race.addTask { await collector.waitUntilComplete() }
        try await race.next()
        race.cancelAll()
      }
      group.cancelAll()
    }
    try Task.checkCancellation()
    let present = manager.currentAuthorization
    if await collector.forget(whatExceeds: present) { evidence.authorization = present }
    await collector.fill(&evidence)
  }
}

/// The evidence collected while watching.
private actor EvidenceCollector {
  private var evidence = Evidence()
  private var isReduced = false
  private var hasSky = true
  private var endsWithFailures = false
  private let completion: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  init() {
    (completion, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Sets the accuracy at the start, whether the source has satellite views, and whether the first
  /// failed connection is enough. With reduced accuracy, no view is expected.
  func expect(
    _ accuracy: AccuracyAuthorization, sky hasSky: Bool, failures endsWithFailures: Bool
  ) {
    (isReduced, self.hasSky) = (accuracy == .reduced, hasSky)
    self.endsWithFailures = endsWithFailures
  }

  /// Removes the evidence that permission no longer covers. Returns whether permission has been
  /// reduced since the start.
  @discardableResult
  func forget(whatExceeds present: Authorization) -> Bool {
    let isRefused = present.status.refuses
    guard isRefused || present.accuracy == .reduced else { return false }
    evidence.view = nil
    if evidence.location?.exceeds(present) == true { evidence.location = nil }
    return isRefused || !isReduced
  }

  func record(_ state: ConnectionState) {
    // `idle` means that watching ended; it states nothing about the source.
    if state.phase != .idle { evidence.connection = state }
    if endsWithFailures, state.phase == .waiting, state.problem != nil { continuation.finish() }
  }

  func record(_ view: SatelliteView) {
    evidence.view = view
    conclude()
  }

  func record(_ location: Location, at date: Date) {
    (evidence.location, evidence.locatedAt) = (location, date)
    conclude()
  }

  func record(_ error: LocationError) {
    evidence.failure = error
  }

  func end() { continuation.finish() }

  /// Returns when the evidence is complete, the locations have ended, or the task is cancelled.
  func waitUntilComplete() async {
    for await _ in completion {}
  }

  /// Copies the collected evidence.
  func fill(_ result: inout Evidence) {
    result.connection = evidence.connection
    (result.location, result.locatedAt) = (evidence.location, evidence.locatedAt)
    (result.view, result.failure) = (evidence.view, evidence.failure)
  }

  /// Ends the wait if the evidence is complete: a location with a confirmed time that is not a 2D
  /// fix, and a view with a used satellite.
  private func conclude() {
    guard evidence.location?.sourceInformation?.timeSource == .receiver,
      evidence.location?.gnss?.mode != .twoDimensional,
      isReduced || !hasSky || evidence.view?.used.isEmpty == false
    else { return }
    continuation.finish()
  }
}
