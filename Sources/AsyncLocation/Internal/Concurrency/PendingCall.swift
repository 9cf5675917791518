/// Connects one caller with one result. They may arrive in either order; the caller is resumed
/// exactly once.
package struct PendingCall<Value: Sendable>: Sendable {
  package typealias Caller = CheckedContinuation<Value, any Error>

  /// A continuation to resume when no lock is held.
  package struct Resumption: Sendable {
    fileprivate let caller: Caller
    fileprivate let rest: TaskRest?
    fileprivate let result: Result<Value, any Error>

    package func perform() {
      rest?.end()
      caller.resume(with: result)
    }
  }

  private enum State: Sendable {
    case open
    case waiting(Caller, TaskRest?)
    case resolved(Result<Value, any Error>)
    case resumed
  }

  private var state = State.open

  package init() {}

  /// True until there is a result.
  package var isOpen: Bool {
    switch state {
    case .open, .waiting: true
    case .resolved, .resumed: false
    }
  }

  /// Sets the result. Only the first call has an effect.
  ///
  /// - Returns: The resumption to perform if the caller waits; otherwise nil.
  package mutating func resolve(_ result: Result<Value, any Error>) -> Resumption? {
    switch state {
    case .open:
      state = .resolved(result)
      return nil
    case .waiting(let caller, let rest):
      state = .resumed
      return Resumption(caller: caller, rest: rest, result: result)
    case .resolved, .resumed:
      return nil
    }
  }

  /// Sets the caller; called once.
  ///
  /// - Parameter rest: The rest of the caller's task, which lasts until the caller is resumed.
  /// - Returns: The resumption to perform if there is a result already; nil if the caller waits.
  package mutating func wait(_ caller: Caller, _ rest: TaskRest? = nil) -> Resumption? {
    switch state {
    case .open:
      rest?.begin()
      state = .waiting(caller, rest)
      return nil
    case .resolved(let result):
      state = .resumed
      return Resumption(caller: caller, rest: nil, result: result)
    case .waiting, .resumed:
      preconditionFailure("A pending call has one caller.")
    }
  }
}
