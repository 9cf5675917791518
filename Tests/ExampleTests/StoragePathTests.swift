import Foundation
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct StoragePathTests {
  @Test(
    "a file that is no database is refused",
    arguments: [
      ("", true), ("SQLite format 3\0and more", true), ("SQLite f", true),
      (String(repeating: "\0", count: 4_096), true), ("\0\0", true),
      ("letter\n", false), ("SQLite format 2\0", false), (#"{"type":"FeatureCollection"}"#, false),
      (String(repeating: "\0", count: 15) + "x", false),
    ])
  func refusesOtherFiles(_ content: String, _ isAccepted: Bool) throws {
    let folder = try RecordingFolder()
    try folder.write(content, to: "queue")
    let path = folder.path + "/queue"
    if isAccepted {
      try StoragePath.check(path, .storage)
    } else {
      let error = #expect(throws: UsageError.self) { try StoragePath.check(path, .storage) }
      #expect(
        error?.message
          == "--storage: \(path) is not a database; it is left as it is. Name another file")
    }
    #expect(try folder.names == ["queue"] && folder.read("queue") == content)
  }

  @Test("a directory must exist") func needsADirectory() throws {
    let folder = try RecordingFolder()
    try StoragePath.check(folder.path + "/queue", .state)
    try StoragePath.check("queue", .state)
    try StoragePath.check("/queue", .state)
    let error = #expect(throws: UsageError.self) {
      try StoragePath.check(folder.path + "/missing/queue", .state)
    }
    #expect(error?.message == "--state: \(folder.path)/missing/: No such file or directory")
    #expect(try folder.names.isEmpty)
    for path in [folder.path, folder.path + "/"] {
      let error = #expect(throws: UsageError.self) { try StoragePath.check(path, .state) }
      #expect(error?.message == "--state: \(path) is a directory; name a file in it")
    }
  }

  @Test("what is no regular file is the storage's to refuse") func leavesOthersToTheStorage() throws
  {
    let folder = try RecordingFolder()
    symlink("nowhere", folder.path + "/link")
    mkfifo(folder.path + "/fifo", 0o600)
    for name in ["link", "fifo"] { try StoragePath.check("\(folder.path)/\(name)", .storage) }
  }
}
