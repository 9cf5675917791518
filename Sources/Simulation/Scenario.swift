import MockBackend

/// What a world can do wrong itself, to see whether that is noticed.
enum Flaw: Sendable {
  /// Subscribers see every element twice.
  case takesTwice
  /// The backend does not hear that it is to stop.
  case runsOn
  /// Callers are left waiting.
  case forgetsCallers
  /// Streams that were dropped are kept.
  case keepsStreams
}

/// A kind of world: what happens in it, how often.
public struct Scenario: Sendable {
  public let name: String
  let length: ClosedRange<Int>
  /// Each as often as it is listed.
  let menu: [Operation]
  let asksByItself: Bool
  /// What the policy answers at once; nil waits.
  let prompt: Operation.Decision?
  let initial: Operation.Decision?
  let isSlow: Bool
  /// Every how many places another thread comes in between; 0 never.
  let interludes: Int
  let limit: Int
  /// How many times at most another thread comes in between.
  let mostInterludes: Int
  /// Run in every order there is.
  let isExplored: Bool
  /// How often at most something else comes next than what has waited longest.
  let mostDeviations: Int
  let flaw: Flaw?
  /// The source is gpsd's backend, on a network that the world is.
  let hasNetwork: Bool
  /// How many operations come first, each when nothing else can happen.
  let prelude: Int

  init(
    _ name: String, length: ClosedRange<Int> = 10...22, asksByItself: Bool = true,
    prompt: Operation.Decision? = nil, initial: Operation.Decision? = nil, isSlow: Bool = false,
    interludes: Int = 24, mostInterludes: Int = .max, isExplored: Bool = false,
    mostDeviations: Int = .max, hasNetwork: Bool = false, flaw: Flaw? = nil,
    prelude: Int = 0,
    limit: Int = 3, _ menu: [(Int, [Operation])]
  ) {
    self.name = name
    self.length = length
    self.asksByItself = asksByItself
    (self.prompt, self.initial, self.isSlow) = (prompt, initial, isSlow)
    (self.interludes, self.limit) = (interludes, limit)
    (self.mostInterludes, self.isExplored, self.prelude) = (mostInterludes, isExplored, prelude)
    (self.mostDeviations, self.hasNetwork, self.flaw) = (mostDeviations, hasNetwork, flaw)
    self.menu = menu.flatMap { weight, operations in
      (0..<weight).flatMap { _ in operations }
    }
  }

  /// The same with something wrong in it.
  func with(_ flaw: Flaw) -> Self { Self(self, flaw) }

  private init(_ other: Self, _ flaw: Flaw) {
    (name, length, menu) = (other.name, other.length, other.menu)
    (asksByItself, prompt, initial) = (other.asksByItself, other.prompt, other.initial)
    (isSlow, interludes, limit) = (other.isSlow, other.interludes, other.limit)
    (mostInterludes, isExplored) = (other.mostInterludes, other.isExplored)
    (mostDeviations, hasNetwork, prelude) = (other.mostDeviations, other.hasNetwork, other.prelude)
    self.flaw = flaw
  }

  /// What happens in the world that a seed makes.
  func operations(seed: UInt64) -> [Operation] {
    var random = SplitMix64(seed: seed ^ 0xa5a5_5a5a_0f0f_f0f0)
    let count = length.lowerBound + random.below(length.count)
    return (0..<count).map { _ in
      switch menu[random.below(menu.count)] {
      case .open(let stream, _): .open(stream, isStuck: random.below(4) == 0)
      case .cancelReader: .cancelReader(random.below(8))
      case .dropStream: .dropStream(random.below(8))
      case .cancelCall: .cancelCall(random.below(8))
      case .endSession: .endSession(random.below(4))
      case let operation: operation
      }
    }
  }
}
