/// The tables of Documentation/Architecture.md that the tests enforce.
struct ArchitecturePage {
  struct Target {
    let name: String
    /// The targets on which the target depends.
    let uses: [String]
  }

  /// A folder of Sources with Swift files.
  struct Room {
    /// Relative to Sources, such as `GPSDReports/Wire`.
    let path: String
    let isPure: Bool
    /// Whether the room may import the C library, for pure functions.
    let usesLibrary: Bool

    var target: String { String(path.prefix { $0 != "/" }) }
  }

  /// The types of higher rooms that a room may name.
  struct Exception {
    let room: String
    let types: [String]
  }

  private var tests: [Target] = []
  private var libraries: [Target] = []
  /// In the order of the page, test targets first. A target may use only later ones.
  var targets: [Target] { tests + libraries }
  /// In the order of the page. A room may use only later rooms of its target.
  private(set) var rooms: [Room] = []
  private(set) var exceptions: [Exception] = []

  init(_ text: String) {
    var header: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        header = []
        continue
      }
      let cells = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false)
        .map { $0.drop { $0 == " " } }
      guard !header.isEmpty else {
        header = cells.map { cell in cell.prefix { $0 != " " } }
        continue
      }
      let row = Dictionary(zip(header, cells)) { first, _ in first }
      guard let first = cells.first, let name = Self.names(in: first).first else { continue }
      switch header.first {
      case "target", "test":
        let target = Target(name: name, uses: Self.names(in: row["uses"]))
        if header.first == "test" { tests.append(target) } else { libraries.append(target) }
      case "room":
        rooms.append(
          Room(
            path: name, isPure: row["pure"]?.hasPrefix("yes") ?? false,
            usesLibrary: Self.names(in: row["pure"]) == ["libc"]))
      case "exception":
        exceptions.append(Exception(room: name, types: Self.names(in: row["names"])))
      default: break
      }
    }
  }

  /// Returns the names between backquotes.
  private static func names(in cell: Substring?) -> [String] {
    guard let cell else { return [] }
    return cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset.isMultiple(of: 2) == false }.map { String($0.element) }
  }
}
