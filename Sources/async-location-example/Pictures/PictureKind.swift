/// The kinds of pictures, by file name extension.
enum PictureKind: String, CaseIterable {
  case svg, html

  /// - Throws: ``UsageError`` if the name does not have the extension of one of `kinds`.
  init(path: String, kinds: [Self] = Self.allCases, of command: Command) throws(UsageError) {
    let name = path.lowercased()
    guard let kind = kinds.first(where: { name.hasSuffix("." + $0.rawValue) }) else {
      let endings = kinds.map { "." + $0.rawValue }.joined(separator: " or ")
      throw UsageError(
        "'\(Escaping.escape(path, limit: 60))' does not end in \(endings)", command: command)
    }
    self = kind
  }
}
