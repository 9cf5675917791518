/// State that only one transport's thread may access; every access checks this.
package final class LoopBound<State>: Sendable {
  private let transport: any Transport
  // SAFETY: no two threads access it: `withState` traps on any thread but the transport's, and at
  // the last release there are no other references.
  @safe nonisolated(unsafe) private var state: State

  package init(to transport: any Transport, _ state: sending State) {
    self.transport = transport
    self.state = state
  }

  package func withState<Result>(_ body: (inout State) -> Result) -> Result {
    precondition(transport.isCurrent, "touched off the transport's thread")
    return body(&state)
  }

  /// Runs a closure with the state later, on the transport's thread.
  package func submit(_ body: @escaping @Sendable (inout State) -> Void) {
    transport.submit { self.withState { body(&$0) } }
  }
}
