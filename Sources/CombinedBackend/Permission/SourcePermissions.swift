import AsyncLocation

/// Decides what the policies of the sources grant together, and which sources may run. Performs no
/// I/O.
struct SourcePermissions: Sendable {
  /// The decision in force for all sources together.
  struct Combined: Sendable, Hashable {
    var decision: AuthorizationDecision
    var isEnabled = true
  }

  /// To be performed in order.
  enum Step: Sendable, Hashable {
    /// Report this change to the managers.
    case report(AuthorizationChange)
    /// These sources may run from now on, unless a later change excluded them.
    case admit(Set<Int>)
  }

  private let names: [String]
  private var machines: [AuthorizationStateMachine]
  /// The sources whose policies report every decision and have reported none yet.
  private var awaited: Set<Int>
  /// Whether any policy has decided. Until then no manager asks, and all sources are admitted.
  private var isDecided = false
  /// The sources that may deliver now.
  private(set) var admitted: Set<Int>
  /// The sources that have delivered a report since the last withdrawal.
  private var delivered: Set<Int> = []
  /// The sources that refused access and were not tried again.
  private var refusing: Set<Int> = []
  private(set) var reported: Combined?
  /// The sources with reduced accuracy when ``reported`` was.
  private var reportedReduced: Set<Int> = []
  private(set) var reportCounts: [UInt64]
  /// The number of requests that are being put to the policies.
  private var requestCount = 0
  /// The number of withdrawals.
  private(set) var withdrawals = 0

  /// - Parameter sources: The names, and whether the policy reports every decision.
  init(_ sources: [(name: String, reportsEveryDecision: Bool)]) {
    names = sources.map(\.name)
    machines = Array(repeating: AuthorizationStateMachine(), count: sources.count)
    awaited = Set(sources.indices.filter { sources[$0].reportsEveryDecision })
    admitted = Set(sources.indices)
    reportCounts = Array(repeating: 0, count: sources.count)
  }

  // MARK: Delivery

  /// Returns those of the sources that may deliver now, which are then considered to have delivered.
  mutating func deliver(_ sources: Set<Int>) -> Set<Int> {
    let permitted = sources.intersection(admitted).subtracting(refusing)
    delivered.formUnion(permitted)
    return permitted
  }

  /// A source itself refuses access: nothing of it is delivered until it is tried again.
  mutating func sourceRefused(_ source: Int) -> [Step] {
    refusing.insert(source)
    return withdraw(source)
  }

  /// These sources are tried again.
  mutating func retried(_ sources: Set<Int>) { refusing.subtract(sources) }

  // MARK: Policies

  /// A policy reported a change.
  mutating func changed(_ change: AuthorizationChange, of source: Int) -> [Step] {
    // A withdrawal is no decision: the source's policy may still have to report one.
    if case .withdrawal = change { return withdraw(source) }
    reportCounts[source] += 1
    awaited.remove(source)
    switch change {
    case .decision(let decision):
      _ = machines[source].handle(.changed(decision))
      return settle(repeatsReduction: reduced.contains(source))
    case .locationServices(let enabled):
      _ = machines[source].handle(.locationServices(enabled: enabled))
    case .withdrawal: break
    @unknown default: break
    }
    return settle()
  }

  /// A manager's request is about to be put to the policies of all sources.
  mutating func requestBegan() {
    requestCount += 1
    // A manager asks again for one use after that use has ended.
    guard reported?.decision.permission == .whenInUseOnce else { return }
    endUse()
    (reported, reportedReduced) = (combined, Set(reduced))
  }

  /// Ends permission for one use.
  private mutating func endUse() {
    for index in machines.indices { _ = machines[index].handle(.demandEnded) }
    admitted.formIntersection(permitted)
  }

  /// All policies have answered, or the request was cancelled.
  mutating func requestEnded() -> [Step] {
    requestCount -= 1
    return settle()
  }

  /// A manager requests permission. Returns the request for the policy of a source; nil if it does
  /// not have to be asked.
  mutating func requested(
    _ request: AuthorizationRequest, of source: Int
  ) -> AuthorizationRequest? {
    isDecided = true
    for case .ask(let request) in machines[source].handle(.requested(request)) { return request }
    return nil
  }

  /// Whether a question to the policy of a source is open.
  func isAsked(_ source: Int) -> Bool { machines[source].question != nil }

  /// A policy answered.
  mutating func answered(_ decision: AuthorizationDecision, by source: Int) -> [Step] {
    _ = machines[source].handle(.answered(decision))
    return settle()
  }

  /// The sources of which accuracy is reduced, in order.
  var reduced: [Int] {
    machines.indices.filter {
      machines[$0].status.isAuthorized && machines[$0].accuracy == .reduced
    }
  }

  /// The decision in force.
  var combined: Combined {
    let granted = machines.indices.filter { machines[$0].status.isAuthorized }
    if granted.isEmpty { return refused }
    let permission =
      granted.map { machines[$0].decision.permission }.min { $0.strength < $1.strength }
      ?? .notDetermined
    let isReduced = granted.contains { machines[$0].accuracy == .reduced }
    return Combined(
      decision: AuthorizationDecision(
        permission, accuracy: isReduced ? .reduced : .full, reason: reason(of: granted)))
  }

