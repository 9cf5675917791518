import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct ActivityStateTests {
  /// A call of ``ActivityState``. An `Int` is the number of a task.
  enum Event: Hashable, Sendable {
    case begin, end
    case opened(ActivityState.StreamID, LocationManager.Endpoint)
    case ended(ActivityState.StreamID)
    case closed(ActivityState.StreamID)
    case reads(Int, ActivityState.StreamID)
    case didReadEnd(Int, ActivityState.StreamID)
    case waits(Int)
    case wakes(Int)
  }

  struct Scenario: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// Each event, and the busy streams after it; nil while other work is in progress.
    let steps: [(Event, busy: [LocationManager.Endpoint]?)]
  }

  static let scenarios = [
    Scenario(
      testDescription: "work is counted",
      steps: [(.begin, nil), (.begin, nil), (.end, nil), (.end, [])]),
    Scenario(
      testDescription: "a stream counts from its first read",
      steps: [
        (.opened(1, .updates), []), (.reads(7, 1), [.updates]), (.waits(7), []),
        (.wakes(7), [.updates]), (.waits(7), []),
      ]),
    Scenario(
      testDescription: "every reader of a stream must wait",
      steps: [
        (.opened(1, .updates), []), (.reads(7, 1), [.updates]), (.waits(7), []),
        (.reads(8, 1), [.updates]), (.waits(8), []), (.wakes(7), [.updates]),
      ]),
    Scenario(
      testDescription: "a task that waits elsewhere is at rest for all its streams",
      steps: [
        (.opened(1, .updates), []), (.opened(2, .headings), []), (.reads(7, 1), [.updates]),
        (.reads(7, 2), [.headings, .updates]), (.waits(7), []), (.wakes(7), [.headings, .updates]),
      ]),
    Scenario(
      testDescription: "waits are counted",
      steps: [
        (.opened(1, .updates), []), (.waits(7), []), (.waits(7), []), (.reads(7, 1), []),
        (.wakes(7), []), (.wakes(7), [.updates]),
      ]),
    Scenario(
      testDescription: "an end that was seen and a closed stream are at rest",
      steps: [
        (.opened(1, .updates), []), (.reads(7, 1), [.updates]), (.ended(1), [.updates]),
        (.didReadEnd(7, 1), []),
        (.reads(7, 1), [.updates]), (.closed(1), []), (.reads(7, 1), []),
      ]),
  ]

  @Test(arguments: scenarios)
  func followsTheScenario(_ scenario: Scenario) {
    var state = ActivityState()
    for (event, busy) in scenario.steps {
      switch event {
      case .begin: state.begin()
      case .end: state.end()
      case .opened(let id, let endpoint): state.opened(id, endpoint)
      case .ended(let id): state.ended(id)
      case .closed(let id): state.closed(id)
      case .reads(let task, let id): state.reads(TaskIdentity(task), from: id)
      case .didReadEnd(let task, let id): state.didReadEnd(TaskIdentity(task), of: id)
      case .waits(let task): state.waits(TaskIdentity(task))
      case .wakes(let task): state.wakes(TaskIdentity(task))
      }
      #expect(state.hasWork == (busy == nil), "after \(event)")
      #expect(state.busyStreams == busy ?? [], "after \(event)")
      #expect(state.isAtRest == (busy == []), "after \(event)")
    }
  }

  @Test func callsReadersAndBufferedElementsAreCounted() {
    var state = ActivityState()
    state.callBegan(.currentLocation)
    state.callBegan(.currentLocation)
    state.callEnded(.currentLocation)
    #expect(state.calls == [.currentLocation: 1])
    state.callEnded(.currentLocation)
    #expect(state.calls == [:])
    for id in [1, 2] as [ActivityState.StreamID] {
      state.opened(id, .updates)
      state.reads(TaskIdentity(Int(id)), from: id)
      state.buffers(3, in: id)
    }
    #expect(state.readers(of: .updates) == 2)
    #expect(state.readers(of: .headings) == 0)
    #expect(state.streams.values.map(\.buffered) == [3, 3])
  }
}
