import TestSupport
import Testing

@testable import AsyncLocation

/// F62 F65: the order of the writes when permission is withdrawn.
@Suite(.inTurn) struct MonitorJournalTests {
  /// The monitor's next actions: it notifies the storage of a withdrawal, and writes.
  private struct Step: Equatable {
    var notifies: UInt64?
    var write: MonitorJournal.Write
  }

  private var journal = MonitorJournal()

  private mutating func step(at instant: Duration) -> Step {
    Step(notifies: journal.withdrawalToReport(at: instant), write: journal.write(at: instant))
  }

  private mutating func fail(at instant: Duration, keepingRemains: Bool = false) {
    journal.failed(
      LocationError(.storageUnavailable, "full"), at: instant, keepingRemains: keepingRemains)
  }

  @Test("the storage is notified of a withdrawal before the write that replaces its contents")
  mutating func withdrawalIsNotifiedBeforeTheReplacement() {
    #expect(!journal.isDue(at: .zero))
    journal.withdraw(isStored: true, through: 7)
    #expect(journal.isDue(at: .zero))
    let first = step(at: .zero)
    #expect(first == Step(notifies: 7, write: .replace(thenDeletingRemains: true)))
    journal.succeeded()
    #expect(!journal.isDue(at: .zero))
    let second = step(at: .zero)
    #expect(second == Step(notifies: nil, write: .commit(thenDeletingRemains: false)))
  }

  @Test("a withdrawal during a write is not lost", arguments: [false, true])
  mutating func withdrawalDuringAWriteIsNotLost(fails: Bool) {
    journal.withdraw(isStored: false, through: 7)
    let first = step(at: .zero)
    #expect(first == Step(notifies: 7, write: .commit(thenDeletingRemains: true)))
    journal.withdraw(isStored: true, through: 7)
    if fails { fail(at: .zero, keepingRemains: true) } else { journal.succeeded() }
    #expect(journal.isDue(at: .zero))
    let second = step(at: .zero)
    let write: MonitorJournal.Write = fails ? .skip : .replace(thenDeletingRemains: true)
    #expect(second == Step(notifies: 7, write: write))
    guard fails else { return }
    let third = step(at: MonitorJournal.retryInterval)
    #expect(third == Step(notifies: 7, write: .replace(thenDeletingRemains: true)))
  }

  @Test("a withdrawal after a failed write is notified at once, and again with the next write")
  mutating func withdrawalAfterAFailedWriteIsNotifiedAgain() {
    fail(at: .zero)
    #expect(!journal.isDue(at: .seconds(1)))
    journal.withdraw(isStored: false, through: 7)
    #expect(journal.isDue(at: .seconds(1)))
    let first = step(at: .seconds(1))
    #expect(first == Step(notifies: 7, write: .skip))
    #expect(!journal.isDue(at: .seconds(29)))
    let second = step(at: .seconds(29))
    #expect(second == Step(notifies: nil, write: .skip))
    for instant in [Duration.seconds(30), .seconds(60)] {
      #expect(journal.isDue(at: instant))
      let next = step(at: instant)
      #expect(next == Step(notifies: 7, write: .replace(thenDeletingRemains: true)))
      fail(at: instant, keepingRemains: true)
    }
  }
}