  /// The decision while no policy grants.
  private var refused: Combined {
    let isEnabled = machines.contains(where: \.locationServicesEnabled)
    let permissions = machines.map { machine -> AuthorizationDecision.Permission in
      machine.locationServicesEnabled || !isEnabled ? machine.decision.permission : .denied
    }
    // While location services are off everywhere, the earlier grants remain.
    let permission: AuthorizationDecision.Permission =
      if let kept = permissions.filter(\.status.isAuthorized).min(by: { $0.strength < $1.strength })
      {
        kept
      } else if permissions.contains(.notDetermined) {
        .notDetermined
      } else {
        permissions.allSatisfy { $0 == .restricted } ? .restricted : .denied
      }
    return Combined(
      decision: AuthorizationDecision(permission, reason: reason(of: Array(machines.indices))),
      isEnabled: isEnabled)
  }

  private func reason(of sources: [Int]) -> String? {
    let reasons = sources.compactMap { source in
      machines[source].decision.reason.map { "\(names[source]): \($0)" }
    }
    return reasons.isEmpty ? nil : reasons.joined(separator: "; ")
  }

  // MARK: Consequences

  /// Excludes sources at once; reports the decision before it admits others.
  ///
  /// - Parameter repeatsReduction: Whether a policy has reported a decision with reduced accuracy.
  private mutating func settle(repeatsReduction: Bool = false) -> [Step] {
    isDecided = true
    let target = permitted
    let excluded = admitted.subtracting(target)
    admitted.formIntersection(target)
    // A source is not admitted after the end of one use; a refusal then concerns what is unread.
    let withdrawn = delivered.filter { excluded.contains($0) || machines[$0].status.refuses }
    if !withdrawn.isEmpty { withdrawals += 1 }
    guard awaited.isEmpty else { return [] }
    // A grant that was reported now would end the request before every policy has answered.
    let isInForce = reported?.decision.permission.status.isAuthorized ?? false
    if requestCount > 0, !isInForce {
      // What is unread is withdrawn at once, which answers no request.
      guard reported != nil, !withdrawn.isEmpty else { return [] }
      delivered.subtract(withdrawn)
      return [.report(.withdrawal)]
    }
    delivered.subtract(withdrawn)
    let isWithdrawal = reported != nil && !withdrawn.isEmpty
    let steps = isWithdrawal ? withdraw() : report(repeatsReduction: repeatsReduction)
    return steps + [.admit(target)]
  }

  /// The sources whose policies grant permission.
  private var permitted: Set<Int> {
    isDecided
      ? Set(machines.indices.filter { machines[$0].status.isAuthorized }) : Set(machines.indices)
  }

  /// Applies ``Step/admit(_:)``.
  mutating func admit(_ sources: Set<Int>) { admitted.formUnion(sources.intersection(permitted)) }

  /// Withdraws what was delivered if a source has delivered something.
  private mutating func withdraw(_ source: Int) -> [Step] {
    guard delivered.contains(source) else { return [] }
    withdrawals += 1
    return withdraw()
  }

  /// Withdraws what was delivered again, without another decision.
  func withdrawAgain() -> [Step] { reported == nil ? [] : [.report(.withdrawal)] }

  /// Withdraws what was delivered, and reports the decision that remains.
  ///
  /// Permission for one use goes on, and is not reported again: it may have ended, which only the
  /// manager knows.
  private mutating func withdraw() -> [Step] {
    delivered = []
    guard let old = reported else { return [] }
    let remaining = combined
    guard remaining.isEnabled, old.isEnabled, !remaining.decision.permission.status.refuses else {
      return report()
    }
    // A grant that was reported now would end the request before every policy has answered.
    let isInForce = old.decision.permission.status.isAuthorized
    return [.report(.withdrawal)] + (requestCount > 0 && !isInForce ? [] : report())
  }

  /// Ends permission for one use, so that a manager has to ask again.
  private mutating func requireRequest() -> [Step] {
    delivered = []
    endUse()
    let remaining = combined
    (reported, reportedReduced) = (remaining, Set(reduced))
    return ([.denied] + (remaining.decision == .denied ? [] : [remaining.decision])).map {
      .report(.decision($0))
    }
  }

  /// Reports the decision in force if it has changed.
  ///
  /// An equal decision is reported as well if another source has reduced accuracy, or one repeats
  /// it: this ends temporary full accuracy, which was granted without that source.
  private mutating func report(repeatsReduction: Bool = false) -> [Step] {
    let old = reported
    // The use does not continue when services are on again.
    if old?.decision.permission == .whenInUseOnce, combined.decision.permission != .whenInUseOnce {
      endUse()
    }
    var new = combined
    let isReduction =
      new.decision.accuracy == .reduced && (repeatsReduction || Set(reduced) != reportedReduced)
    if new.decision.permission == .whenInUseOnce, old?.decision.permission == .whenInUseOnce {
      // The use may have ended: granted again without a request, it would begin anew.
      if isReduction { return requireRequest() }
      new.decision = old?.decision ?? new.decision
    }
    reportedReduced = Set(reduced)
    guard new != old || isReduction else { return [] }
    reported = new
    var steps: [Step] = []
    // Off first, on last: no grant is in force for a moment in between.
    if !new.isEnabled, old?.isEnabled ?? true {
      steps.append(.report(.locationServices(enabled: false)))
    }
    if isReduction || new.decision != old?.decision {
      steps.append(.report(.decision(new.decision)))
    }
    if new.isEnabled, old?.isEnabled == false {
      steps.append(.report(.locationServices(enabled: true)))
    }
    return steps
  }
}

extension AuthorizationDecision.Permission {
  /// Orders the permissions that are granted, the weakest first.
  fileprivate var strength: Int {
    switch self {
    case .notDetermined, .restricted, .denied: 0
    case .whenInUseOnce: 1
    case .whenInUse: 2
    case .provisionalAlways: 3
    case .always: 4
    }
  }
}
