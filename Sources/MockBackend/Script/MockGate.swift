/// A gate at which a script waits until the test opens it.
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

  /// Creates a closed gate.
  public init() {}

  /// True after the first call of ``open()``.
  public var isOpen: Bool { opened.isFulfilled }

  /// Opens the gate: current and later waits return.
  public func open() { opened.fulfill(()) }

  /// Waits until the gate is open, or until the calling task is cancelled.
  public func wait() async { _ = await opened.value() }

  /// Gates are equal when they are identical.
  public static func == (left: MockGate, right: MockGate) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
