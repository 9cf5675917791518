import AsyncLocation
import FileAccess

/// The errors of one file of a recorder. Pure.
struct OutputFailure {
  private let name: String

  init(_ name: String) { self.name = name }

  private var file: String { "The recording '\(String(printable: name, limit: .max))'" }

  var taken: LocationError {
    LocationError(
      .storageUnavailable,
      "\(file) exists already; choose another name, or append to it or replace it.")
  }

  var inUse: LocationError {
    LocationError(
      .storageUnavailable, "\(file) is written by another recorder; choose another name.")
  }

  func foreign(_ format: RecordingWriter.Format) -> LocationError {
    LocationError(
      .storageUnavailable,
      "\(file) was not written by a recorder as \(format), so nothing can be appended to it; choose "
        + "another name.")
  }

  /// The error of a failed call.
  ///
  /// - Parameter action: A verb for the call, such as `write`.
  func error(_ action: String, _ failure: SystemFailure) -> LocationError {
    let reason =
      switch failure {
      case .link: "is a symbolic link, which is not followed; choose another name"
      case .lost: "was removed or cut by another program"
      default: "cannot be \(Self.participle(action)): \(failure)"
      }
    return LocationError(.storageUnavailable, "\(file) \(reason).", cause: failure)
  }

  /// Throws for everything except a regular file with one name (hard link), which this user owns
  /// and no other user may access.
  func check(_ status: FileStatus) throws(LocationError) {
    let reason: String?
    switch status.kind {
    case .link: reason = "is a symbolic link, which is not followed"
    case .folder: reason = "is a folder"
    case .other: reason = "is not a regular file"
    case .regular:
      reason =
        status.owner != FileStatus.currentUser
        ? "belongs to user \(status.owner), not to user \(FileStatus.currentUser)"
        : status.links > 1
          ? "has another name"
          : status.mode & 0o077 != 0
            ? "is accessible to other users (change its mode to 0600)" : nil
    }
    guard let reason else { return }
    throw LocationError(.storageUnavailable, "\(file) \(reason); choose another name.")
  }

  /// Calls a closure. Throws its failure as the error of an action; see ``error(_:_:)``.
  func attempt<Result>(
    _ action: String, _ body: () throws(SystemFailure) -> Result
  ) throws(LocationError) -> Result {
    do throws(SystemFailure) {
      return try body()
    } catch {
      throw self.error(action, error)
    }
  }

  private static func participle(_ action: String) -> String {
    switch action {
    case "write": "written"
    case "read": "read"
    default: action.hasSuffix("e") ? action + "d" : action + "ed"
    }
  }
}
