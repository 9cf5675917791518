import AsyncLocation

/// Answers as a test says, at once or later, and reports what the test changes.
final class MockAuthorizationPolicy: AuthorizationPolicy {
  private struct Pending {
    let id: Int
    let request: AuthorizationRequest
    let answer = Promise<AuthorizationStatus>()
  }

  private struct State {
    var authorization: MockAuthorization
    var status: AuthorizationStatus?
    var pending: [Pending] = []
    var observers: [Int: Courier<AuthorizationStatus>] = [:]
    var nextID = 0

    mutating func makeID() -> Int {
      nextID += 1
      return nextID
    }
  }

  private let state: Locked<State>
  private let journal: Journal<MockBackend.Call>

  init(_ authorization: MockAuthorization, journal: Journal<MockBackend.Call>) {
    state = Locked(State(authorization: authorization, status: authorization.initialStatus))
    self.journal = journal
  }

  var pending: [AuthorizationRequest] { state.withLock { $0.pending.map(\.request) } }

  func authorize(_ request: AuthorizationRequest) async -> AuthorizationStatus {
    let (pending, status) = state.withLock { state -> (Pending?, AuthorizationStatus) in
      switch state.authorization.take(request) {
      case .now(let status): return (nil, status)
      case .later:
        let pending = Pending(id: state.makeID(), request: request)
        state.pending.append(pending)
        return (pending, .notDetermined)
      }
    }
    journal.append(.authorizationRequested(request))  // Last, so that who waits finds it pending.
    guard let pending else { return status }
    if let answer = await pending.answer.value() { return answer }
    state.withLock { $0.pending.removeAll { $0.id == pending.id } }
    journal.append(.authorizationCancelled(request))
    return .notDetermined
  }

  /// Answers the oldest request that waits, of one kind or any.
  func answer(_ status: AuthorizationStatus, to request: AuthorizationRequest?) -> Bool {
    let pending = state.withLock { state in
      state.pending.firstIndex { request == nil || $0.request == request }
        .map { state.pending.remove(at: $0) }
    }
    pending?.answer.fulfill(status)
    return pending != nil
  }

  func observe(_ report: @escaping @Sendable (AuthorizationStatus) -> Void) async {
    let courier = Courier<AuthorizationStatus>()
    let id = state.withLock { state in
      let id = state.makeID()
      state.observers[id] = courier
      if let status = state.status { _ = courier.enqueue(status) }
      return id
    }
    courier.attach { status in
      report(status)
      return true
    }
    _ = await Promise<Never>().value()  // Until cancelled.
    state.withLock { _ = $0.observers.removeValue(forKey: id) }
    await courier.detach()
  }

  func set(_ status: AuthorizationStatus) {
    let observers = state.withLock { state in
      state.status = status
      // In line under the lock, so that all observers hear of changes in one order.
      for observer in state.observers.values { _ = observer.enqueue(status) }
      return Array(state.observers.values)
    }
    for observer in observers { observer.deliver() }
  }
}
