import Foundation
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct StoragePathTests {
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
}
