/// One thing that the world around a manager does. Indices are taken modulo what there is, so that a
/// schedule from which some were taken out still means something.
public enum Operation: Hashable, Sendable {
  public enum Stream: UInt8, Hashable, Sendable, CaseIterable {
    case updates, options, distant, seldom, elsewhere, batched, live, headings, satellites
    case connections, authorizations, diagnostics
  }
  public enum Call: UInt8, Hashable, Sendable, CaseIterable {
    case location, quickLocation, knownLocation, whenInUse, always, fullAccuracy, otherAccuracy
  }
  public enum Events: UInt8, Hashable, Sendable, CaseIterable {
    case fix, fixes, flood, repeated, backlog, heading, satellites, unavailable
    case connected, waiting, refusal, refusalAmidst, consent, late
  }
  public enum Decision: UInt8, Hashable, Sendable, CaseIterable {
    case whenInUse, always, once, provisional, denied, restricted, undetermined, reduced
  }

  /// Opens a stream; a reader takes from it unless it is stuck.
  case open(Stream, isStuck: Bool)
  case cancelReader(Int)
  /// Drops a stream, or gives a loop up after the next element.
  case dropStream(Int)
  case call(Call)
  case cancelCall(Int)
  case emit(Events)
  case decide(Decision)
  case answer(Decision)
  case answerAccuracy(seconds: Int)
  case services(Bool)
  case use(Bool)
  case openSession(always: Bool, purpose: Bool)
  case endSession(Int)
  case finishRun
  case failRun
  case advance(seconds: Int)
  case shutdown
  case dropManager
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

