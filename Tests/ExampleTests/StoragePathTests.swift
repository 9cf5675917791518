import Foundation
import MockBackend
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

  @Test(
    "a queue that cannot be written ends publish at its start",
    .enabled(if: SmallDisk.isPossible, "a tmpfs cannot be mounted: run as root"))
  func needsAWritableQueue() async throws {
    let disk = try SmallDisk(kibibytes: 256)
    func expectRefusal(_ reason: String) async throws {
      let bench = Bench(MockBackend())
      let line = "publish --broker mqtt://127.0.0.1:1 --topic owntracks/jane/boat --storage "
      #expect(try await bench.run(line + disk("queue")) == .usage)
      let lines = await bench.errors.lines
      #expect(lines == ["async-location-example: --storage: \(reason)"])
      #expect(bench.backend.backendCalls.isEmpty)
    }
    try StoragePath.checkWritable(disk("queue"), .storage)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).isEmpty)
    try await disk.fill()
    try await expectRefusal("\(disk.path)/ cannot be written: No space left on device")
    try disk.empty()
    try await disk.setReadOnly(true)
    try await expectRefusal("\(disk.path)/ cannot be written: Read-only file system")
  }
}
