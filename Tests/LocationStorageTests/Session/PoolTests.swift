import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationStorage

/// Files are opened, written and closed outside of the cooperative pool.
@Suite(.inTurn) struct PoolTests {
  @Test(.exitTest, .recordsPoolCalls) func aCallOnThePoolIsRecorded() async {
    await #expect(processExitsWith: .success) {
      let folder = try StorageFolder()
      try folder.write("a".utf8, to: "a")
      let path = folder("a")
      let calls = try await callsOnThePool {
        _ = try Data(contentsOf: URL(fileURLWithPath: path))
        let connection = try Connection(path: path, lock: nil)
        try? connection.mergeLogWhenClosed()
      }
      #expect(calls.contains { $0.hasPrefix("open") && $0.hasSuffix("\(path))") }, "\(calls)")
      #expect(calls.contains { $0.hasPrefix("pread") }, "\(calls)")
    }
  }

  @Test(.exitTest, .recordsPoolCalls) func aMonitorReadsNoFileOnThePool() async {
    await #expect(processExitsWith: .success) {
      let folder = try StorageFolder()
      let storage = folder.storage
      let calls = try await callsOnThePool {
        let backend = MockBackend(authorization: .granting)
        let manager = LocationManager(backend: backend)
        for isClosed in [true, false] {
          let monitor = try await Monitor("m", manager: manager, storage: storage)
          try await monitor.add(.circle(center: point(47, 9), radius: 100), identifier: "a")
          await monitor.remove("a")
          if isClosed { await monitor.close() }
        }
        await manager.shutdown()
      }
      #expect(calls == [], "\(calls)")
    }
  }

  @Test(.exitTest, .recordsPoolCalls) func aCacheReadsNoFileOnThePool() async {
    await #expect(processExitsWith: .success) {
      let folder = try CacheFolder()
      let calls = try await callsOnThePool {
        for isClosed in [true, false] {
          let cache = try await folder.open(server())
          _ = try await cache.geocode("Vaduz")
          if isClosed { await cache.close() }
        }
      }
      #expect(calls == [], "\(calls)")
    }
  }

  @Test(.exitTest, .recordsPoolCalls) func aQueueReadsNoFileOnThePool() async {
    await #expect(processExitsWith: .success) {
      let folder = try StorageFolder()
      let storage = SQLitePublicationStorage(file: folder("q.sqlite"))
      let calls = try await callsOnThePool {
        for isClosed in [true, false] {
          let (session, _) = try await storage.open(PublicationLimits())
          _ = try await session.append([])
          _ = try await session.publications(after: 0, count: 1, bytes: 1)
          try await session.removeAll()
          if isClosed { await session.close() }
        }
      }
      #expect(calls == [], "\(calls)")
    }
  }
}
