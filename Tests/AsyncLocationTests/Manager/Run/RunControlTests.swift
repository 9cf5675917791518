import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct RunControlTests {
  /// Applies a change to the control and records its effects.
  private struct Bench {
    var control = RunControl()
    var started: [RunControl.RunID] = []
    var cancelled: [Task<Void, Never>] = []

    @discardableResult
    mutating func decide<Value>(_ body: (inout RunControl, inout Effects) -> Value) -> Value {
      var effects = Effects()
      let value = body(&control, &effects)
      if let run = effects.run { started.append(run) }
      cancelled += effects.cancelled
      effects.perform()
      return value
    }
  }

  private static let locations = BackendDemand(kinds: .locations)
  private static let headings = BackendDemand(kinds: .headings)
  private static let both = BackendDemand(kinds: [.locations, .headings])

  @Test func runsWhileThereAreDemandAndPermission() {
    var bench = Bench()
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    #expect(bench.started == [])
    bench.decide { $0.permit(true, &$1) }
    #expect(bench.started == [1])
    bench.decide { $0.hold(Self.headings, holder: 2, &$1) }
    bench.decide { $0.release([1], &$1) }
    #expect(bench.control.isCurrent(1))
    bench.decide { $0.release([2], &$1) }
    #expect(!bench.control.isCurrent(1))
    #expect(bench.started == [1])
  }

  @Test func permissionWithoutDemandStartsNothing() {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    #expect(bench.started == [])
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    #expect(bench.started == [1])
    #expect(bench.control.runs == 1)
  }

  @Test func revocationCancelsTheRun() {
    var bench = Bench()
    let task = Task<Void, Never> {}
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    bench.decide { $0.setTask(task, of: 1, &$1) }
    #expect(bench.cancelled.isEmpty)
    bench.decide { $0.permit(false, &$1) }
    #expect(bench.cancelled == [task])
    #expect(bench.decide { $0.ended(1, &$1) } == false)
    bench.decide { $0.permit(true, &$1) }
    #expect(bench.started == [1, 2])
    #expect(bench.cancelled == [task])
  }

  @Test func aRunStoppedBeforeItsTaskIsStoredIsCancelled() {
    var bench = Bench()
    let task = Task<Void, Never> {}
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    bench.decide { $0.release([1], &$1) }
    bench.decide { $0.setTask(task, of: 1, &$1) }
    #expect(bench.cancelled == [task])
    #expect(bench.decide { control, _ in control.begin(1) == nil })
  }

  @Test func taskOfEndedRunIsNotKept() {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    #expect(bench.decide { $0.ended(1, &$1) } == true)
    bench.decide { $0.setTask(Task {}, of: 1, &$1) }
    bench.decide { $0.hold(Self.headings, holder: 2, &$1) }
    #expect(bench.started == [1, 2])
    bench.decide { $0.permit(false, &$1) }
    #expect(bench.cancelled.isEmpty)
  }

  @Test func aDemandDuringAStopStartsAnotherRun() {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    bench.decide { $0.release([1], &$1) }
    bench.decide { $0.hold(Self.headings, holder: 2, &$1) }
    #expect(bench.started == [1])
    #expect(bench.decide { $0.ended(1, &$1) } == false)
    #expect(bench.started == [1, 2])
    #expect(bench.decide { control, _ in control.begin(2)?.0 } == Self.headings)
  }

  // MARK: Demand

  @Test func runBeginsWithTheCurrentDemand() {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    bench.decide { $0.hold(Self.headings, holder: 2, &$1) }
    #expect(bench.decide { control, _ in control.begin(1)?.0 } == Self.both)
    #expect(bench.decide { control, _ in control.begin(2) == nil })
  }

  @Test func onlyTheNewestDemandIsApplied() async throws {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    let changes = try #require(bench.decide { control, _ in control.begin(1) }).1
    bench.decide { $0.hold(Self.locations, holder: 2, &$1) }
    bench.decide { $0.hold(Self.headings, holder: 3, &$1) }
    #expect(try await changes.next() == Self.both)
    bench.decide { $0.release([1], &$1) }  // Another holder has the same demand.
    bench.decide { $0.release([2], &$1) }
    bench.decide { $0.hold(Self.locations, holder: 4, &$1) }
    bench.decide { $0.release([3], &$1) }
    #expect(try await changes.next() == Self.locations)
    var wakes = Wakes()
    changes.finish(waking: &wakes)
    #expect(try await changes.next() == nil)
  }

  @Test func anUnchangedDemandIsNotApplied() async throws {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.both, holder: 1, &$1) }
    let changes = try #require(bench.decide { control, _ in control.begin(1) }).1
    bench.decide { $0.hold(Self.both, holder: 2, &$1) }
    bench.decide { $0.hold(Self.headings, holder: 3, &$1) }
    bench.decide { $0.release([1, 3], &$1) }
    var wakes = Wakes()
    changes.finish(waking: &wakes)
    #expect(try await changes.next() == nil)
  }

  @Test func aStoppedRunGetsNoFurtherDemand() async throws {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    let changes = try #require(bench.decide { control, _ in control.begin(1) }).1
    bench.decide { $0.permit(false, &$1) }
    bench.decide { $0.hold(Self.headings, holder: 2, &$1) }
    var wakes = Wakes()
    changes.finish(waking: &wakes)
    #expect(try await changes.next() == nil)
  }

  // MARK: Idle

  @Test func waitersResumeWhenNoRunIsLeft() async {
    var bench = Bench()
    bench.decide { $0.permit(true, &$1) }
    bench.decide { $0.hold(Self.locations, holder: 1, &$1) }
    bench.decide { $0.release([1], &$1) }
    bench.decide { $0.hold(Self.locations, holder: 2, &$1) }
    await withCheckedContinuation { waiter in
      #expect(bench.decide { control, _ in control.waitUntilIdle(waiter) } == false)
      var effects = Effects()
      #expect(bench.control.ended(1, &effects) == false)
      #expect(effects.waiters.isEmpty)  // The next run has begun.
      bench.decide { $0.release([2], &$1) }
      #expect(bench.decide { $0.ended(2, &$1) } == false)
    }
    #expect(bench.control.runs == 2)
  }

  @Test func waitingWhileIdleReturnsAtOnce() async {
    var bench = Bench()
    await withCheckedContinuation { waiter in
      #expect(bench.decide { control, _ in control.waitUntilIdle(waiter) })
      waiter.resume()
    }
  }
}
