import AsyncLocation
import FileAccess

/// The folder of a recording and the name of its file. Pure, except ``openFolder()``.
struct RecordingTarget {
  let folder: String
  let name: String

  /// - Throws: `LocationError` with code `invalidValue` if the path ends without a valid file name.
  init(_ path: String) throws(LocationError) {
    guard let place = SplitPath(path) else {
      throw LocationError(
        .invalidValue,
        "A recording needs the path of a file with a name of at most \(SplitPath.longestName) bytes; "
          + "it cannot contain a NUL character.")
    }
    (folder, name) = (place.folder, place.name)
  }

  func openFolder() throws(LocationError) -> Folder {
    do throws(SystemFailure) {
      return try Folder(folder)
    } catch {
      throw LocationError(
        .storageUnavailable,
        "The folder '\(String(printable: folder, limit: .max))' cannot be opened: \(error).",
        cause: error)
    }
  }
}
