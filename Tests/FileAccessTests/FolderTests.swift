import Foundation
import Glibc
import TestSupport
import Testing

@testable import FileAccess

/// Opens, creates, replaces, locks and copies real folders and files.
@Suite(.blocking, .inTurn) struct FolderTests {
  private let root: String
  private let folder: Folder

  init() throws {
    root = FileManager.default.temporaryDirectory.path + "/async-location-\(UUID().uuidString)"
    try Folder.create(root)
    folder = try Folder(root)
  }

  /// Runs the body of a test, then removes the test's folder.
  private func withCleanup(_ body: () throws -> Void) throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try body()
  }

  @Test func createdFoldersAndFilesArePrivateToTheOwner() throws {
    try withCleanup {
      try Folder.create(root + "/a/b/c/")
      for name in ["a", "a/b", "a/b/c"] {
        let status = try Folder("\(root)/\(name)").status()
        #expect(status.kind == .folder)
        #expect(status.mode == 0o700)
      }
      try Folder.create(root + "/a/b")
      try folder.create("file")
      let status = try #require(try folder.status(of: "file"))
      #expect(status.kind == .regular)
      #expect(status.owner == FileStatus.currentUser)
      #expect(status.mode == 0o600)
      #expect(status.links == 1)
      #expect(status.length == 0)
      #expect(throws: SystemFailure.exists) { try folder.create("file") }
      #expect(throws: SystemFailure(ENOTDIR)) { try Folder.create(root + "/file/d") }
    }
  }

  @Test func openingAPathFollowsLinks() throws {
    try withCleanup {
      try folder.create("file", containing: Array("content".utf8))
      #expect(symlink(root + "/file", root + "/link") == 0)
      let file = try OpenFile(reading: root + "/link")
      #expect(try file.next(3) == Array("con".utf8))
      #expect(try file.next(100) == Array("tent".utf8))
      #expect(try file.next(100).isEmpty)
      #expect(try file.contents(limit: 4) == Array("conte".utf8), "one byte beyond the limit")
      let mapped = try MappedFile(file, length: 7)
      #expect(unsafe Array(mapped.bytes) == Array("content".utf8))
      #expect(throws: SystemFailure.missing) { try OpenFile(reading: root + "/none") }
    }
  }

  @Test func statusesIdentifyFilesAndLinks() throws {
    try withCleanup {
      try folder.create("file", containing: [1])
      let path = root + "/file"
      let first = try FileStatus(ofPath: path, followsLinks: true)
      #expect(try OpenFile(reading: path).status() == first)
      try folder.open("file", for: .writing).write([2], at: 0)
      let second = try FileStatus(ofPath: path, followsLinks: true)
      #expect(second.length == first.length)
      try folder.replace("file", with: [2], draft: ".file")
      #expect(try FileStatus(ofPath: path, followsLinks: true).inode != second.inode)
      #expect(symlink(path, root + "/link") == 0)
      #expect(try FileStatus(ofPath: root + "/link", followsLinks: false).kind == .link)
      #expect(try FileStatus(ofPath: root + "/link", followsLinks: true).kind == .regular)
    }
  }

  @Test func openingANameFollowsNoLink() throws {
    try withCleanup {
      try folder.create("file", containing: Array("kept".utf8))
      #expect(symlink(root + "/file", root + "/link") == 0)
      for purpose in [FilePurpose.reading, .writing, .readingAndWriting] {
        #expect(throws: SystemFailure.link) { try folder.open("link", for: purpose) }
      }
      #expect(throws: SystemFailure.exists) { try folder.create("link") }
      #expect(try folder.status(of: "link")?.kind == .link)
      try folder.replace("link", with: Array("new".utf8), draft: ".link")
      #expect(try folder.status(of: "link")?.kind == .regular)
      #expect(try folder.beginning(of: "file") == Array("kept".utf8))
    }
  }

  @Test func aFIFOWithoutAWriterIsEmpty() throws {
    try withCleanup {
      #expect(mkfifo(root + "/fifo", 0o600) == 0)
      let file = try OpenFile(reading: root + "/fifo")
      #expect(try file.status().kind == .other)
      #expect(try file.next(1).isEmpty)
    }
  }

  @Test func openingAFIFODoesNotBlock() throws {
    try withCleanup {
      #expect(mkfifo(root + "/fifo", 0o600) == 0)
      let status = try folder.open("fifo", for: .reading).status()
      #expect(status.kind == .other)
      #expect(throws: SystemFailure(ENXIO)) { try folder.open("fifo", for: .writing) }
    }
  }

  @Test func aMissingNameIsReported() throws {
    try withCleanup {
      #expect(try folder.status(of: "none") == nil)
      #expect(throws: SystemFailure.missing) { try folder.open("none", for: .reading) }
      #expect(throws: SystemFailure.missing) { try folder.remove("none") }
      #expect(throws: SystemFailure.missing) { try Folder(root + "/none") }
      try folder.removeIfPresent("none")
    }
  }

  @Test func aLockEndsWithItsFileOrFolder() throws {
    try withCleanup {
      try folder.create("lock")
      var first: OpenFile? = try folder.open("lock", for: .reading)
      let second = try folder.open("lock", for: .reading)
      #expect(try first?.lock() == true)
      #expect(try second.lock() == false)
      // A copy of the descriptor, like that of a child process between `fork` and `exec`.
      let inherited = dup(try #require(first?.descriptor))
      defer { close(inherited) }
      first = nil
      #expect(try second.lock())
      var firstFolder: Folder? = try Folder(root)
      let inheritedFolder = dup(try #require(firstFolder?.descriptor))
      defer { close(inheritedFolder) }
      #expect(try firstFolder?.lock() == true)
      #expect(try folder.lock() == false)
      firstFolder = nil
      #expect(try folder.lock())
    }
  }

  @Test func contentsAreReplacedThroughADraft() throws {
    try withCleanup {
      // A draft that a killed process has left.
      try folder.create("draft", containing: [1, 2, 3])
      for text in ["one", "two"] {
        try folder.replace("file", with: Array(text.utf8), draft: "draft")
        #expect(try folder.names().filter { !$0.hasPrefix(".") } == ["file"])
        #expect(try folder.beginning(of: "file") == Array(text.utf8))
      }
      #expect(throws: SystemFailure.missing) {
        try folder.replace("file", with: [1], draft: "none/draft")
      }
      // A folder cannot be replaced. The failed replacement leaves no draft.
      try Folder.create(root + "/full")
      #expect(throws: SystemFailure(EISDIR)) {
        try folder.replace("full", with: [1], draft: "draft")
      }
      #expect(try folder.status(of: "draft") == nil)
    }
  }

  @Test func eachListingHasAllNames() throws {
    try withCleanup {
      let names = (0..<300).map { "file-\($0)" }
      for name in names { try folder.create(name) }
      for _ in 0..<2 {
        let found = try folder.names().filter { $0.hasPrefix("file-") }
        #expect(Set(found) == Set(names))
        #expect(found.count == names.count)
      }
      // A folder that was removed while it is open has no names.
      try FileManager.default.removeItem(atPath: root)
      #expect(try folder.names() == [])
    }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000]) func aCopyHasAllBytes(_ count: Int)
    throws
  {
    try withCleanup {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try folder.create("file", containing: bytes)
      try Folder.create(root + "/other")
      let other = try Folder(root + "/other")
      try folder.copy("file", to: other)
      let copy = try other.open("file", for: .reading)
      #expect(try copy.contents(limit: count) == bytes)
      #expect(try copy.contents(limit: 10).count == min(count, 11))
      #expect(try copy.status().mode == 0o600)
      #expect(throws: SystemFailure.exists) { try folder.copy("file", to: other) }
    }
  }

  @Test func linksOfAPathAreResolved() throws {
    try withCleanup {
      try Folder.create(root + "/real")
      #expect(symlink("real", root + "/link") == 0)
      let resolved = try Folder(resolving: root + "/link/../link")
      #expect(resolved.path.hasSuffix("/real"))
      #expect(throws: SystemFailure.missing) { try Folder(resolving: root + "/none") }
    }
  }
}

