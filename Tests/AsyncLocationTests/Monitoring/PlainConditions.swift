@testable import AsyncLocation

/// Decides like ``DeviceConditions``, but compares each fix with every condition.
struct PlainConditions {
  private var machines: [String: CrossingStateMachine] = [:]
  private var revisions: [String: UInt32] = [:]
  private let startsUnknown: Bool
  /// The newest condition with which a sufficiently accurate fix was compared.
  private var comparedRevision: UInt32 = 0
  private var latest: Duration?

  init(isNew: Bool) { startsUnknown = isNew }

  mutating func set(_ machine: CrossingStateMachine, _ slot: Int, in table: ConditionTable) {
    let identifier = table.identifier(of: slot)
    machines[identifier] = machine.isAtRest ? nil : machine
    revisions[identifier] = table.revision(of: slot)
  }

  func machine(of slot: Int, in table: ConditionTable) -> CrossingStateMachine {
    let (identifier, revision) = (table.identifier(of: slot), table.revision(of: slot))
    if let machine = machines[identifier], revisions[identifier] == revision { return machine }
    return CrossingStateMachine(
      startsUnknown && revision > comparedRevision ? .unknown : .unsatisfied)
  }

  mutating func observe(
    _ point: AreaPoint, accuracy: Double, at instant: Duration, in table: ConditionTable
  ) -> (changes: [DeviceConditions.Change], candidates: [Int]) {
    let options = CrossingOptions()
    let isAfterGap = latest.map { instant - $0 > options.longestGap } ?? false
    latest = instant
    var changes: [DeviceConditions.Change] = []
    var candidates: [Int] = []
    for slot in table.slots {
      let before = machine(of: slot, in: table)
      let isStored =
        machines[table.identifier(of: slot)] != nil
        && revisions[table.identifier(of: slot)] == table.revision(of: slot)
      let factor = before.state.isDetermined ? options.marginFactor : 1
      let margin = max(accuracy * factor, options.minimumMargin)
      guard let (side, isCertain) = table.side(of: point, to: slot, margin: margin),
        isStored || side == .inside, isCertain || accuracy <= options.leastAccuracy
      else { continue }
      let isDecisive = isAfterGap || table.revision(of: slot) > comparedRevision
      var after = before
      after.observe(
        .init(
          side: side, evidence: isCertain ? isDecisive ? .decisive : .certain : .doubtful,
          instant: instant), dwell: table.dwell(of: slot), options)
      set(after, slot, in: table)
      if before.state != after.state {
        changes.append(.init(slot: slot, previousState: before.state, state: after.state))
      } else if before.candidate?.since != after.candidate?.since
        || before.candidate?.isCertain != after.candidate?.isCertain
      {
        candidates.append(slot)
      }
    }
    if accuracy <= options.leastAccuracy { comparedRevision = table.lastRevision }
    return (changes, candidates)
  }
}
