/// Reports the use of the manager's endpoints to a test kit. Does nothing with other backends.
extension Hub {
  /// Reports the use of an endpoint.
  ///
  /// - Returns: The error with which the endpoint must fail; see ``ManagerObserver/willUse(_:)``.
  @discardableResult
  func use(_ endpoint: LocationManager.Endpoint) -> LocationError? { observer?.willUse(endpoint) }

  /// Performs a call of an endpoint, and reports when it begins and ends.
  func call<Value: Sendable>(
    _ endpoint: LocationManager.Endpoint, _ body: () async throws -> Value
  ) async throws -> Value {
    guard let observer else { return try await body() }
    let activity = observer.activity
    activity.callBegan(endpoint)
    defer { activity.callEnded(endpoint) }
    if let refusal = observer.willUse(endpoint) { throw refusal }
    return try await TaskRest.working(for: activity, body)
  }

  /// Tracks the current task, a caller, while it waits for an answer. Nil without a test kit.
  var restOfCaller: TaskRest? { activity == nil ? nil : .ofCurrentTask }

  /// Sleeps on a manager's clock, as a part of a piece of work that an activity ledger counts.
  ///
  /// - Parameter endpoint: The endpoint on whose behalf the task sleeps.
  /// - Returns: False when the task is cancelled first.
  static func sleep(
    on timeline: Timeline, until deadline: Duration, for endpoint: LocationManager.Endpoint,
    _ activity: ActivityLedger?
  ) async -> Bool {
    guard let activity, !timeline.isAdvancedByTest, deadline > timeline.now() else {
      return (try? await timeline.sleep(until: deadline)) != nil
    }
    let wait = activity.waitsOnClock(for: endpoint)
    defer { activity.clockWaitEnded(wait) }
    return await withTaskCancellationHandler {
      (try? await timeline.sleep(until: deadline)) != nil
    } onCancel: {
      activity.clockWaitEnded(wait)
    }
  }

  /// Performs a piece of work that was counted with ``ActivityLedger/begin()``, and ends it.
  static func performing(_ activity: ActivityLedger?, _ body: () async -> Void) async {
    guard let activity else { return await body() }
    await activity.performing(body)
  }
}

extension HubLifetime {
  /// Subscribes for an endpoint.
  ///
  /// - Parameter endpoint: Nil for the manager's own subscription.
  func subscribe<Element>(
    _ channel: BoundedChannel<Element>, _ stream: FanOut.Stream,
    as endpoint: LocationManager.Endpoint?,
    _ join: (UInt64, inout HubState, inout Effects) -> Void
  ) -> Subscription<Element> {
    guard let observer = hub.observer, let endpoint else {
      return subscribe(channel, stream, join)
    }
    if let refusal = observer.willUse(endpoint) {
      return Subscription(refusing: channel, with: refusal)
    }
    let probe = observer.activity.openStream(endpoint)
    channel.observe(probe)
    let subscription = subscribe(channel, stream, join, probe)
    observer.didOpen(endpoint)
    return subscription
  }

  private func subscribe<Element>(
    _ channel: BoundedChannel<Element>, _ stream: FanOut.Stream,
    _ join: (UInt64, inout HubState, inout Effects) -> Void, _ probe: StreamProbe? = nil
  ) -> Subscription<Element> {
    let id = hub.newID()
    hub.decide { join(id, &$0, &$1) }
    return Subscription(channel, probe) { self.hub.decide { $0.leave(id, stream, &$1) } }
  }
}
