import AsyncLocation

/// The folder of a recording and the name of its file. Pure, but ``openFolder()``.
struct RecordingTarget {
  /// A longer name leaves no room for the time that a rotation adds.
  private static let longestName = 200

  let folder: String
  let name: String

  /// - Throws: `LocationError` if the path names no file.
  init(_ path: String) throws(LocationError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let last = parts.last, !["", ".", ".."].contains(last), !path.utf8.contains(0),
      last.utf8.count <= Self.longestName
    else {
      throw LocationError(
        .invalidValue,
        "A recording needs the path of a file with a name of at most \(Self.longestName) bytes; it "
          + "cannot contain a NUL character.")
    }
    let parent = parts.dropLast().joined(separator: "/")
    (folder, name) = (parts.count == 1 ? "." : parent.isEmpty ? "/" : parent, String(last))
  }

  func openFolder() throws(LocationError) -> SystemFolder {
    do throws(FileFailure) {
      return try SystemFolder(folder)
    } catch {
      throw LocationError(
        .storageUnavailable,
        "The folder '\(String(printable: folder, limit: .max))' cannot be opened: \(error).",
        cause: error)
    }
  }
}
