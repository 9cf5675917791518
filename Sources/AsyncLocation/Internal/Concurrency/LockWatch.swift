/// Instrumentation of locks for simulations: counts the locks held, and marks the points at which
/// another thread could run. Does nothing until it is turned on.
///
// SAFETY: a simulation that turns it on runs everything on one thread, in a process of its own.
@usableFromInline
package enum LockWatch {
  nonisolated(unsafe) private static var isOn = false
  /// The number of locks held.
  nonisolated(unsafe) private static var depth = 0
  /// The function set by `runAtLocks(_:)`.
  nonisolated(unsafe) private static var preemption: (() -> Void)?
  /// The number of `withoutPreemption(_:)` calls in progress.
  nonisolated(unsafe) private static var suspensions = 0

  package static var isLockHeld: Bool { unsafe depth > 0 }

  /// Starts to observe locks. Returns false in a release build, whose locks report nothing.
  package static func turnOn() -> Bool {
    #if DEBUG
      unsafe isOn = true
    #endif
    return unsafe isOn
  }

  /// Sets the function to call before a lock is acquired and after a lock is released, while no
  /// lock is held.
  package static func runAtLocks(_ preemption: (() -> Void)?) {
    if unsafe isOn { unsafe self.preemption = preemption }
  }

  @usableFromInline static func willAcquire() {
    guard unsafe isOn else { return }
    preempt()
    unsafe depth += 1
  }

  @usableFromInline static func didRelease() {
    guard unsafe isOn else { return }
    unsafe depth -= 1
    preempt()
  }

  private static func preempt() {
    guard unsafe depth == 0, unsafe suspensions == 0, let preemption = unsafe preemption else {
      return
    }
    preemption()
  }

  /// Runs code that acquires locks, without calling the function set by `runAtLocks(_:)`.
  package static func withoutPreemption<Value>(_ body: () -> Value) -> Value {
    guard unsafe isOn else { return body() }
    unsafe suspensions += 1
    defer { unsafe suspensions -= 1 }
    return body()
  }
}
