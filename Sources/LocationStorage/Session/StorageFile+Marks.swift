import AsyncLocation
import FileAccess

/// A small file beside a database that records an unfinished operation. The next open completes the
/// operation before it returns any content.
struct StorageMark {
  /// The suffix that is appended to the name of the database.
  let suffix: String
  /// The text at the beginning of every mark. It distinguishes a mark from another program's file.
  let title: String

  /// A deletion is unfinished.
  static var deletion: Self {
    Self(suffix: ".delete", title: "async-location deletion, last number ")
  }

  /// Permission for the locations was withdrawn.
  static var withdrawal: Self { Self(suffix: ".withheld", title: "async-location withdrawal") }
}

extension StorageFile {
  /// Whether a mark exists, which means that its operation is unfinished.
  func has(_ mark: StorageMark, in folder: Folder) throws(LocationError) -> Bool {
    try attempt("check") { () throws(SystemFailure) in
      try folder.status(of: name + mark.suffix) != nil
    }
  }

  /// The text after the title of a mark; nil if there is no mark, empty if the disk was full and
  /// had room for an empty file only.
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

  /// Writes a mark to the disk, unless it exists with the same text. A failure to write is ignored,
  /// because the operation itself may still succeed.
  func set(
    _ mark: StorageMark, _ text: String, in folder: Folder
  ) throws(LocationError) {
    let complete = mark.title + text
    guard try contents(of: mark, in: folder) != complete else { return }
    let name = self.name + mark.suffix
    do throws(SystemFailure) {
      try folder.replace(name, with: Array(complete.utf8), draft: Self.draftName(of: name))
    } catch {
      // A full disk may still have room for an empty file.
      _ = try? folder.create(name)
      try? folder.synchronize()
    }
  }

  /// Writes a mark, or throws if the folder cannot store one. If an older text cannot be replaced,
  /// the mark is truncated to zero bytes, so that the older text does not apply.
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

  /// As ``text(of:in:)``, in the folder of the file. Throws if another program's file has the name
  /// of the mark.
  func text(of mark: StorageMark) throws(LocationError) -> String? {
    try text(of: mark, in: try openFolder())
  }

  /// Removes a mark after its operation has ended.
  func clear(_ mark: StorageMark) throws(LocationError) { try clear(mark, in: try openFolder()) }

  func clear(_ mark: StorageMark, in folder: Folder) throws(LocationError) {
    try attempt("delete") { () throws(SystemFailure) in
      // A write that failed on a full disk may have left a draft.
      try? folder.remove(Self.draftName(of: name + mark.suffix))
      try folder.removeIfPresent(name + mark.suffix)
      try folder.synchronize()
    }
  }
}
