import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct FenceChangesTests {
  private static let center = try! Coordinate(latitude: 48, longitude: 11)

  @Test func changesListKeptAddedAndRemovedConditions() throws {
    let small = try Condition.circle(center: Self.center, radius: 1)
    let large = try Condition.circle(center: Self.center, radius: 2)
    let changes = FenceChanges(
      from: ["a": small, "b": small, "c": small, "d": small],
      to: ["a": small, "b": large, "e": small])
    #expect(changes.added == ["b": large, "e": small])
    #expect(changes.removed == ["c", "d"])
    #expect(changes.summary == "3 conditions: 1 kept, 2 added or changed, 2 removed")
    #expect(FenceChanges(from: [:], to: ["a": small]).summary == "1 condition")
    // The state of a replaced area is lost.
    #expect(
      FenceChanges(from: ["a": small], to: ["a": large]).summary
        == "1 condition: 0 kept, 1 added or changed, 0 removed")
  }
}

@Suite(.inTurn) struct FenceMessagesTests {
  private func event(
    _ number: UInt64 = 1, _ state: Monitor.State = .unmonitored,
    _ diagnostics: Monitor.Diagnostics = [], isRepeated: Bool = false
  ) -> Monitor.Event {
    Monitor.Event(
      identifier: "a\u{1B}", number: number, state: state, previousState: .unknown,
      date: Samples.time, diagnostics: diagnostics, isRepeated: isRepeated)
  }

  @Test func aReasonIsPrintedOnceUntilItEnds() {
    var messages = FenceMessages()
    let denied = event(1, .unmonitored, .authorizationDenied)
    let text = ["nothing is monitored: Permission is refused or was withdrawn."]
    #expect(messages.nextMessages(denied, storageProblem: nil) == text)
    #expect(messages.nextMessages(denied, storageProblem: nil) == [])
    #expect(
      messages.nextMessages(event(2, .unmonitored, .accuracyLimited), storageProblem: nil)
        == ["nothing is monitored: Accuracy is reduced by the authorization policy."])
    #expect(messages.nextMessages(event(3, .satisfied), storageProblem: nil) == [])
    #expect(messages.nextMessages(denied, storageProblem: nil) == text)
  }

  @Test func messagesNameTheirCondition() {
    var messages = FenceMessages()
    let name = "\"" + String(printable: "a\u{1B}") + "\""
    #expect(
      messages.nextMessages(event(1, .unmonitored, .conditionExpired), storageProblem: nil)
        == ["\(name) has expired and is no longer monitored"])
    #expect(
      messages.nextMessages(
        event(7, .satisfied, isRepeated: true), isPrinted: false, storageProblem: nil)
        == [])
    #expect(
      messages.nextMessages(event(7, .satisfied, isRepeated: true), storageProblem: nil)
        == ["event 7 of \(name) may have been printed before"])
  }

  @Test func eventOfAReplacedAreaIsReported() {
    var messages = FenceMessages()
    let event = event(3, .satisfied, .conditionReplaced)
    #expect(messages.nextMessages(event, isPrinted: false, storageProblem: nil) == [])
    let text = messages.nextMessages(event, storageProblem: nil)
    #expect(text.count == 1)
    #expect(text.first?.contains("event 3") == true)
    #expect(text.first?.contains("had this name before") == true)
  }

  /// The area was renewed before its event was printed.
  @Test func aReplacedAreaIsNotReportedAsExpired() {
    var messages = FenceMessages()
    let event = event(3, .unmonitored, [.conditionExpired, .conditionReplaced])
    #expect(
      !messages.nextMessages(event, storageProblem: nil).contains { $0.contains("has expired") })
    #expect(!event.endsItsArea)
    #expect(self.event(3, .unmonitored, .conditionExpired).endsItsArea)
  }

  @Test func aStorageProblemIsPrintedOnce() {
    var messages = FenceMessages()
    let problem = LocationError(.storageUnavailable, "The disk is full.")
    let event = event(1, .satisfied, .persistenceUnavailable)
    #expect(
      messages.nextMessages(event, storageProblem: problem)
        == ["the state file: The disk is full."])
    #expect(messages.nextMessages(event, storageProblem: problem) == [])
    #expect(messages.nextMessages(self.event(2, .satisfied), storageProblem: nil) == [])
    #expect(messages.nextMessages(event, storageProblem: problem).count == 1)
  }

  @Test(
    arguments: [
      (true, [1, 2, 3], [], 0), (true, [5], [5], 4), (false, [5], [5], 1), (false, [5, 9], [9], 3),
      (false, [5, 9], [], 0), (true, [2, 1, 3], [3], 0),
    ] as [(Bool, [UInt64], Set<UInt64>, Int)])
  func countsDiscardedEvents(
    isNew: Bool, numbers: [UInt64], marked: Set<UInt64>, count: Int
  ) {
    var losses = FenceLosses(isNew: isNew)
    for number in numbers {
      losses.record(event(number, .satisfied, marked.contains(number) ? .eventsDiscarded : []))
    }
    #expect(losses.count == count)
  }
}
