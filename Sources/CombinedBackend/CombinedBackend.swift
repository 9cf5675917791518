public import AsyncLocation

/// Several backends as one: each serves while the more preferred ones have no fix.
///
/// ```swift
/// let backend = try CombinedBackend([
///   .init("gpsd", GPSDBackend()),
///   .init("spare", GPSDBackend(host: "spare.local")),
/// ])
/// let manager = LocationManager(backend: backend)
/// ```
///
/// One source at a time is in force; subscribers without a `device` option receive its locations.
/// <doc:SwitchingSources> describes when another one takes over, the order of locations across a
/// switch, and the accuracy of a source that contradicts the previous one.
///
/// - A report's ``/AsyncLocation/SourceInformation/device`` is the name of its source, such as
///   "spare", followed by a colon and the receiver's name if the source has one:
///   "gpsd:/dev/ttyUSB0". Options select a receiver by this name, or all receivers of a source with
///   one receiver by the name of the source. The locations of a source that runs but is not in force
///   are delivered to subscribers that select it.
/// - ``/AsyncLocation/ConnectionState/preferredReceiver`` is the source in force, nil while it does
///   not run. The state is connected while any source is;
///   ``/AsyncLocation/ConnectionState/problem`` then names the sources that have a problem.
/// - Headings, satellite views and beacons come from the source in force if it runs and its
///   capabilities include them, otherwise from the most preferred running source that produces them.
///   They are never merged.
/// - A source that fails or returns is not run again until the next run; the others continue. When
///   none is left, the run ends.
///
/// A backend serves one manager; a second concurrent run fails with code `unsupported`.
public final class CombinedBackend: LocationBackend {
  public let capabilities: BackendCapabilities
  /// The names of the sources, the most preferred first.
  public let sourceNames: [String]
  /// The times and limits of the selection.
  public let configuration: CombinedConfiguration

  private let sources: [CombinedSource]
  private let timeline: Timeline
  private let policy: CombinedPolicy
  private let state: Locked<State>

  private struct State: Sendable {
    var run: CombinedRun?
    var memory: SwitchMemory
    /// The number of withdrawals of permission when ``memory`` was stored.
    var withdrawals = 0
  }

  /// Creates a backend. It does nothing until it is run.
  ///
  /// - Parameters:
  ///   - sources: The sources, the most preferred first. Each backend belongs to this backend alone.
  ///   - configuration: The times and limits of the selection.
  ///   - clock: The clock of the selection's times.
  /// - Throws: `LocationError` with code `invalidValue` for an empty list, a name that is used
  ///   twice, empty, longer than 64 bytes, or contains a colon or a character that cannot be printed,
  ///   and for an invalid configuration.
  public init(
    _ sources: [CombinedSource], configuration: CombinedConfiguration = CombinedConfiguration(),
    clock: any Clock<Duration> = .continuous
  ) throws(LocationError) {
    try CombinedSource.validate(sources)
    try configuration.validate()
    self.sources = sources
    self.configuration = configuration
    sourceNames = sources.map(\.name)
    capabilities = Self.capabilities(sources.map(\.backend.capabilities))
    timeline = Timeline(clock)
    policy = CombinedPolicy(sources)
    state = Locked(State(memory: SwitchMemory(sourceCount: sources.count)))
  }

  /// Grants what the policies of the sources grant.
  ///
  /// A request is put to the policy of each source, one after another. Permission is the weakest of
  /// those that are granted, and accuracy is reduced if one of them is reduced. A source whose policy
  /// refuses, or has not decided, does not run. When a policy withdraws the permission of a source
  /// that has delivered a report, everything unread is discarded, whatever its source, and streams
  /// continue with the other sources. If accuracy becomes reduced for a source under permission for
  /// one use, which may have ended, permission is denied for a moment and must be requested again.
  public var authorizationPolicy: any AuthorizationPolicy { policy }

  /// Runs the sources until cancelled or until none is left.
  ///
  /// Runs of a source never overlap, and all have ended when this returns.
  ///
  /// - Throws: `CancellationError`; `LocationError` with code `unsupported` when a run is already in
  ///   progress. When the last source has ended and one of them failed, an error that names each
  ///   source, with the code of the most preferred one that failed.
  public func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    let withdrawals = policy.withdrawals
    let memory = state.withLock { state in
      // What was withdrawn must not influence what follows.
      state.withdrawals == withdrawals
        ? state.memory : SwitchMemory(sourceCount: sources.count)
    }
    let run = CombinedRun(
      sources, configuration, demand, memory: memory, timeline: timeline, policy: policy,
      emit: emit)
    let isFirst = state.withLock { state in
      guard state.run == nil else { return false }
      state.run = run
      return true
    }
    guard isFirst else {
      throw LocationError(
        .unsupported, "This CombinedBackend already runs; create one for each manager.")
    }
    defer {
      state.withLock { (state: inout State) in
        (state.run, state.memory, state.withdrawals) = (nil, run.memory, withdrawals)
      }
    }
    try await run.run()
  }

  /// Passes a change of demand to the sources; starts and stops sources as it requires.
  public func demandDidChange(_ demand: BackendDemand) async {
    state.withLock { $0.run }?.demandDidChange(demand)
  }

  /// The kinds that any source produces. Pausing, only if every source of locations pauses.
  private static func capabilities(_ all: [BackendCapabilities]) -> BackendCapabilities {
    var union = all.reduce(BackendCapabilities()) { $0.union($1) }
    let pauses = all.filter { $0.contains(.locations) }.allSatisfy { $0.contains(.pausing) }
    if !pauses { union.remove(.pausing) }
    return union
  }
}
