import AsyncLocation

/// The invariants that hold when no work is left.
extension MonitorWorld {
  func checkAtRest() {
    guard violation == nil else { return }
    decisionIsNew = false
    let isOpen = instance?.phase == .open && process?.isShutDown == false
    model.becameIdle(isHealthy: disk.isHealthy, isMonitoring: isOpen && isPermitted)
    for consumer in consumers where consumer.isCancelled {
      require(consumer.isOver, "hang", "the cancelled consumer \(consumer.number) waits")
    }
    guard let instance, instance.phase != .closed, let process else { return }
    require(instance.phase == .open, "hang", "the monitor is \(instance.phase)")
    guard isOpen, let monitor = instance.monitor else { return }
    checkDemand(process)
    guard disk.isHealthy else { return }
    model.checkStates(isMonitoring: isPermitted, isSuspended: isSuspended, at: now)
    collectViolations()
    let waiting = consumers.filter { $0.process === process && $0.isWaiting && !$0.isOver }
    require(
      waiting.isEmpty || disk.content.events.isEmpty, "M9 nothing lost",
      "a consumer waits while \(disk.content.events.map(\.event.number)) are there")
    checkRecords(of: monitor)
  }

  /// Requires demand for locations if and only if there are conditions.
  private func checkDemand(_ process: SimulatedProcess) {
    guard disk.isHealthy, let now = inspect(process), !now.isClosed else { return }
    let hasConditions = !disk.content.conditions.isEmpty
    require(
      (now.holders > 0) == hasConditions, "M7 demand",
      "\(now.holders) demands, \(disk.content.conditions.count) conditions")
  }

  /// Requires that the monitor's records equal the stored ones.
  private func checkRecords(of monitor: Monitor) {
    guard violation == nil else { return }
    let member = Census.Member(census)
    tasks.append(
      Task(executorPreference: executor) { [self] in
        defer { withExtendedLifetime(member) {} }
        let stored = disk.content.conditions.sorted { $0.identifier < $1.identifier }
        let identifiers = await monitor.identifiers
        require(
          identifiers == stored.map(\.identifier), "M7 records",
          "the monitor has \(identifiers), the storage \(stored.map(\.identifier))")
        for condition in stored {
          let state = await monitor.state(for: condition.identifier)
          require(
            state == condition.state, "M7 records",
            "\(condition.identifier) is \(String(describing: state)), stored \(condition.state)")
          let record = await monitor.record(for: condition.identifier)
          let last = condition.lastEvent
          // An assumption is stored with the number of the preceding event; in a record, the number
          // of an assumption is 0.
          let number = last.map { $0.state == $0.previousState ? 0 : $0.number }
          require(
            record?.condition == condition.condition && record?.lastEvent.number == number
              && record?.lastEvent.state == last?.state, "M7 records",
            "the last event of \(condition.identifier) is \(record?.lastEvent.number ?? 0), "
              + "stored \(number ?? 0)")
        }
      })
    drainInOrder()
  }
}
