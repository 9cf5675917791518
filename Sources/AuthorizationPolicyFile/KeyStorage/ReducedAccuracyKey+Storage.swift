public import AsyncLocation
import FileAccess
import FoundationEssentials

extension ReducedAccuracyKey {
  /// Loads the key stored in a file, or creates the key and its folder if there is none.
  ///
  /// The file is read and written on its own thread. A damaged file is renamed to `….corrupt` and a
  /// new key is created; ``/AsyncLocation/ReducedAccuracyKey/notice`` then reports it. A file of
  /// another program is refused. If another process is repairing the same file, the call waits for
  /// at most about two seconds; cancellation ends the wait.
  ///
  /// Reduced locations are stored beside the key in the file `….tracks` before they are delivered,
  /// once every five minutes for each receiver. Processes that start later or run at the same time
  /// deliver the same locations instead of choosing others, so the locations of all processes
  /// reveal no more than those of one.
  /// If that file cannot be used, ``/AsyncLocation/ReducedAccuracyKey/notice`` states why; if it
  /// cannot be written within five seconds,
  /// ``/AsyncLocation/LocationManager/Statistics/locationsUnstored`` counts the location. Locations
  /// are delivered nevertheless, and a new process chooses its own.
  ///
  /// - Parameter path: The path of the file. Nil for one key per user: the file
  ///   `async-location/reduced-accuracy.key` in `$XDG_STATE_HOME`, or in `~/.local/state` if
  ///   `XDG_STATE_HOME` is not an absolute path.
  /// - Throws: ``/AsyncLocation/LocationError`` if the file is a symbolic link or not a regular
  ///   file, if its owner is neither the effective user nor root, or if other users may access it;
  ///   if another process keeps its folder locked; if a system call fails; or if `path` is nil and
  ///   neither `XDG_STATE_HOME` nor `HOME` is an absolute path. The message states what to do.
  public static func stored(at path: String? = nil) async throws(LocationError) -> Self {
    let path = if let path { path } else { try standardPath() }
    return try await KeyStorage.shared.key(at: path)
  }

  /// The path of the running user's key.
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
        "The key of reduced accuracy has no path: set XDG_STATE_HOME or HOME to the absolute path "
          + "of a folder that this user may write to.")
    }
    return state + "/async-location/reduced-accuracy.key"
  }
}

/// Reads and creates key files on its own thread.
private actor KeyStorage {
  static let shared = KeyStorage()

  private let thread = FileThread(label: "AsyncLocation.key")

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

  func key(at path: String) async throws(LocationError) -> ReducedAccuracyKey {
    // On Linux, the generator uses the kernel's random source, which is suitable for secrets.
    var generator = SystemRandomNumberGenerator()
    let file = try KeyFile(path: path)
    let storage = try TrackStorage(besideKey: path)
    let (key, notice) = try await file.load(using: &generator) { try await Task.sleep(for: $0) }
    return key.with(notice: await storage.notice(after: notice)).storingTracks(in: storage)
  }
}
