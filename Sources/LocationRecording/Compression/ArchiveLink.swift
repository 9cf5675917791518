/// A link from a file of an archive to another. Pure.
enum ArchiveLink {
  /// The name in the archive of the file that a relative reference leads to: RFC 3986, section 5.2.
  ///
  /// - Parameters:
  ///   - link: With `.` and `..`, percent encoding and a fragment.
  ///   - file: The name of the file that has the link.
  static func target(of link: String, in file: String) -> String {
    var folders = file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    for part in link.prefix(while: { $0 != "#" }).split(separator: "/") where part != "." {
      if part == ".." { _ = folders.popLast() } else { folders.append(part) }
    }
    return decoded(folders.joined(separator: "/"))
  }

  /// Without percent encoding: section 2.1.
  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