  init(
    _ name: String, length: ClosedRange<Int> = 10...22, asksByItself: Bool = true,
    prompt: Operation.Decision? = nil, initial: Operation.Decision? = nil, isSlow: Bool = false,
    interludes: Int = 24, limit: Int = 3, _ menu: [(Int, [Operation])]
  ) {
    self.name = name
    self.length = length
    self.asksByItself = asksByItself
    (self.prompt, self.initial, self.isSlow) = (prompt, initial, isSlow)
    (self.interludes, self.limit) = (interludes, limit)
    self.menu = menu.flatMap { weight, operations in
      (0..<weight).flatMap { _ in operations }
    }
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

extension Scenario {
  private static let streams: [Operation] = Operation.Stream.allCases.map {
    .open($0, isStuck: false)
  }
  private static let leaving: [Operation] = [.cancelReader(0), .dropStream(0)]
  private static let reports: [Operation] = [
    .emit(.fix), .emit(.fixes), .emit(.heading), .emit(.satellites),
  ]
  private static let everyDecision: [Operation] = Operation.Decision.allCases.map { .decide($0) }
  private static let everyAnswer: [Operation] = Operation.Decision.allCases.map { .answer($0) }
  private static let grants: [Operation] = [
    .answer(.whenInUse), .answer(.always), .answer(.once), .answer(.provisional),
  ]

  /// Every scenario, in the order in which schedules take turns.
  public static let all: [Scenario] = [
    Scenario(
      "streams", prompt: .whenInUse, isSlow: true,
      [(2, streams), (4, leaving), (3, reports), (1, [.emit(.flood), .advance(seconds: 1)])]),
    Scenario(
      "accounting", length: 12...24, initial: .always, interludes: 0,
      [
        (8, [.open(.updates, isStuck: false)]), (3, [.open(.seldom, isStuck: false)]),
        (2, leaving), (4, [.emit(.fix), .emit(.fixes)]), (5, [.emit(.flood)]),
        (1, [.advance(seconds: 1)]),
      ]),
    Scenario(
      "calls", isSlow: true,
      [
        (2, Operation.Call.allCases.map { .call($0) }), (5, [.cancelCall(0)]), (2, grants),
        (1, everyAnswer), (3, [.emit(.fix), .emit(.fixes)]),
        (2, [.advance(seconds: 3), .emit(.unavailable)]), (1, [.finishRun, .failRun]),
      ]),
    Scenario(
      "permission", asksByItself: true,
      [
        (1, streams), (1, leaving), (3, reports), (1, everyDecision), (1, everyAnswer), (2, grants),
        (1, [.services(false), .services(true), .services(true), .use(false), .use(true)]),
        (2, [.call(.whenInUse), .call(.always), .call(.location), .cancelCall(0)]),
        (1, [.emit(.refusal), .emit(.refusalAmidst), .emit(.consent)]),
      ]),
    Scenario(
      "explicit", asksByItself: false,
      [
        (1, streams), (2, leaving), (3, reports), (1, grants), (1, everyAnswer),
        (2, [.call(.whenInUse), .call(.always), .call(.location), .cancelCall(0)]),
        (2, [.openSession(always: false, purpose: false), .endSession(0)]),
      ]),
    Scenario(
      "once", isSlow: true,
      [
        (4, [.answer(.once)]), (1, streams), (4, leaving), (1, reports),
        (2, [.openSession(always: false, purpose: false), .endSession(0), .use(false), .use(true)]),
        (3, [.call(.location), .cancelCall(0), .call(.always)]),
      ]),
    Scenario(
      "accuracy",
      [
        (4, [.decide(.reduced)]), (1, [.decide(.always), .decide(.denied), .decide(.undetermined)]),
        (3, [.call(.fullAccuracy), .call(.otherAccuracy), .cancelCall(0)]),
        (3, [.answerAccuracy(seconds: 5), .answerAccuracy(seconds: 0)]),
        (2, [.advance(seconds: 3), .openSession(always: true, purpose: true), .endSession(0)]),
        (1, streams), (2, [.call(.location), .call(.knownLocation)]), (2, reports),
      ]),
    Scenario(
      "sessions",
      [
        (3, [.openSession(always: false, purpose: false), .openSession(always: true, purpose: false)]),
        (2, [.openSession(always: true, purpose: true)]), (5, [.endSession(0)]),
        (4, [.open(.diagnostics, isStuck: false)]), (2, leaving), (1, everyDecision),
        (2, everyAnswer), (1, reports), (2, [.answerAccuracy(seconds: 4), .advance(seconds: 2)]),
      ]),
    Scenario(
      "backend", prompt: .always, isSlow: true,
      [
        (1, streams), (2, leaving), (2, reports), (3, [.finishRun, .failRun]),
        (2, [.emit(.connected), .emit(.waiting), .emit(.unavailable), .emit(.late)]),
        (2, [.emit(.backlog), .emit(.repeated)]), (1, [.emit(.flood), .emit(.refusal)]),
        (2, [.call(.location), .advance(seconds: 2)]),
      ]),
    Scenario(
      "reconnection", prompt: .whenInUse,
      [
        (3, [.open(.updates, isStuck: false), .open(.batched, isStuck: false)]),
        (2, [.open(.live, isStuck: false), .open(.connections, isStuck: true)]), (1, leaving),
        (4, [.emit(.fixes), .emit(.backlog), .emit(.repeated)]),
        (3, [.emit(.connected), .emit(.waiting)]), (2, [.emit(.heading), .advance(seconds: 1)]),
      ]),
    Scenario(
      "end", prompt: .whenInUse, isSlow: true,
      [
        (2, streams), (2, leaving), (3, reports), (3, [.shutdown, .dropManager]),
        (3, [.call(.location), .call(.always), .cancelCall(0)]), (1, [.finishRun, .failRun]),
        (1, everyDecision), (1, [.openSession(always: false, purpose: false), .endSession(0)]),
        (2, [.emit(.late)]),
      ]),
    Scenario(
      "everything", length: 14...30, isSlow: true,
      [
        (1, streams), (2, leaving), (2, reports), (1, everyDecision), (1, everyAnswer), (1, grants),
        (1, Operation.Call.allCases.map { .call($0) }), (1, [.cancelCall(0), .cancelCall(0)]),
        (1, Operation.Events.allCases.map { .emit($0) }),
        (1, [.services(false), .services(true), .use(false), .use(true), .advance(seconds: 2)]),
        (1, [.openSession(always: true, purpose: true), .endSession(0), .answerAccuracy(seconds: 3)]),
        (1, [.finishRun, .failRun, .shutdown, .dropManager]),
      ]),
  ]

  public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }
}
