package import Testing

/// Limits the number of concurrent tests, and has ``PoolWatch`` and ``HangWatch`` watch them.
package struct InTurn: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal private static var hasTurn = false

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    // A test of a nested suite has the trait twice.
    guard !Self.hasTurn else { return try await function() }
    await TestTurns.shared.begin()
    defer { TestTurns.shared.end() }
    let run = RunningTests.shared.begin("\(test.id)")
    defer { RunningTests.shared.end(run) }
    PoolWatch.begin
    HangWatch.begin
    try await Self.$hasTurn.withValue(true) { try await function() }
  }
}

extension Trait where Self == InTurn {
  /// Every suite has this trait; `Tests/Scripts/check-suites` finds suites without it.
  package static var inTurn: Self { InTurn() }
}
