import FoundationEssentials
import Glibc

extension ReducedAccuracyKey {
  /// The key kept in a file; made, with its folder, if there is none.
  ///
  /// Blocks for as long as the disk takes. A damaged file is set aside as `….corrupt` and a new key
  /// made, which ``notice`` tells.
  ///
  /// - Throws: ``LocationError`` when the file is a symbolic link, no regular file, owned by others
  ///   than the effective user or root, or open to others; or when a system call fails. The message
  ///   says what to do.
  public static func stored(at path: String) throws(LocationError) -> Self {
    // On Linux the kernel's own, fit for secrets.
    var generator = SystemRandomNumberGenerator()
    let (key, notice) = try KeyFile(path: path, user: geteuid(), calls: SystemFileCalls())
      .load(using: &generator)
    return key.with(notice: notice)
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