/// Parses paths, and describes failures.
@Suite(.inTurn) struct PathTests {
  @Test(
    arguments: [
      ("/a/b", "/a"), ("/a", "/"), ("/", nil), ("a/b/", "a"), ("a", nil), ("/a//", "/"), ("", nil),
    ] as [(String, String?)])
  func aPathHasAParent(_ path: String, _ parent: String?) {
    #expect(Folder.parent(of: path) == parent)
  }

  @Test(arguments: [
    ("a", ".", "a"), ("/a", "/", "a"), ("b/a", "b", "a"), ("/b/c/a", "/b/c", "a"),
  ])
  func aPathIsSplit(path: String, folder: String, name: String) {
    #expect(SplitPath(path)?.folder == folder)
    #expect(SplitPath(path)?.name == name)
  }

  @Test(arguments: ["", "/", "a/", ".", "..", "a/..", "a\0b", String(repeating: "a", count: 201)])
  func aPathThatCannotNameAFileIsRefused(_ path: String) { #expect(SplitPath(path) == nil) }

  @Test func aFailureDescribesItsErrorNumber() {
    #expect("\(SystemFailure.missing)" == "No such file or directory")
    #expect(SystemFailure(EOPNOTSUPP).isLackOfLocks)
    #expect(!SystemFailure(EIO).isLackOfLocks)
  }
}
