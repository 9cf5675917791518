import Glibc

/// Waits for the signals that the tool handles.
///
/// After ``block()`` they are blocked in every thread, so that one thread can wait for them.
enum Signals {
  /// An event of the terminal window that the tool runs in.
  enum WindowEvent: Hashable, Sendable { case resized, suspended, continued }

  /// Blocks the signals that ``wait(stop:window:quit:)`` waits for. Call before any other thread
  /// exists.
  static func block() {
    signal(SIGPIPE, SIG_IGN)  // A closed pipe returns EPIPE.
    var set = handled
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Calls a closure for each signal on this thread; never returns.
  ///
  /// - Parameter quit: Called before SIGQUIT ends the process.
  static func wait(
    stop: (Int32) -> Void, window: (WindowEvent) -> Void, quit: () -> Void
  ) -> Never {
    var set = handled
    while true {
      var signal: Int32 = 0
      guard sigwait(&set, &signal) == 0 else { continue }
      switch signal {
      case SIGINT, SIGTERM, SIGHUP: stop(signal)
      case SIGWINCH: window(.resized)
      case SIGTSTP: window(.suspended)
      case SIGCONT: window(.continued)
      case SIGQUIT:
        quit()
        end(by: SIGQUIT)
      default: break
      }
    }
  }

  /// Ends the process like an unhandled signal.
  private static func end(by number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
  }

  /// The handled signals, except those that the parent process ignores, such as with `nohup` or
  /// `&`.
  private static let handled: sigset_t = {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT] {
      var action = sigaction()
      sigaction(signal, nil, &action)
      if unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) != 1 {  // SIG_IGN
        sigaddset(&set, signal)
      }
    }
    return set
  }()
}
