/// Requests the places of a manager's locations from a geocoder, for one stream.
///
/// One task reads the locations, one reads the changes of permission, and each request has its own
/// task. The stream retains the follower, and stops it when the stream is released; until then, the
/// tasks keep the manager open.
final class PlacemarkFollower: Sendable {
  private struct State: Sendable {
    var machine: PlacemarkStateMachine
    var readers: [Task<Void, Never>] = []
    var request: (id: UInt64, task: Task<Void, Never>)?
    var isStopped = false
  }

  private let hub: Hub
  private let geocoder: any Geocoder
  private let locale: GeocodingLocale?
  private let channel: BoundedChannel<PlacemarkUpdate>
  private let state: Locked<State>

  /// - Parameter channel: Receives the updates.
  init(
    _ hub: Hub, _ geocoder: any Geocoder, _ options: PlacemarkOptions,
    _ channel: BoundedChannel<PlacemarkUpdate>
  ) {
    self.hub = hub
    self.geocoder = geocoder
    self.channel = channel
    locale = options.locale
    state = Locked(State(machine: PlacemarkStateMachine(options)))
  }

  /// Starts the tasks that read locations until they end.
  ///
  /// - Parameters:
  ///   - permission: Reports each change of permission, and the end of the manager.
  ///   - location: The location of an element.
  func follow<Element: Sendable>(
    _ elements: Subscription<Element>, _ permission: Subscription<FollowedPermission>,
    location: @escaping @Sendable (Element) -> Location?
  ) {
    start(reading: elements) { [self] in
      do throws(LocationError) {
        while let (element, stamp) = try await elements.nextStamped() {
          if let location = location(element) { located(location, stamp) }
        }
        if !Task.isCancelled { end { $0.locationsEnded(nil) } }
      } catch {
        end { $0.locationsEnded(error) }
      }
    }
    start(reading: permission) { [self] in
      while let change = try? await permission.next() {
        permissionChanged()
        if change.isOver { return end { $0.managerEnded() } }
      }
    }
  }

  /// Cancels every task and ends the stream; nothing is delivered afterwards.
  func stop() {
    let (tasks, wakes) = state.withLock { state in
      state.isStopped = true
      _ = state.machine.managerEnded()
      var wakes = Wakes()
      channel.finish(waking: &wakes)
      defer { (state.readers, state.request) = ([], nil) }
      return (state.readers + [state.request?.task].compactMap(\.self), wakes)
    }
    for task in tasks { task.cancel() }
    wakes.perform()
  }

  // MARK: Events

  private func located(_ location: Location, _ stamp: DeliveryStamp) {
    guard let instant = location.arrival?.instant else { return }
    decide { $0.located(location, stamp, at: instant, hub.gate.admits) }
  }

  private func permissionChanged() { decide { $0.permissionChanged(hub.gate.admits) } }

  private func decide(_ event: (inout PlacemarkStateMachine) -> PlacemarkStateMachine.Action) {
    let (action, cancelled) = state.withLock { state in
      let action = event(&state.machine)
      guard case .cancelRequest(let id) = action, state.request?.id == id else {
        return (action, nil as Task<Void, Never>?)
      }
      return (action, state.request?.task)
    }
    cancelled?.cancel()
    if case .request(let request) = action { send(request) }
  }

  private func answered(_ id: UInt64, _ answer: Result<[Placemark], LocationError>) {
    // Updates are pushed under the lock, so that the end of the channel cannot overtake them.
    // Evicted updates are released after the lock, because they may contain error objects of the
    // program, whose deinitializers may call this object.
    let (action, wakes, evicted) = state.withLock { state in
      var wakes = Wakes()
      var evicted: [[PlacemarkUpdate]] = []
      let action = state.machine.answered(id, answer, hub.gate.admits)
      if state.request?.id == id { state.request = nil }
      if let delivery = action.delivery {
        hub.gate.count(
          channel.push(
            [delivery.update], ElementRuns(0..<1), delivery.stamp, waking: &wakes,
            retire: { evicted.append($0.elements) }))
      }
      if action.next == .finish { channel.finish(waking: &wakes) }
      return (action, wakes, evicted)
    }
    withExtendedLifetime(evicted) {}
    wakes.perform()
    if let delivery = action.delivery {
      hub.decide { $0.report(.didUpdatePlacemarks(delivery.update), delivery.stamp, &$1) }
    }
    switch action.next {
    case .wait: break
    case .request(let request): send(request)
    case .finish: stop()
    }
  }

  private func end(_ event: (inout PlacemarkStateMachine) -> PlacemarkStateMachine.EndAction) {
    let (isEnd, wakes) = state.withLock { state in
      var wakes = Wakes()
      guard case .finish(let error) = event(&state.machine) else { return (false, wakes) }
      channel.finish(error, waking: &wakes)
      return (true, wakes)
    }
    guard isEnd else { return }
    wakes.perform()
    stop()
  }

  // MARK: Tasks

  /// Starts a task that reads a subscription. A test kit counts the task as active, except while it
  /// waits for the next element.
  private func start<Element>(
    reading subscription: Subscription<Element>, _ body: @escaping @Sendable () async -> Void
  ) {
    let activity = hub.activity
    activity?.begin()
    if let activity { subscription.channel.observe(activity.probeOfTask()) }
    let task = Task.detached(executorPreference: hub.executor) {
      await body()
      activity?.end()
    }
    let isStopped = state.withLock { state in
      if !state.isStopped { state.readers.append(task) }
      return state.isStopped
    }
    if isStopped { task.cancel() }
  }

  private func send(_ request: PlacemarkStateMachine.Request) {
    let activity = hub.activity
    activity?.begin()
    let task = Task.detached(executorPreference: hub.executor) { [self] in
      await Hub.performing(activity) {
        // Permission may have been withdrawn since the task was enqueued, and the withdrawal may
        // not be processed yet.
        guard hub.gate.admits(request.stamp) else {
          permissionChanged()
          return answered(request.id, .failure(.withdrawnRequest))
        }
        let answer: Result<[Placemark], LocationError>
        let permission = GeocodingPermission { self.hub.gate.admits(request.stamp) }
        do {
          let placemarks = try await GeocodingPermission.$current.withValue(permission) {
            try await geocoder.reverseGeocode(request.location.coordinate, locale: locale)
          }
          answer = .success(placemarks)
        } catch {
          answer = .failure(LocationError(ofGeocoder: error))
        }
        answered(request.id, answer)
      }
    }
    // The request may be answered or cancelled, or the stream may end, before the task is stored.
    let isWanted = state.withLock { state in
      let isWanted = state.machine.isPending(request.id)
      if isWanted { state.request = (request.id, task) }
      return isWanted
    }
    if !isWanted { task.cancel() }
  }
}

extension LocationError {
  /// The answer to a request that was not sent. It is not delivered.
  fileprivate static var withdrawnRequest: Self {
    Self(.denied, "Permission was withdrawn before the request was sent.")
  }
}
