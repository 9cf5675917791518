import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import CombinedBackend

@Suite(.inTurn) struct CombinedStateMachineTests {
  typealias Action = CombinedStateMachine.Action

  /// Two running sources, and their runs.
  private struct Bench {
    var machine: CombinedStateMachine
    var runs: [RunStateMachine.RunID] = []

    init() {
      machine = CombinedStateMachine(
        [("a", .all), ("b", .all)], CombinedConfiguration(activation: .always),
        BackendDemand(kinds: .all), permitted: [0, 1], memory: SwitchMemory(sourceCount: 2),
        at: .zero)
      for case .start(_, let run, _) in machine.begin(at: .zero) { runs.append(run) }
    }

    mutating func receive(_ events: BackendEvent..., from source: Int) -> [Action] {
      machine.received(events, from: source, runs[source], at: .seconds(1))
    }

    mutating func fail(
      _ source: Int, _ code: LocationError.Code = .backendUnavailable
    ) -> [Action] {
      machine.ended(source, runs[source], LocationError(code, "Gone."), at: .seconds(2))
    }
  }

  private func location(_ second: Double) throws -> BackendEvent {
    .location(
      try Location(latitude: 50, longitude: 8, timestamp: CombinedBench.start + second))
  }

  private func emitted(_ actions: [Action]) -> [BackendEvent] {
    actions.compactMap { if case .emit(let emission) = $0 { emission.event } else { nil } }
  }

  private func withdrawn(_ actions: [Action]) -> [Int: LocationError.Code] {
    actions.reduce(into: [:]) { withdrawn, action in
      if case .withdraw(let source, let error) = action { withdrawn[source] = error.code }
    }
  }

  private func finishes(_ actions: [Action]) -> Bool {
    actions.contains { if case .finish = $0 { true } else { false } }
  }

  @Test func refusalBesideAFailureIsWithdrawn() throws {
    var bench = Bench()
    _ = bench.fail(0)
    let actions = bench.receive(try location(0), .authorization(.denied), from: 1)
    #expect(withdrawn(actions) == [1: .denied])
    #expect(!emitted(actions).contains(.authorization(.denied)))
    #expect(finishes(actions))
  }

  /// The connection has reported why, such as the group to join.
  @Test func refusalHasTheReasonOfTheConnection() {
    var bench = Bench()
    let problem = LocationError(.denied, "Join the group.", cause: CancellationError())
    let actions = bench.receive(
      .connection(ConnectionState(.failed, problem: problem)), .authorization(.denied), from: 0)
    let messages = actions.compactMap {
      if case .withdraw(_, let error) = $0 { error.message } else { nil }
    }
    #expect(messages == ["Join the group."])
  }

  @Test func refusalOfAllIsEmittedInstead() {
    var bench = Bench()
    #expect(withdrawn(bench.receive(.authorization(.denied), from: 0)) == [0: .denied])
    let actions = bench.receive(.authorization(.restricted), from: 1)
    #expect(withdrawn(actions) == [:])
    #expect(emitted(actions).contains(.authorization(.denied)))
    #expect(finishes(actions))
  }

  @Test(arguments: [
    (LocationError.Code.denied, true), (.restricted, true), (.backendUnavailable, false),
  ])
  func errorThatRefusesWithdraws(_ code: LocationError.Code, _ isRefusal: Bool) {
    var bench = Bench()
    #expect(withdrawn(bench.fail(0, code)) == (isRefusal ? [0: code] : [:]))
    // When all refuse, that is emitted instead.
    let actions = bench.fail(1, code)
    #expect(withdrawn(actions) == [:])
    #expect(
      emitted(actions).contains { if case .authorization = $0 { true } else { false } } == isRefusal
    )
    #expect(finishes(actions))
  }

  /// What was delivered before decides the order of nothing afterwards.
  @Test(arguments: [false, true]) func refusalOfAllIsForgotten(_ isRefused: Bool) throws {
    var bench = Bench()
    _ = bench.receive(try location(100), from: 0)
    for source in 0...1 {
      _ = isRefused ? bench.receive(.authorization(.denied), from: source) : bench.fail(source)
    }
    var order = bench.machine.memory.order
    guard case .location(let older) = try location(95) else { return }
    #expect(order.follows(older.timestampSeconds, from: 1, at: .seconds(3)) == isRefused)
  }

  @Test func anotherSourceProvidesTheKindsOfOneThatStopped() throws {
    var bench = Bench()
    let before = emitted(bench.receive(try location(0), from: 0))
    #expect(before.contains { $0.preferredReceiver == "a" })
    let heading = BackendEvent.heading(
      try Heading(trueHeading: 90, timestamp: CombinedBench.start, source: .compass))
    #expect(emitted(bench.receive(heading, from: 1)).compactMap(\.isPreferredHeading) == [false])
    let after = emitted(bench.fail(0))
    #expect(after.contains { if case .connection = $0 { true } else { false } })
    #expect(!after.contains { $0.preferredReceiver != nil })
    #expect(emitted(bench.receive(heading, from: 1)).compactMap(\.isPreferredHeading) == [true])
  }
}

extension BackendEvent {
  fileprivate var preferredReceiver: String? {
    if case .connection(let state) = self { state.preferredReceiver } else { nil }
  }

  fileprivate var isPreferredHeading: Bool? {
    if case .heading(let heading) = self { heading.sourceInformation?.isPreferred } else { nil }
  }
}
