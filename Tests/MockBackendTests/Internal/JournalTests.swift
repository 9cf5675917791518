import AsyncLocation
import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct JournalTests {
  @Test func waitsForAnEntry() async {
    let journal = Journal<Int>()
    let waiter = Task.immediate { await journal.wait { journal.entries.contains(3) } }
    for entry in 1...3 { journal.append(entry) }
    #expect(await waiter.value)
    #expect(await journal.wait { journal.entries == [1, 2, 3] })
  }

  @Test func cancellationEndsAWait() async {
    let journal = Journal<Int>()
    let waiter = Task.immediate { await journal.wait { journal.entries.contains(3) } }
    journal.append(1)
    waiter.cancel()
    #expect(await !waiter.value)
  }

  @Test(.longWork) func keepsTheNewest() {
    let journal = Journal<Int>()
    for entry in 0...(2 * Journal<Int>.limit) { journal.append(entry) }
    #expect(journal.entries.count == Journal<Int>.limit + 1)
    #expect(journal.entries.last == 2 * Journal<Int>.limit)
    #expect(journal.entries.first == Journal<Int>.limit)
  }

  @Test func noEntryIsLost() async {
    for _ in 0..<200 {
      let journal = Journal<Int>()
      await withTaskGroup { group in
        for _ in 0..<4 {
          group.addTask { _ = await journal.wait { journal.entries.count == 4 } }
          group.addTask { journal.append(1) }
        }
      }
      #expect(journal.entries.count == 4)
    }
  }
}
