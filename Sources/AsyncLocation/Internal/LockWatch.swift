#if SIMULATION
  /// What a simulation sees of the locks, in builds made for it: how many are held, and where another
  /// thread could come in between.
  ///
  // SAFETY: a simulation runs everything on one thread, in a process of its own.
  package enum LockWatch {
    /// How many locks are held.
    nonisolated(unsafe) package static var depth = 0
    /// Lets others run; called where no lock is held, before one is taken and after it is released.
    nonisolated(unsafe) package static var others: (() -> Void)?
    nonisolated(unsafe) private static var silenced = 0

    static func interlude() {
      guard unsafe depth == 0, unsafe silenced == 0, let others = unsafe others else { return }
      others()
    }

    /// Runs what must not be interrupted, although it takes locks.
    package static func withoutInterludes<Value>(_ body: () -> Value) -> Value {
      unsafe silenced += 1
      defer { unsafe silenced -= 1 }
      return body()
    }
  }
#endif
