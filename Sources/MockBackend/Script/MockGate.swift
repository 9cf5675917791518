/// A gate in a script that a test opens once.
///
/// ```swift
/// let gate = MockGate()
/// let backend = try MockBackend(script: [.wait(for: gate), .checkpoint("through")])
/// let run = Task { try await backend.run(BackendDemand(kinds: .locations)) { _ in } }
/// gate.open()
/// try await backend.waitForCheckpoint("through")
/// run.cancel()
/// ```
public final class MockGate: Sendable, Hashable {
  private let opened = Promise<Void>()

  /// Creates a gate that is shut.
  public init() {}

  /// True from the first ``open()`` on.
  public var isOpen: Bool { opened.isFulfilled }

  /// Lets all who wait through, and all who come later.
  public func open() { opened.fulfill(()) }

  /// Returns when the gate is open, or when the calling task is cancelled.
  public func wait() async { _ = await opened.value() }

  /// Gates are equal when they are one.
  public static func == (left: MockGate, right: MockGate) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
