/// Wakes one waiting consumer. Debug builds use a checked continuation; release builds need no
/// allocation per wait.
///
// SAFETY: a channel removes a signal from its list when it resumes the signal, so each signal is
// resumed exactly once. The checked continuation verifies this in every debug build.
@safe
@usableFromInline
struct Signal: Sendable {
  #if DEBUG
    private let continuation: CheckedContinuation<Void, Never>

    @usableFromInline func resume() { continuation.resume() }
  #else
    private let continuation: UnsafeContinuation<Void, Never>

    @usableFromInline func resume() { unsafe continuation.resume() }
  #endif

  /// Suspends until the signal passed to `body` is resumed.
  static func wait(
    isolation: isolated (any Actor)? = #isolation, _ body: (Signal) -> Void
  ) async {
    #if DEBUG
      await withCheckedContinuation(isolation: isolation) { body(Signal(continuation: $0)) }
    #else
      unsafe await withUnsafeContinuation(isolation: isolation) {
        unsafe body(Signal(continuation: $0))
      }
    #endif
  }
}

/// Consumers to wake when no lock is held. One consumer needs no allocation.
package struct Wakes: Sendable {
  private var first: Signal?
  private var others: [Signal] = []

  package init() {}

  mutating func add(_ signal: Signal) {
    if first == nil { first = signal } else { others.append(signal) }
  }

  mutating func add(_ signals: [Signal]) {
    for signal in signals { add(signal) }
  }

  package consuming func perform() {
    first?.resume()
    for signal in others { signal.resume() }
  }
}
