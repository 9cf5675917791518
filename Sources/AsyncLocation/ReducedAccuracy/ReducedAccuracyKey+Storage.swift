import FoundationEssentials
import Glibc

extension ReducedAccuracyKey {
  /// The key kept in a file; made, with its folder, if there is none.
  ///
  /// The file is read and written on a thread that exists for it. A damaged file is set aside as
  /// `….corrupt` and a new key made, which ``notice`` tells. Another process that repairs the same
  /// file is waited for, for two seconds at most; cancelling ends that wait.
  ///
  /// - Throws: ``LocationError`` when the file is a symbolic link, no regular file, owned by others
  ///   than the effective user or root, or open to others; when another process keeps it locked; or
  ///   when a system call fails. The message says what to do.
  public static func stored(at path: String) async throws(LocationError) -> Self {
    try await KeyStorage.shared.key(at: path)
  }

  /// Where the key of the user who runs this is kept:
  /// `$XDG_STATE_HOME/async-location/reduced-accuracy.key`, with `~/.local/state` for that variable
  /// where it is not set to an absolute path.
  ///
  /// - Throws: ``LocationError`` when `HOME` is not set either.
  static func standardPath(
    in environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(LocationError) -> String {
    func folder(_ variable: String) -> String? {
      environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    guard let state = folder("XDG_STATE_HOME") ?? folder("HOME").map({ $0 + "/.local/state" })
    else {
      throw LocationError(
        .unsupported,
        "The key of reduced accuracy has no place: set XDG_STATE_HOME or HOME to the absolute path "
          + "of a folder that this user may write to.")
    }
    return state + "/async-location/reduced-accuracy.key"
  }
}

/// Reads and makes key files, on a thread of its own.
private actor KeyStorage {
  static let shared = KeyStorage()

  private let thread = FileThread(label: "AsyncLocation.key")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  func key(at path: String) async throws(LocationError) -> ReducedAccuracyKey {
    // On Linux the kernel's own, fit for secrets.
    var generator = SystemRandomNumberGenerator()
    let file = try KeyFile(path: path, user: geteuid(), calls: SystemFileCalls())
    let (key, notice) = try await file.load(using: &generator) { try await Task.sleep(for: $0) }
    return key.with(notice: notice)
  }
}
