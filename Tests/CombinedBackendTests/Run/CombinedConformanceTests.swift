import AsyncLocation
import CombinedBackend
import FoundationEssentials
import MockBackend
import TestSupport
import Testing

@Suite(.inTurn)
struct CombinedConformanceTests {
  /// Each source in turn produces the locations.
  @Test(arguments: [1, 2, 3], CombinedConfiguration.Activation.allCases)
  func keepsTheProtocol(_ count: Int, _ activation: CombinedConfiguration.Activation) async throws {
    let number = Locked(0)
    let conformance = BackendConformance {
      let bench = try CombinedBench(count, .init(activation: activation))
      return BackendConformance.Subject(bench.backend) { listeners in
        let number = number.withLock { number in
          number += 1
          return number
        }
        let source = activation == .always ? number % count : 0
        if listeners > 0 { await bench.mocks[source].waitUntilRunning() }
        bench.tick()
        // The device of a source that is not in force is selected by name alone.
        try bench.emit(bench.fix(Double(number)), from: source)
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }

  @Test func failingSourceDoesNotBreakTheProtocol() async throws {
    let conformance = BackendConformance {
      let clock = ManualClock()
      let mock = MockBackend()
      let backend = try CombinedBackend(
        [
          .init(
            "broken",
            ClosureBackend { _, _ in throw LocationError(.unsupported, "It is not installed.") }),
          .init("mock", mock),
        ], clock: clock)
      let number = Locked(0)
      return BackendConformance.Subject(backend) { listeners in
        if listeners > 0 { await mock.waitUntilRunning() }
        let seconds = number.withLock { number in
          number += 1
          return Double(number)
        }
        try mock.emit(
          .location(
            try Location(
              coordinate: CombinedBench.place(seconds), timestamp: CombinedBench.start + seconds)))
      }
    }
    for violation in try await conformance.violations() { Issue.record("\(violation)") }
  }
}
