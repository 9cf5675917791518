import TestSupport
import Testing

@testable import MockBackend

@Suite(.inTurn)
struct PromiseTests {
  @Test func waitersBeforeAndAfterTheValueResume() async {
    let promise = Promise<Int>()
    let early = Task.immediate { await promise.value() }
    let uncancellable = Task.immediate { await promise.valueDespiteCancellation() }
    #expect(!promise.isFulfilled)
    promise.fulfill(1)
    promise.fulfill(2)
    #expect(await early.value == 1)
    #expect(await uncancellable.value == 1)
    #expect(await promise.value() == 1)
    #expect(promise.current == 1)
  }

  @Test func cancellationEndsOneWait() async {
    let promise = Promise<Int>()
    let cancelled = Task.immediate { await promise.value() }
    let other = Task.immediate { await promise.value() }
    let uncancellable = Task.immediate { await promise.valueDespiteCancellation() }
    cancelled.cancel()
    uncancellable.cancel()
    #expect(await cancelled.value == nil)
    promise.fulfill(7)
    #expect(await other.value == 7)
    #expect(await uncancellable.value == 7)
  }

  @Test("F26 every wait ends once in a race")
  func everyWaitEndsOnceInARace() async {
    for _ in 0..<300 {
      let promise = Promise<Int>()
      let waiters = (0..<8).map { _ in Task { await promise.value() } }
      await withTaskGroup { group in
        group.addTask { promise.fulfill(1) }
        for waiter in waiters.prefix(4) { group.addTask { waiter.cancel() } }
      }
      for waiter in waiters.prefix(4) { #expect([nil, 1].contains(await waiter.value)) }
      for waiter in waiters.suffix(4) { #expect(await waiter.value == 1) }
    }
  }
}
