import AsyncLocation
import FoundationEssentials
import Testing

@testable import MockBackend

/// A backend that is correct except for one defect.
final class BrokenBackend: LocationBackend {
  enum Defect: Sendable, Hashable, CaseIterable {
    case none
    case ignoresCancellation, missesCancellationAtStart, emitsAfterReturn, overlapsCalls
    case refusesToRunAgain, returnsFromLaterRuns, changesCapabilities, exceedsCapabilities
    case inventsPositions, inventsTimes, locatesBeforeConnecting, staysMute, returnsByItself
    case failsUntyped, ignoresSecondRun, endsSecondRun, failsSecondRunUntyped
    case secondRunTakesOver, secondRunEndsFirst
    case applyHangs, applyHangsAtRest, authorizationHangs, fullAccuracyHangs, observationHangs

    var expected: Set<BackendViolation.Rule> {
      switch self {
      case .none: []
      case .ignoresCancellation:
        [.returnsAfterCancellation, .returnsWhenCancelledAtStart]
      case .missesCancellationAtStart: [.returnsWhenCancelledAtStart]
      case .emitsAfterReturn: [.staysSilentAfterReturn]
      case .overlapsCalls: [.emitsOneAtATime]
      case .refusesToRunAgain, .returnsFromLaterRuns: [.runsAgain]
      case .changesCapabilities: [.keepsCapabilities]
      case .exceedsCapabilities: [.staysWithinCapabilities]
      case .inventsPositions, .inventsTimes: [.emitsMeasuredLocations]
      case .locatesBeforeConnecting: [.connectsBeforeLocations]
      // These two also violate `runsAgain`, since their later runs fail in the same way.
      case .staysMute, .returnsByItself: [.producesLocations, .runsAgain]
      case .failsUntyped: [.producesLocations, .runsAgain, .failsWithLocationError]
      case .ignoresSecondRun, .endsSecondRun, .failsSecondRunUntyped, .secondRunTakesOver,
        .secondRunEndsFirst:
        [.sharesOrRefusesSecondRun]
      case .applyHangs, .applyHangsAtRest: [.takesDemand]
      case .authorizationHangs, .fullAccuracyHangs: [.answersAuthorization]
      case .observationHangs: [.stopsObserving]
      }
    }
  }

  /// The limit of the check's waits, and the time by which a defect advances the clock: a wait that
  /// begins during the advance ends after it.
  static let limit = Duration.seconds(20)

  struct Mishap: Error {}

  private struct Listener {
    let id: Int
    let queue: SerialDeliveryQueue<[BackendEvent]>
    let raw: @Sendable ([BackendEvent]) -> Void
    let ending: Promise<Void>
  }

  private struct State {
    var listeners: [Listener] = []
    var former: [Listener] = []
    var runs = 0
    var produced = 0
    var capabilityReads = 0
    var reentered = false
  }

  private let defect: Defect
  private let clock: ManualClock
  /// Releases all hanging calls at the end of the test.
  private let release: Promise<Void>
  private let state = Locked(State())
  private let changes = Journal<Int>()

  init(_ defect: Defect, clock: ManualClock, release: Promise<Void>) {
    (self.defect, self.clock, self.release) = (defect, clock, release)
  }

  var capabilities: BackendCapabilities {
    let reads = state.withLock { state in
      state.capabilityReads += 1
      return state.capabilityReads
    }
    switch defect {
    case .changesCapabilities: return reads.isMultiple(of: 2) ? .all : .locations
    case .exceedsCapabilities: return .headings
    default: return .all
    }
  }

  var authorizationPolicy: any AuthorizationPolicy { Policy(backend: self) }

  func run(
    _ demand: BackendDemand, emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) async throws {
    if defect == .missesCancellationAtStart, Task.isCancelled { return await hang() }
    let (listener, isSecond) = enter(emit)
    defer { leave(listener) }
    guard try await continuesAfterItsStart(listener, isSecond: isSecond) else { return }
    listener.queue.attach { events in
      emit(events)
      return true
    }
    if defect == .ignoresCancellation {
      await hangDespiteCancellation()
    } else {
      _ = await listener.ending.value()
    }
    await listener.queue.detach()
    try Task.checkCancellation()
  }

