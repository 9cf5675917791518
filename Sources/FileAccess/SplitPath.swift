/// The folder of a path and the name of the file in it.
package struct SplitPath: Hashable, Sendable {
  /// The maximum length of a name in bytes. It leaves room for the prefixes and suffixes of related
  /// files, such as drafts and damaged files.
  package static let longestName = 200

  package let folder: String
  package let name: String

  /// Nil if the path has no file name, contains a NUL character, or has a name that is too long.
  package init?(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let last = parts.last, !["", ".", ".."].contains(last), !path.utf8.contains(0),
      last.utf8.count <= Self.longestName
    else { return nil }
    let parent = parts.dropLast().joined(separator: "/")
    (folder, name) = (parts.count == 1 ? "." : parent.isEmpty ? "/" : parent, String(last))
  }
}
