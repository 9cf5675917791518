import FoundationEssentials

/// A link from one file of an archive to another. Pure.
enum ArchiveLink {
  /// The names that a link's target may have in the archive: the link resolved as a relative
  /// reference (RFC 3986, section 5.2), and the link as a literal path, since not every writer
  /// percent-encodes file names.
  ///
  /// - Parameters:
  ///   - link: The link, which may have `.` and `..`, percent encoding and a fragment.
  ///   - file: The name of the file that has the link.
  static func targets(of link: String, in file: String) -> Set<String> {
    let base = URL(filePath: "/" + file, directoryHint: .notDirectory)
    var targets: Set = [name(of: base.deletingLastPathComponent().appending(path: link))]
    if let reference = URL(string: link, relativeTo: base)?.absoluteURL,
      reference.scheme == base.scheme, reference.host() == base.host()
    {
      targets.insert(name(of: reference))
    }
    return targets
  }

  private static func name(of file: URL) -> String {
    String(file.standardized.path(percentEncoded: false).drop { $0 == "/" })
  }
}
