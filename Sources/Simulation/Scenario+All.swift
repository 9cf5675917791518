extension Scenario {
  private static let streams: [Operation] = Operation.Stream.allCases.map {
    .open($0, isUnread: false)
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

  /// All scenarios, in the order in which consecutive seeds select them.
  public static let all: [Scenario] = [
    Scenario(
      "streams", prompt: .whenInUse, isSlow: true,
      [(2, streams), (4, leaving), (3, reports), (1, [.emit(.flood), .advance(seconds: 1)])]),
    Scenario(
      "accounting", length: 12...24, initial: .always, preemptions: 0,
      [
        (8, [.open(.updates, isUnread: false)]), (3, [.open(.seldom, isUnread: false)]),
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
      "permission", requestsImplicitly: true,
      [
        (1, streams), (1, leaving), (3, reports), (1, everyDecision), (1, everyAnswer), (2, grants),
        (1, [.services(false), .services(true), .services(true), .use(false), .use(true)]),
        (2, [.call(.whenInUse), .call(.always), .call(.location), .cancelCall(0)]),
        (1, [.emit(.refusal), .emit(.refusalAmidst), .emit(.consent)]),
      ]),
    Scenario(
      "explicit", requestsImplicitly: false,
      [
        (1, streams), (2, leaving), (3, reports), (1, grants), (1, everyAnswer),
        (2, [.call(.whenInUse), .call(.always), .call(.location), .cancelCall(0)]),
        (2, [.openSession(always: false, purpose: false), .endSession(0)]),
      ]),
    Scenario(
      "once", isSlow: true,
      [
        (4, [.answer(.once)]), (1, streams), (4, leaving), (1, reports),
        (
          2, [.openSession(always: false, purpose: false), .endSession(0), .use(false), .use(true)]
        ),
        (3, [.call(.location), .cancelCall(0), .call(.always)]),
      ]),
    Scenario(
      "accuracy",
      [
        (4, [.decide(.reduced)]),
        (1, [.decide(.always), .decide(.denied), .decide(.undetermined)]),
        (3, [.call(.fullAccuracy), .call(.otherAccuracy), .cancelCall(0)]),
        (3, [.answerAccuracy(seconds: 5), .answerAccuracy(seconds: 0)]),
        (2, [.advance(seconds: 3), .openSession(always: true, purpose: true), .endSession(0)]),
        (1, streams), (2, [.call(.location), .call(.knownLocation)]), (2, reports),
      ]),
    Scenario(
      "sessions",
      [
        (
          3,
          [.openSession(always: false, purpose: false), .openSession(always: true, purpose: false)]
        ),
        (2, [.openSession(always: true, purpose: true)]), (5, [.endSession(0)]),
        (4, [.open(.diagnostics, isUnread: false)]), (2, leaving), (1, everyDecision),
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
        (3, [.open(.updates, isUnread: false), .open(.batched, isUnread: false)]),
        (2, [.open(.live, isUnread: false), .open(.connections, isUnread: true)]), (1, leaving),
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
      "gpsd", length: 14...28, prompt: .whenInUse, hasNetwork: true,
      [
        (3, [.open(.updates, isUnread: false), .open(.options, isUnread: false)]),
        (1, streams), (2, leaving), (6, [.network(.accept)]), (6, [.network(.greet)]),
        (1, Operation.Network.allCases.map { .network($0) }),
        (3, [.network(.fix), .network(.fixes), .network(.halves)]),
        (2, [.network(.hangUp), .network(.cut), .network(.repeated)]),
        (6, [.network(.twice), .network(.twice), .network(.first)]),
        (3, [.network(.second), .network(.lost)]),
        (1, [.advance(seconds: 2), .advance(seconds: 11), .call(.location), .cancelCall(0)]),
        (1, [.decide(.denied), .decide(.whenInUse), .shutdown]),
      ]),
    Scenario(
      "everything", length: 14...30, isSlow: true,
      [
        (1, streams), (2, leaving), (2, reports), (1, everyDecision), (1, everyAnswer), (1, grants),
        (1, Operation.Call.allCases.map { .call($0) }), (1, [.cancelCall(0), .cancelCall(0)]),
        (1, Operation.Events.allCases.map { .emit($0) }),
        (1, [.services(false), .services(true), .use(false), .use(true), .advance(seconds: 2)]),
        (
          1,
          [.openSession(always: true, purpose: true), .endSession(0), .answerAccuracy(seconds: 3)]
        ),
        (1, [.finishRun, .failRun, .shutdown, .dropManager]),
      ]),
    Scenario(
      "monitor", length: 20...40, preemptions: 60, hasMonitor: true,
      opening: [.monitor(.open), .monitor(.consume)], limit: 64,
      [
        (1, [.monitor(.open)]), (3, [.monitor(.consume)]),
        (7, [.monitor(.add(0, .small, .unknown))]), (2, [.monitor(.addAll(.unknown))]),
        (3, [.monitor(.remove(0))]), (1, [.monitor(.removeAll)]),
        (20, [.monitor(.fix(.center))]), (14, [.monitor(.stay(seconds: 1))]),
        (1, [.advance(seconds: 5), .advance(seconds: 15), .advance(seconds: 70)]),
        (1, [.monitor(.leaveLoop(0)), .monitor(.cancelConsumer(0))]),
        (1, [.monitor(.close), .monitor(.crash), .decide(.denied), .decide(.reduced)]),
        (4, [.decide(.always)]),
      ]),
    Scenario(
      "crashes", length: 20...40, preemptions: 60, hasMonitor: true,
      opening: [.monitor(.open), .monitor(.addAll(.unknown)), .monitor(.consume)], limit: 64,
      [
        (8, [.monitor(.open)]), (5, [.monitor(.consume)]),
        (5, [.monitor(.add(0, .small, .unknown))]), (1, [.monitor(.addAll(.unknown))]),
        (1, [.monitor(.remove(0))]), (16, [.monitor(.fix(.center))]),
        (8, [.monitor(.stay(seconds: 1))]), (4, [.monitor(.crash)]),
        (1, [.advance(seconds: 15), .monitor(.leaveLoop(0)), .shutdown]),
        (1, [.monitor(.storage(works: false)), .monitor(.close), .monitor(.release)]),
        (2, [.monitor(.storage(works: true)), .advance(seconds: 31)]),
      ]),
  ]

  public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }
}
