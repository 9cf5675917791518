/// The steps that a ``MockBackend`` plays during its runs.
///
/// ```swift
/// let script: MockScript = try [
///   .connection(ConnectionState(.connected)),
///   .location(latitude: 60.17, longitude: 24.94),
///   .wait(.seconds(1)),
///   .location(latitude: 60.18, longitude: 24.95),
///   .fail(LocationError(.connectionLost, "The mast fell over.")),
/// ]
/// ```
///
/// By default, each step is played once. A script pauses between runs: the next run continues where
/// the last one stopped, with the rest of an interrupted wait. If ``restartsWithEachRun`` is true,
/// it begins again instead. After the last step a run continues until it is cancelled, so that the
/// test can call ``MockBackend/emit(_:)-(BackendEvent...)``, `fail` and `end`.
public struct MockScript: Sendable, Hashable, ExpressibleByArrayLiteral {
  /// The steps, in order.
  public var steps: [MockStep]
  /// True when every run plays the script from its first step.
  public var restartsWithEachRun: Bool

  /// Creates a script.
  public init(_ steps: [MockStep], restartsWithEachRun: Bool = false) {
    self.steps = steps
    self.restartsWithEachRun = restartsWithEachRun
  }

  public init(arrayLiteral elements: MockStep...) { self.init(elements) }

  /// The first step that needs a clock.
  var firstWait: (index: Int, duration: Duration)? {
    for (index, step) in steps.enumerated() {
      if case .wait(let duration) = step.kind, duration > .zero { return (index, duration) }
    }
    return nil
  }

  /// The number of times that each checkpoint can be passed.
  var checkpointLimits: [String: Int] {
    var limits: [String: Int] = [:]
    for step in steps {
      guard case .checkpoint(let name) = step.kind else { continue }
      limits[name] = restartsWithEachRun ? .max : limits[name, default: 0] + 1
    }
    return limits
  }
}
