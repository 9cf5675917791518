import Glibc
import Synchronization

/// A terminal's window.
enum Window {
  struct Size: Hashable, Sendable {
    var columns = 80
    var rows = 24
  }

  private static let drawn = Atomic(false)

  /// Whether a table is drawn; the code that draws it then handles window events.
  static var isDrawn: Bool {
    get { drawn.load(ordering: .relaxed) }
    set { drawn.store(newValue, ordering: .relaxed) }
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// The size of the window; 80 by 24 when the terminal does not report it.
  static func size(_ descriptor: Int32) -> Size {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 else { return Size() }
    return Size(
      columns: window.ws_col > 0 ? Int(window.ws_col) : 80,
      rows: window.ws_row > 0 ? Int(window.ws_row) : 24)
  }

  /// Stops this process as Ctrl-Z does; returns when it is continued.
  static func suspend() { kill(getpid(), SIGSTOP) }
}
