import AsyncLocation
import FileAccess

/// A small file beside a database, which the next open obeys before it reads anything.
struct StorageMark {
  /// The text after the name of the database.
  let suffix: String
  /// The beginning of every mark, which distinguishes it from a file of another program.
  let title: String

  /// A deletion began.
  static var deletion: Self {
    Self(suffix: ".delete", title: "async-location deletion, last number ")
  }

  /// Permission for the locations was withdrawn.
  static var withdrawal: Self { Self(suffix: ".withheld", title: "async-location withdrawal") }
}

extension StorageFile {
  /// Whether the work that a mark announces did not end.
  func has(_ mark: StorageMark, in folder: Folder) throws(LocationError) -> Bool {
    try attempt("check") { () throws(SystemFailure) in
      try folder.status(of: name + mark.suffix) != nil
    }
  }

  /// The text after the title of a mark; nil if there is no mark, empty if a full disk had room for
  /// its name only.
  func text(
    of mark: StorageMark, in folder: Folder
  ) throws(LocationError) -> String? {
    try contents(of: mark, in: folder).map { String($0.dropFirst(mark.title.count)) }
  }

  private func contents(
    of mark: StorageMark, in folder: Folder
  ) throws(LocationError) -> String? {
    let name = self.name + mark.suffix
    let status = try attempt("check") { () throws(SystemFailure) in
      try folder.status(of: name)
    }
    guard let status else { return nil }
    guard status.kind == .regular else {
      throw refusal("\(self.folder)/\(name)", "is not a regular file; remove it")
    }
    let contents = try attempt("check") { () throws(SystemFailure) in
      String(decoding: try folder.beginning(of: name, limit: 1 << 17), as: UTF8.self)
    }
    guard contents.isEmpty || contents.hasPrefix(mark.title) else {
      throw refusal("\(self.folder)/\(name)", "is the file of another program; move it away")
    }
    return contents
  }

  /// Writes a mark to the disk, unless it is complete. A disk that takes no mark may still take the
  /// work.
  func set(
    _ mark: StorageMark, _ text: String, in folder: Folder
  ) throws(LocationError) {
    let complete = mark.title + text
    guard try contents(of: mark, in: folder) != complete else { return }
    let name = self.name + mark.suffix
    do throws(SystemFailure) {
      try folder.replace(name, with: Array(complete.utf8), draft: Self.draftName(of: name))
    } catch {
      // A full disk may have room for a name.
      _ = try? folder.create(name)
      try? folder.synchronize()
    }
  }

  /// Marks the file, or throws if its folder takes no mark. If an older text cannot be replaced, the mark
  /// is emptied.
  func set(_ mark: StorageMark, _ text: String) throws(LocationError) {
    let folder = try openFolder()
    let name = self.name + mark.suffix
    try set(mark, text, in: folder)
    let isComplete = try self.text(of: mark, in: folder) == text
    try attempt("mark") { () throws(SystemFailure) in
      if !isComplete {
        let file = try folder.open(name, for: .writing)
        try file.truncate(to: 0)
        try file.synchronize()
      }
      try folder.synchronize()
    }
  }

  /// As ``text(of:in:)``; throws for a file of another program in the place of the mark.
  func text(of mark: StorageMark) throws(LocationError) -> String? {
    try text(of: mark, in: try openFolder())
  }

  /// Removes a mark: the work has ended.
  func clear(_ mark: StorageMark) throws(LocationError) { try clear(mark, in: try openFolder()) }

  func clear(_ mark: StorageMark, in folder: Folder) throws(LocationError) {
    try attempt("delete") { () throws(SystemFailure) in
      // The draft for which a full disk had no room.
      try? folder.remove(Self.draftName(of: name + mark.suffix))
      try folder.removeIfPresent(name + mark.suffix)
      try folder.synchronize()
    }
  }
}
