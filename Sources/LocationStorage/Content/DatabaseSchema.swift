/// The tables of a kind of file, and the steps from each version to the next.
struct DatabaseSchema: Sendable {
  /// Identifies the file as one of this kind.
  let applicationID: Int64
  /// The owner of files of this kind, with its article: `a monitor`.
  let owner: String

  /// The statements of each step; the first creates the tables of version 1. A step that has been
  /// released never changes.
  var steps: [String]

  /// The page settings of a new file, and the limit of the log.
  var layout = Layout()

  /// Whether the structure of the whole file is checked when it is opened. The check takes as long
  /// as reading the file.
  var checksStructure = true

  /// The version of a file after all steps.
  var version: Int64 { Int64(steps.count) }

  /// Writes the rows of a new file.
  let fill: @Sendable (Connection) throws(SQLiteFailure) -> Void

  struct Layout {
    /// The page size in bytes. A change writes at least one page.
    var pageSize = 4_096
    /// The number of pages in the log from which on a commit merges the log into the file.
    var logPages = 64
    /// Whether free pages can be returned to the file system one by one.
    var returnsPages = false
  }
}