  /// Performs the defects of a run's start. Returns false for a run that returns at once.
  private func continuesAfterItsStart(_ listener: Listener, isSecond: Bool) async throws -> Bool {
    switch defect {
    case .refusesToRunAgain where listener.id > 1 && !isSecond:
      throw LocationError(.unsupported, "Once only.")
    case .returnsFromLaterRuns where listener.id > 1 && !isSecond: return false
    case .returnsByItself: return false
    case .failsUntyped: throw Mishap()
    case .endsSecondRun where isSecond: return false
    case .failsSecondRunUntyped where isSecond: throw Mishap()
    case .secondRunEndsFirst where isSecond:
      let first = state.withLock { $0.listeners.first }
      first?.ending.fulfill(())
      _ = await changes.wait { state.withLock { $0.listeners.count } < 2 }
      clock.advance(by: Self.limit)
    default: break
    }
    return true
  }

  private func enter(
    _ emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) -> (Listener, isSecond: Bool) {
    let (listener, count) = state.withLock { state in
      state.runs += 1
      let listener = Listener(
        id: state.runs, queue: SerialDeliveryQueue(), raw: emit, ending: Promise())
      state.listeners.append(listener)
      return (listener, state.listeners.count)
    }
    changes.append(count)
    return (listener, count > 1)
  }

  private func leave(_ listener: Listener) {
    let count = state.withLock { state in
      state.listeners.removeAll { $0.id == listener.id }
      state.former.append(listener)
      return state.listeners.count
    }
    changes.append(count)
  }

  func demandDidChange(_ demand: BackendDemand) async {
    let isRunning = state.withLock { !$0.listeners.isEmpty }
    if defect == .applyHangs && isRunning || defect == .applyHangsAtRest && !isRunning {
      await hang()
    }
  }

  /// Hangs until the end of the test. The check's timeout expires at once.
  fileprivate func hang() async {
    clock.advance(by: Self.limit)
    await release.valueDespiteCancellation()
  }

  /// Hangs until the end of the test. The check's timeout expires when the task is cancelled.
  fileprivate func hangDespiteCancellation() async {
    await withTaskCancellationHandler {
      await release.valueDespiteCancellation()
    } onCancel: {
      clock.advance(by: Self.limit)
    }
  }

  private struct Policy: AuthorizationPolicy {
    let backend: BrokenBackend

    func authorize(_ request: AuthorizationRequest) async -> AuthorizationDecision {
      if backend.defect == .authorizationHangs { await backend.hangDespiteCancellation() }
      return .denied
    }

    func temporaryFullAccuracy(for purposeKey: String) async -> Duration? {
      if backend.defect == .fullAccuracyHangs { await backend.hangDespiteCancellation() }
      return nil
    }

    func observe(_ report: @escaping @Sendable (AuthorizationChange) -> Void) async {
      if backend.defect == .observationHangs { return await backend.hangDespiteCancellation() }
      _ = await Promise<Never>().value()
    }
  }
}

extension BrokenBackend {
  /// Emits a location to all listeners, once there are at least `listeners`.
  func produceLocation(_ listeners: Int) async {
    if defect == .staysMute {
      clock.advance(by: Self.limit)
      return
    }
    _ = await changes.wait { state.withLock { $0.listeners.count } >= listeners }
    guard let events = try? nextEvents() else {
      Issue.record("the source made no location")
      return
    }
    let (current, former) = state.withLock { ($0.listeners, $0.former) }
    for listener in current {
      if defect == .ignoresSecondRun, listener.id != current.first?.id { continue }
      if defect == .secondRunTakesOver, listener.id != current.last?.id { continue }
      _ = listener.queue.enqueue(events)
      listener.queue.deliver()
    }
    if defect == .emitsAfterReturn { for listener in former { listener.raw(events) } }
    // Advances the clock only where the check waits for a run that receives nothing: any other wait
    // would also time out.
    let checkWaitsInVain =
      switch defect {
      case .ignoresSecondRun: listeners == 2
      case .secondRunTakesOver: listeners == 1 && current.count > 1
      default: false
      }
    if checkWaitsInVain { clock.advance(by: Self.limit) }
  }

  /// Called during `emit`: another call from here overlaps with it.
  func emissionIsUnderWay() {
    guard defect == .overlapsCalls else { return }
    let listener = state.withLock { state -> Listener? in
      guard !state.reentered else { return nil }
      state.reentered = true
      return state.listeners.first
    }
    listener?.raw([])
  }

  private func nextEvents() throws -> [BackendEvent] {
    let number = state.withLock { state in
      state.produced += 1
      return state.produced
    }
    let measured = try location(number)
    let connected = BackendEvent.connection(ConnectionState(.connected))
    switch defect {
    case .inventsPositions:
      return [.location(measured.moved(to: try Coordinate(latitude: 0, longitude: 0)))]
    case .inventsTimes:
      return [.location(measured.moved(timestamp: .init(timeIntervalSince1970: 0)))]
    case .locatesBeforeConnecting: return [.location(measured), connected]
    default: return [connected, .location(measured)]
    }
  }
}
