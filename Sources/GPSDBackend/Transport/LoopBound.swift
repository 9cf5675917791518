/// State that one transport's thread alone touches, which every access checks.
final class LoopBound<State>: Sendable {
  private let transport: any Transport
  // SAFETY: no two threads touch it: `withState` traps anywhere but on the transport's thread, and
  // the last release finds nobody else.
  nonisolated(unsafe) private var state: State

  init(to transport: any Transport, _ state: sending State) {
    self.transport = transport
    self.state = state
  }

  func withState<Result>(_ body: (inout State) -> Result) -> Result {
    precondition(transport.isCurrent, "touched off the transport's thread")
    return body(&state)
  }

  /// Does something with the state later, on its thread.
  func submit(_ body: @escaping @Sendable (inout State) -> Void) {
    transport.submit { self.withState { body(&$0) } }
  }
}
