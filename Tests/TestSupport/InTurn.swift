package import Testing

/// Lets a few tests run at a time, and has ``PoolWatch`` measure the cooperative pool meanwhile.
package struct InTurn: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal private static var hasTurn = false

  package var isRecursive: Bool { true }

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    // A nested suite has the trait twice.
    guard !Self.hasTurn else { return try await function() }
    await TestTurns.shared.begin()
    defer { TestTurns.shared.end() }
    let run = PoolWatch.shared.begin("\(test.id)")
    defer { PoolWatch.shared.end(run) }
    try await Self.$hasTurn.withValue(true) { try await function() }
  }
}

extension Trait where Self == InTurn {
  /// Every suite has it; `Tests/Scripts/check-suites` finds those without.
  package static var inTurn: Self { InTurn() }
}
