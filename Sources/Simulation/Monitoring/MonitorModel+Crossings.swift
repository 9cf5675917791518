import AsyncLocation
import FoundationEssentials

/// Decides which fixes justify a crossing, and which state follows from them.
extension MonitorModel {
  /// Requires that fixes justify a crossing.
  func check(_ event: Monitor.Event, of condition: WatchedCondition, at index: Int) {
    let fix = fixes[index]
    let isInside = event.state == .satisfied
    require(!fix.isForbidden, "M6 permission", "\(event.number) is of a fix without permission")
    require(
      index >= observedBefore, "M5 crossings", "\(event.number) is of fix \(index), an earlier one")
    guard let side = side(of: fix, condition) else {
      return require(false, "M5 crossings", "\(event.number) is of a fix that does not count")
    }
    require(side.isInside == isInside, "M5 crossings", "\(event.number) is on the wrong side")
    require(
      side.isCertain || !condition.isDetermined, "M5 crossings", "\(event.number) is doubtful")
    let hasChanged = changedWithinMemory(condition, at: index)
    let confirmation: Duration =
      if hasChanged {
        Self.options.confirmation * 2
      } else {
        mayDecide(index, condition) ? .zero : Self.options.confirmation
      }
    let run = run(to: index, from: condition.mayCountFrom, condition, skipsLost: true)
    require(
      isEnough(run, isInside: isInside, condition, confirmation: confirmation), "M5 crossings",
      "\(event.number), \(event.state), is not confirmed: \(run)")
  }

  /// Whether a condition certainly changed recently, which doubles its confirmation time.
  private func changedWithinMemory(_ condition: WatchedCondition, at index: Int) -> Bool {
    guard let crossedAt = condition.crossedAt else { return false }
    return fixes[index].instant - fixes[crossedAt].instant < Self.options.changeMemory
  }

  /// Whether a fix may decide without confirmation, because it may be the first since the condition
  /// was added or may follow a gap.
  private func mayDecide(_ index: Int, _ condition: WatchedCondition) -> Bool {
    func isObserved(_ fix: SimulatedFix) -> Bool { !fix.mayBeLost && !fix.isForbidden }
    let isFirst = !fixes[min(condition.addedBefore, index)..<index].contains {
      isObserved($0) && ($0.accuracy ?? 0) <= Self.options.leastAccuracy
    }
    guard !isFirst else { return true }
    let earlier = fixes[min(openedBefore, index)..<index]
    guard let last = earlier.last(where: isObserved) else { return !earlier.isEmpty }
    return fixes[index].instant - last.instant > Self.options.longestGap
  }

  /// Requires that conditions have the states that follow from the fixes.
  func checkStates(isMonitoring: Bool, isSuspended: Bool, at date: Date) {
    for (identifier, condition) in conditions.sorted(by: { $0.key < $1.key }) {
      if let expiry = condition.expiry {
        require(expiry > date, "M5 crossings", "\(identifier) has expired and is still there")
      }
      require(
        !isSuspended || condition.state == .unmonitored, "M6 permission",
        "\(identifier) is \(condition.state) without permission")
      guard isMonitoring, let from = condition.countsFrom, from < fixes.count,
        let last = fixes.indices.last
      else { continue }
      let run = run(to: last, from: from, condition, skipsLost: false)
      guard let first = run.first, let isInside = side(of: fixes[first], condition)?.isInside,
        isEnough(
          run, isInside: isInside, condition, confirmation: Self.options.longestConfirmation)
      else { continue }
      require(
        condition.state == (isInside ? .satisfied : .unsatisfied), "M5 crossings",
        "\(identifier) is \(condition.state) after the fixes \(run)")
    }
  }

  /// Returns whether a fix is inside the circle, and whether this is certain; nil if the fix does
  /// not count.
  private func side(
    of fix: SimulatedFix, _ condition: WatchedCondition
  ) -> (isInside: Bool, isCertain: Bool)? {
    let distance = fix.coordinate.distance(to: condition.center)
    let accuracy = fix.accuracy ?? Self.options.assumedAccuracy
    let factor = condition.isDetermined ? Self.options.marginFactor : 1
    let isCertain =
      abs(distance - condition.radius) > max(accuracy * factor, Self.options.minimumMargin)
    guard isCertain || accuracy <= Self.options.leastAccuracy else { return nil }
    return (distance <= condition.radius, isCertain)
  }

  /// The longest series of fixes on one side up to a fix, the latest first. From a known state,
  /// only certain fixes count.
  ///
  /// - Parameter skipsLost: Whether a fix that may be lost is skipped if it is on the other side,
  ///   and counts otherwise. If false, such a fix ends the series.
  private func run(
    to last: Int, from first: Int, _ condition: WatchedCondition, skipsLost: Bool
  ) -> [Int] {
    let gap = max(Self.options.longestGap, condition.dwell)
    var run: [Int] = []
    var isInside: Bool?
    for index in stride(from: last, through: first, by: -1) {
      guard !fixes[index].isForbidden, let side = side(of: fixes[index], condition) else {
        continue
      }
      if fixes[index].mayBeLost, !skipsLost { break }
      if isInside ?? side.isInside != side.isInside {
        if fixes[index].mayBeLost { continue }
        break
      }
      if condition.isDetermined, !side.isCertain { continue }
      let mustContinue = !condition.isDetermined || (side.isInside && condition.dwell > .zero)
      if mustContinue, let next = run.last, fixes[next].instant - fixes[index].instant > gap {
        break
      }
      isInside = side.isInside
      run.append(index)
    }
    return run
  }

  /// Whether a series of fixes lasts long enough for a crossing.
  ///
  /// - Parameter confirmation: The required time from a known state.
  private func isEnough(
    _ run: [Int], isInside: Bool, _ condition: WatchedCondition, confirmation: Duration
  ) -> Bool {
    guard let last = run.first, let first = run.last else { return false }
    var needed = confirmation
    if !condition.isDetermined {
      let isCertain = run.contains { side(of: fixes[$0], condition)?.isCertain == true }
      needed = isCertain ? .zero : Self.options.confirmation
    }
    return fixes[last].instant - fixes[first].instant
      >= max(needed, isInside ? condition.dwell : .zero)
  }
}
