import TestSupport
import Testing

@testable import AsyncLocation

@Suite(.inTurn) struct DeliveryGateTests {
  private let gate = DeliveryGate()

  @Test func currentElementsAreAdmitted() {
    #expect(gate.admits(gate.stamp(isPrecise: true)))
    #expect(gate.admits(gate.stamp(isPrecise: false)))
    #expect(gate.admits(.unrestricted))
  }

  @Test func elementsStayWithdrawnUnderALaterPermission() {
    let old = [true, false].map { gate.stamp(isPrecise: $0) }
    gate.withdraw()
    #expect(old.allSatisfy { !gate.admits($0) })
    #expect(gate.admits(gate.stamp(isPrecise: true)))
    #expect(gate.admits(.unrestricted))
    gate.withdraw(preciseOnly: true)
    #expect(old.allSatisfy { !gate.admits($0) })
  }

  @Test func reductionKeepsCoarseElements() {
    let (precise, coarse) = (gate.stamp(isPrecise: true), gate.stamp(isPrecise: false))
    gate.withdraw(preciseOnly: true)
    #expect(!gate.admits(precise))
    #expect(gate.admits(coarse))
  }

  // MARK: With a channel

  private func channel() -> BoundedChannel<Int> { BoundedChannel(limit: 8, gate: gate) }

  private func push(_ elements: [Int], _ channel: BoundedChannel<Int>, isPrecise: Bool = true) {
    var wakes = Wakes()
    gate.count(channel.push(elements, gate.stamp(isPrecise: isPrecise), waking: &wakes))
    wakes.perform()
  }

  @Test func withdrawnElementsAreDroppedAndCounted() async throws {
    let channel = channel()
    push([1, 2], channel, isPrecise: false)
    push([3, 4, 5], channel)
    gate.withdraw(preciseOnly: true)
    push([6], channel, isPrecise: false)
    channel.end()
    #expect(try await channel.next() == 1)
    // The two elements were stamped under different permissions.
    #expect(try await channel.nextBatch() == [2])
    #expect(try await channel.nextBatch() == [6])
    #expect(try await channel.next() == nil)
    #expect(channel.dropped == 3)
    #expect(gate.tally == Tally(delivered: 6, dropped: 3))
  }

  @Test func elementsOfAnOldPermissionAreRejected() {
    let channel = channel()
    let stamp = gate.stamp(isPrecise: true)
    gate.withdraw()
    var wakes = Wakes()
    #expect(
      channel.push([1, 2], stamp, waking: &wakes) == Tally(delivered: 2, dropped: 2))
    #expect(channel.count == 0)
    #expect(channel.dropped == 2)
  }

  @Test func discardingReturnsTheCountOnce() async throws {
    let channel = channel()
    push([1, 2, 3], channel)
    gate.withdraw()
    #expect(channel.discardWithdrawn() == Tally(delivered: 0, dropped: 3))
    #expect(channel.discardWithdrawn() == Tally())
    #expect(channel.take() == nil)
    #expect(channel.dropped == 3)
  }

  /// A consumer that waits while only withdrawn elements are buffered is woken by the next element.
  @Test func aWaitContinuesUntilAnElementIsAdmitted() async throws {
    let channel = channel()
    push([1], channel)
    gate.withdraw()
    let consumer = Task.immediate { try await channel.next() }
    push([2], channel)
    #expect(try await consumer.value == 2)
  }
}
