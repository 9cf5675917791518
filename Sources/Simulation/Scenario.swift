import MockBackend

/// A deliberate defect of a world, to test that the checks detect it.
enum Flaw: Sendable {
  /// Subscribers receive every element twice.
  case receivesTwice
  /// The backend ignores cancellation.
  case ignoresCancellation
  /// Callers are never resumed.
  case leavesCallersWaiting
  /// Dropped streams are retained.
  case retainsStreams
}

/// The configuration of a simulated world: which operations occur and how often.
public struct Scenario: Sendable {
  public let name: String
  /// The range of the number of random operations.
  let length: ClosedRange<Int>
  /// The operations to choose from; an operation listed more often is more likely.
  let menu: [Operation]
  let requestsImplicitly: Bool
  /// The policy's immediate answer; nil waits for an operation.
  let prompt: Operation.Decision?
  /// The decision that the policy reports first; nil for none.
  let initial: Operation.Decision?
  /// Whether runs of the backend may start and end slowly.
  let isSlow: Bool
  /// A preemption (another thread runs) occurs once in this number of places on average; 0 for
  /// never.
  let preemptions: Int
  /// The buffer limit of streams, and the limit of a monitor's events.
  let limit: Int
  /// The maximum number of preemptions.
  let maximumPreemptions: Int
  /// Whether all orders are explored.
  let isExplored: Bool
  /// The maximum number of times that something other than the oldest ready item runs next.
  let maximumDeviations: Int
  let flaw: Flaw?
  /// Whether the source is `GPSDBackend` on a simulated network.
  let hasNetwork: Bool
  /// Whether the world is a monitor with its storage, in processes that may be killed.
  let hasMonitor: Bool
  /// The first operations of each schedule.
  let opening: [Operation]
  /// The number of initial operations; each runs when nothing else can run.
  let prelude: Int

  init(
    _ name: String, length: ClosedRange<Int> = 10...22, requestsImplicitly: Bool = true,
    prompt: Operation.Decision? = nil, initial: Operation.Decision? = nil, isSlow: Bool = false,
    preemptions: Int = 24, maximumPreemptions: Int = .max, isExplored: Bool = false,
    maximumDeviations: Int = .max, hasNetwork: Bool = false, hasMonitor: Bool = false,
    opening: [Operation] = [], flaw: Flaw? = nil,
    prelude: Int = 0,
    limit: Int = 3, _ menu: [(Int, [Operation])]
  ) {
    self.name = name
    (self.hasMonitor, self.opening) = (hasMonitor, opening)
    self.length = length
    self.requestsImplicitly = requestsImplicitly
    (self.prompt, self.initial, self.isSlow) = (prompt, initial, isSlow)
    (self.preemptions, self.limit) = (preemptions, limit)
    (self.maximumPreemptions, self.isExplored) = (maximumPreemptions, isExplored)
    self.prelude = prelude + opening.count
    (self.maximumDeviations, self.hasNetwork, self.flaw) = (maximumDeviations, hasNetwork, flaw)
    self.menu = menu.flatMap { weight, operations in
      (0..<weight).flatMap { _ in operations }
    }
  }

  /// The same scenario with a flaw.
  func with(_ flaw: Flaw) -> Self { Self(self, flaw) }

  private init(_ other: Self, _ flaw: Flaw) {
    (hasMonitor, opening) = (other.hasMonitor, other.opening)
    (name, length, menu) = (other.name, other.length, other.menu)
    (requestsImplicitly, prompt, initial) = (other.requestsImplicitly, other.prompt, other.initial)
    (isSlow, preemptions, limit) = (other.isSlow, other.preemptions, other.limit)
    (maximumPreemptions, isExplored) = (other.maximumPreemptions, other.isExplored)
    (maximumDeviations, hasNetwork, prelude) = (
      other.maximumDeviations, other.hasNetwork, other.prelude
    )
    self.flaw = flaw
  }

  /// The operations generated from a seed.
  func operations(seed: UInt64) -> [Operation] {
    var random = SplitMix64(seed: seed ^ 0xa5a5_5a5a_0f0f_f0f0)
    let count = length.lowerBound + random.below(length.count)
    return opening
      + (0..<count).map { _ in
        switch menu[random.below(menu.count)] {
        case .open(let stream, _): .open(stream, isUnread: random.below(4) == 0)
        case .cancelReader: .cancelReader(random.below(8))
        case .dropStream: .dropStream(random.below(8))
        case .cancelCall: .cancelCall(random.below(8))
        case .endSession: .endSession(random.below(4))
        case .monitor(let operation): .monitor(operation.varied(&random))
        case let operation: operation
        }
      }
  }
}
