extension Simulator {
  /// The result of cancelling one function or stream at every possible place.
  public struct Sweep: Sendable {
    public let name: String
    /// The number of places. A place is after each job, which ends in a suspension or a return. In
    /// a build that watches locks, places are also before each lock is taken and after it is
    /// released.
    public let places: Int
    /// The first failing schedule, with its log; the search ends there.
    public let failure: Outcome?
  }

  /// Cancels every public function that suspends, and every stream, at each place in turn.
  public static func sweepCancellations() -> [Sweep] { subjects.map(sweep) }

  private struct Subject {
    let name: String
    let operations: [Operation]
    let initial: Operation.Decision?
  }

  private static var subjects: [Subject] {
    let calls = Operation.Call.allCases.map { call in
      let initial: Operation.Decision? =
        switch call {
        case .location, .quickLocation, .knownLocation, .facts: .always
        case .whenInUse, .always: nil
        case .fullAccuracy, .otherAccuracy: .reduced
        }
      return Subject(
        name: "\(call)",
        operations: [
          .call(call), .emit(.fix), .emit(.fixes), .answer(.whenInUse), .answer(.always),
          .answerAccuracy(seconds: 3), .advance(seconds: 70),
        ], initial: initial)
    }
    let streams = Operation.Stream.allCases.map { stream in
      Subject(
        name: "\(stream)",
        operations: [
          .openSession(always: true, purpose: false), .open(stream, isUnread: false), .emit(.fixes),
          .emit(.heading), .emit(.satellites), .emit(.waiting), .answer(.whenInUse), .emit(.fix),
          .answer(.always), .emit(.flood), .decide(.denied), .endSession(0),
        ], initial: stream == .diagnostics ? nil : .whenInUse)
    }
    return calls + streams + [
      Subject(
        name: "shutdown",
        operations: [.open(.updates, isUnread: true), .call(.location), .emit(.fix), .shutdown],
        initial: .always),
      Subject(
        name: "setInUse",
        operations: [.open(.updates, isUnread: false), .use(false), .use(true), .emit(.fix)],
        initial: .whenInUse),
    ]
  }

  private static func sweep(_ subject: Subject) -> Sweep {
    let scenario = Scenario(
      subject.name, initial: subject.initial, isSlow: true, preemptions: 0, [])
    var places = 0
    while true {
      func outcome(isVerbose: Bool) -> Outcome {
        // The run starts and stops slowly; all other choices are 0, the default order.
        run(
          scenario, subject.operations, Choices(given: [2, 2]), isVerbose: isVerbose,
          cancelsAfter: places)
      }
      let tried = outcome(isVerbose: false)
      if tried.violation != nil {
        return Sweep(name: subject.name, places: places, failure: outcome(isVerbose: true))
      }
      guard tried.boundaries > places else {
        return Sweep(name: subject.name, places: places, failure: nil)
      }
      places += 1
    }
  }
}
