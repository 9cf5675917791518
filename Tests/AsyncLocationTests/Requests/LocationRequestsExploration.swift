import TestSupport
import Testing

@testable import AsyncLocation

/// Every sequence of events of two callers up to a length, compared with a model.
@Suite(.inTurn) struct LocationRequestsExploration {
  static let length = 5
  private static let good = Sample.location(1, accuracy: 5)
  private static let poor = Sample.location(2, accuracy: 80)
  private static let problem = LocationError(.connectionLost, "Lost.")

  private enum Event: CaseIterable {
    case openFirst, openSecond, good, poor, withdrawn, deadlineFirst, cancelFirst, ended
  }

  private struct World {
    var requests = LocationRequests()
    var open: Set<UInt64> = []
    var opened: Set<UInt64> = []
    var history: [Event] = []

    /// Handles an event and returns the problems. Callers have no continuation, so none is resumed.
    mutating func handle(_ event: Event) -> [String] {
      history.append(event)
      var resumptions: [LocationRequests.Call.Resumption] = []
      var (answered, expected) = (Set<UInt64>(), Set<UInt64>())
      func answer(_ id: UInt64, _ isAnswered: Bool) { if isAnswered { answered.insert(id) } }
      switch event {
      case .openFirst, .openSecond:
        let id: UInt64 = event == .openFirst ? 1 : 2
        guard opened.insert(id).inserted else { return [] }
        requests.open(id, OneShotStateMachine(accuracy: .nearestTenMeters, timeout: .seconds(1)))
        open.insert(id)
      case .good:
        expected = open
        answered = Set(
          requests.handle(.located(LocationRequestsExploration.good), resuming: &resumptions))
      case .poor:
        answered = Set(
          requests.handle(.located(LocationRequestsExploration.poor), resuming: &resumptions))
      case .withdrawn:
        answered = Set(requests.handle(.withdrawn, resuming: &resumptions))
      case .deadlineFirst:
        expected = open.intersection([1])
        answer(1, requests.handle(1, .deadlinePassed(nil), resuming: &resumptions))
      case .cancelFirst:
        expected = open.intersection([1])
        answer(1, requests.cancel(1, resuming: &resumptions))
      case .ended:
        expected = open
        answered = Set(
          requests.handle(.ended(LocationRequestsExploration.problem), resuming: &resumptions))
      }
      open.subtract(expected)
      return (answered == expected ? [] : ["answered \(answered): \(history)"])
        + (requests.openCalls == open.count ? [] : ["\(requests.openCalls) open: \(history)"])
        + (resumptions.isEmpty ? [] : ["resumed whom it does not have: \(history)"])
    }
  }

  @Test func everyCallerIsAnsweredOnceInEverySequence() async {
    let (sequences, problems) = await withTaskExecutorPreference(LongWork.shared) {
      var (sequences, problems) = (0, [String]())
      func explore(_ world: World, _ length: Int) {
        guard length > 0, problems.count < 5 else { return }
        for event in Event.allCases {
          sequences += 1
          var next = world
          problems += next.handle(event)
          explore(next, length - 1)
        }
      }
      explore(World(), Self.length)
      return (sequences, problems)
    }
    let events = Event.allCases.count
    #expect(problems.isEmpty, "\(problems)")
    #expect(
      sequences == (1...Self.length).reduce(0) { $0 + (0..<$1).reduce(1) { n, _ in n * events } })
    print("One-shot requests: \(sequences) sequences of 1 to \(Self.length) events, none wrong")
  }

  /// The result of one caller in every sequence: the first good fix, else at the deadline the best
  /// of the poor ones since the last withdrawal, else an error.
  @Test func theBestLocationIsReturnedInEverySequence() {
    let events: [OneShotStateMachine.Event] = [
      .located(Self.good), .located(Self.poor), .located(Sample.location(3, accuracy: 90)),
      .located(Self.poor, accuracyCounts: false), .withdrawn, .deadlinePassed(nil),
      .ended(Self.problem),
    ]
    var (sequences, problems) = (0, [String]())
    func explore(_ machine: OneShotStateMachine, _ best: Location?, _ length: Int) {
      guard length > 0, problems.count < 5 else { return }
      for event in events {
        sequences += 1
        var (next, best) = (machine, best)
        let action = next.handle(event)
        var expected = OneShotStateMachine.Action.none
        var isFailure = false
        switch event {
        case .located(let location, let accuracyCounts):
          let accuracy = location.horizontalAccuracy ?? .infinity
          if accuracy <= 10 || !accuracyCounts { expected = .answer(location) }
          if accuracy <= best?.horizontalAccuracy ?? .infinity { best = location }
        case .withdrawn: best = nil
        case .deadlinePassed:
          if let best { expected = .answer(best) } else { isFailure = true }
        case .ended(let error): expected = .fail(error)
        }
        if isFailure, case .fail(let error) = action, error.code == .timedOut {
          continue
        } else if action != expected {
          problems.append("\(event): \(action) instead of \(expected)")
        }
        if action == .none { explore(next, best, length - 1) }  // Otherwise it has ended.
      }
    }
    explore(
      OneShotStateMachine(accuracy: .nearestTenMeters, timeout: .seconds(1)), nil, Self.length + 2)
    #expect(problems.isEmpty, "\(problems)")
    #expect(sequences > 7_000)
    print("One-shot: \(sequences) sequences, none wrong")
  }
}
