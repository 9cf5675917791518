/// Connects one caller with one result. They may arrive in either order; the caller is resumed
/// exactly once.
struct PendingCall<Value: Sendable>: Sendable {
  typealias Caller = CheckedContinuation<Value, any Error>

  /// A continuation to resume when no lock is held.
  struct Resumption: Sendable {
    fileprivate let caller: Caller
    fileprivate let result: Result<Value, any Error>

    func perform() { caller.resume(with: result) }
  }

  private enum State: Sendable {
    case open
    case waiting(Caller)
    case resolved(Result<Value, any Error>)
    case resumed
  }

  private var state = State.open

  /// True until there is a result.
  var isOpen: Bool {
    switch state {
    case .open, .waiting: true
    case .resolved, .resumed: false
    }
  }

  /// Sets the result. Only the first call has an effect.
  mutating func resolve(_ result: Result<Value, any Error>) -> Resumption? {
    switch state {
    case .open:
      state = .resolved(result)
      return nil
    case .waiting(let caller):
      state = .resumed
      return Resumption(caller: caller, result: result)
    case .resolved, .resumed:
      return nil
    }
  }

  /// Sets the caller; called once.
  mutating func wait(_ caller: Caller) -> Resumption? {
    switch state {
    case .open:
      state = .waiting(caller)
      return nil
    case .resolved(let result):
      state = .resumed
      return Resumption(caller: caller, result: result)
    case .waiting, .resumed:
      preconditionFailure("A pending call has one caller.")
    }
  }
}
