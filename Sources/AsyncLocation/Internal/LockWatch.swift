#if SIMULATION
  /// Lock instrumentation for simulation builds: counts the locks held, and marks the points at
  /// which another thread could run.
  ///
  // SAFETY: a simulation runs everything on one thread, in a process of its own.
  package enum LockWatch {
    /// How many locks are held.
    nonisolated(unsafe) package static var depth = 0
    /// Runs other work. Called when no lock is held, before a lock is taken and after it is
    /// released.
    nonisolated(unsafe) package static var others: (() -> Void)?
    nonisolated(unsafe) private static var silenced = 0

    static func interlude() {
      guard unsafe depth == 0, unsafe silenced == 0, let others = unsafe others else { return }
      others()
    }

    /// Runs code without interruption although it takes locks.
    package static func withoutInterludes<Value>(_ body: () -> Value) -> Value {
      unsafe silenced += 1
      defer { unsafe silenced -= 1 }
      return body()
    }
  }
#endif
