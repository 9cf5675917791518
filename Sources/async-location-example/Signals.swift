import Glibc

/// Waits for the signals that the tool handles.
///
/// They are blocked, in every thread, from ``block()`` on, so that one thread can wait for them.
enum Signals {
  /// What happens to the window that the tool runs in.
  enum WindowEvent: Hashable, Sendable { case resized, suspended, continued }

  /// Blocks what ``wait(stop:window:)`` waits for. Call before any other thread exists.
  static func block() {
    signal(SIGPIPE, SIG_IGN)  // A reader that left shows as EPIPE.
    var set = handled
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls back for each signal, on this thread, for ever.
  static func wait(
    stop: (Int32) -> Void, window: (WindowEvent) -> Void
  ) -> Never {
    var set = handled
    while true {
      var signal: Int32 = 0
      guard sigwait(&set, &signal) == 0 else { continue }
      switch signal {
      case SIGINT, SIGTERM: stop(signal)
      case SIGWINCH: window(.resized)
      case SIGTSTP: window(.suspended)
      case SIGCONT: window(.continued)
      default: break
      }
    }
  }

  /// A signal that whoever started the tool has set to be ignored stays ignored: `nohup`, `&`.
  private static let handled: sigset_t = {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGWINCH, SIGTSTP, SIGCONT] {
      var action = sigaction()
      sigaction(signal, nil, &action)
      if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1 {
        sigaddset(&set, signal)
      }
    }
    return set
  }()
}
