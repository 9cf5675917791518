import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct HubStateTests {
  private static let failure = LocationError(.notGPSD, "A web server answers.")

  /// A manager's state with permission, and the runs it has started.
  private struct Bench {
    var state = HubState(capabilities: .all, requestsImplicitly: true)
    var started: [RunStateMachine.RunID] = []

    init() { decide { $0.authorize(.changed(.authorizedWhenInUse), &$1) } }

    mutating func decide(_ body: (inout HubState, inout Effects) -> Void) {
      var effects = Effects()
      body(&state, &effects)
      if let run = effects.run { started.append(run) }
      effects.deliver(state.fanOut.gate)
      effects.perform()
    }
  }

  /// Removing a subscriber's demand is not a new request while another subscriber has demand.
  @Test(arguments: [nil, failure])
  func endedStreamsDoNotRestartAnEndedSource(_ failure: LocationError?) async throws {
    var bench = Bench()
    let (live, states) = (
      BoundedChannel<LocationUpdate>(.newest(8)), BoundedChannel<ConnectionState>(.newest(8))
    )
    let locations = BoundedChannel<Location>(.newest(8))
    bench.decide { $0.join(1, states, &$1) }
    bench.decide { $0.join(2, live, &$1) }
    bench.decide { $0.join(3, locations, UpdateOptions(), at: .zero, &$1) }
    bench.decide { _ = $0.beginRun(1, &$1) }
    bench.decide { state, effects in
      state.runEnded(1, failure.map { .failure($0) } ?? .success(()), &effects)
    }
    #expect(bench.started == [1])
    #expect(bench.state.statistics.backendRuns == 1)
    #expect(bench.state.statistics.subscribers == 1)
    bench.decide { $0.close(&$1) }
    var last: ConnectionState?
    while let state = try await states.next() { last = state }
    #expect(last?.phase == (failure == nil ? .idle : .failed))
    #expect(last?.problem == failure)
  }
}
