import AsyncLocation
import FoundationEssentials
import MQTTBackend
import Testing

@testable import async_location_example

@Suite struct PublishTests {
  @Test func summaryCountsEverything() {
    #expect(
      PublishText.summary(PublisherStatistics(), keeps: false) == "Published 0 locations; 0 wait.")
    #expect(
      PublishText.progress(PublisherStatistics(), nil) == "published 0, 0 waiting, not connected")
  }

  @Test func storageTakesNoMoreThanTheLimit() async throws {
    let counts = Counts()
    let storage = CountedStorage(base: MemoryPublicationStorage(), limit: 3) {
      await counts.append($0)
    }
    let (session, _) = try await storage.open(PublicationLimits())
    let publication = PendingPublication(
      topic: "owntracks/jane/boat", payload: [123, 125], isRetained: false, date: Date())
    for expected in [2, 3, 3] {
      let change = try await session.append([publication, publication])
      #expect(change.backlog.count == expected)
    }
    #expect(await counts.all == [2, 3])
    await session.close()
  }
}

private actor Counts {
  private(set) var all: [Int] = []

  func append(_ count: Int) { all.append(count) }
}
