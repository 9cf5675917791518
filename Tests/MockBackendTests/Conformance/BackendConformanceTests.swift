import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct BackendConformanceTests {
  /// The example of the documentation.
  @Test func mockBackendKeepsTheProtocol() async throws {
    let number = Locked(0)
    @Sendable func nextLocation() throws -> Location {
      try location(
        number.withLock { number in
          number += 1
          return number
        })
    }
    let conformance = BackendConformance {
      let backend = MockBackend()
      return BackendConformance.Subject(backend) { listeners in
        if listeners > 0 { await backend.waitUntilRunning() }
        try backend.emit(.location(nextLocation()))
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }

  @Test func replayKeepsTheProtocol() async throws {
    let conformance = BackendConformance {
      let clock = ManualClock()
      let track = TimedEvent.track(try (0..<4).map(location))
      let backend = try MockBackend.replay(track, repetition: .forever, clock: clock)
      return BackendConformance.Subject(backend) { listeners in
        if listeners > 0 { await clock.step() }
      }
    }
    #expect(try await conformance.violations() == [])
  }

  /// The check's timeout uses a manual clock. A defect that hangs advances it, so that the timeout
  /// expires at once.
  @Test(arguments: BrokenBackend.Defect.allCases)
  func eachDefectIsDetected(_ defect: BrokenBackend.Defect) async throws {
    let clock = ManualClock()
    let release = Promise<Void>()
    let current = Locked<BrokenBackend?>(nil)
    var conformance = BackendConformance(clock: clock, limit: BrokenBackend.limit) {
      let backend = BrokenBackend(defect, clock: clock, release: release)
      current.withLock { $0 = backend }
      return BackendConformance.Subject(backend) { await backend.produceLocation($0) }
    }
    conformance.duringEmission = { current.withLock { $0 }?.emissionIsUnderWay() }
    let violations = try await conformance.violations()
    release.fulfill(())
    #expect(Set(violations.map(\.rule)) == defect.expected, "\(violations)")
    #expect(Set(violations).count == violations.count)
  }

  /// Every rule has a backend that violates it.
  @Test func everyRuleIsTested() {
    let broken = BrokenBackend.Defect.allCases.reduce(into: Set()) { $0.formUnion($1.expected) }
    #expect(broken == Set(BackendViolation.Rule.allCases))
  }

  @Test func aCancelledCheckThrows() async {
    let gate = MockGate()
    let check = Task {
      await gate.wait()
      return try await BackendConformance {
        BackendConformance.Subject(MockBackend()) { _ in }
      }.violations()
    }
    check.cancel()
    await #expect(throws: CancellationError.self) { try await check.value }
  }

  @Test func throwingSourceIsReported() async throws {
    let clock = ManualClock()
    let conformance = BackendConformance(clock: clock, limit: BrokenBackend.limit) {
      BackendConformance.Subject(MockBackend()) { _ in
        clock.advance(by: BrokenBackend.limit)
        throw breakdown
      }
    }
    let violations = try await conformance.violations()
    let reasons = violations.filter { $0.rule == .producesLocations }.map(\.message)
    #expect(reasons.contains { $0.contains(breakdown.message) }, "\(violations)")
  }

  @Test func errorsOfTheFactoryAreThrown() async {
    let conformance = BackendConformance { throw breakdown }
    await #expect(throws: breakdown) { try await conformance.violations() }
  }

  @Test func violationsHaveDescriptions() {
    let violation = BackendViolation(.runsAgain, "It does not.")
    #expect("\(violation)" == "runsAgain: It does not.")
  }
}
