import AsyncLocation
import Dispatch
import TestSupport
import Testing

@testable import LocationTransport

@Suite(.inTurn) struct EventLoopTests {
  /// Arms itself again for now, as long as it runs. Confined to the loop's thread.
  private final class Repeater: Sendable {
    private let loop: EventLoop
    private let isRunning = Locked(true)
    private let rounds = Locked(0)

    init(_ loop: EventLoop) { self.loop = loop }

    var count: Int { rounds.withLock(\.self) }

    func stop() { isRunning.withLock { $0 = false } }

    func fire() {
      rounds.withLock { $0 += 1 }
      guard isRunning.withLock(\.self) else { return }
      _ = loop.arm(at: loop.now()) { self.fire() }
    }
  }

  @Test func timerThatIsAlwaysDueLetsOthersWork() async throws {
    let loop = try EventLoop.shared()
    let repeater = Repeater(loop)
    loop.submit { repeater.fire() }
    // Each answer needs a turn of the loop.
    for _ in 0..<10 {
      await withCheckedContinuation { caller in loop.submit { caller.resume() } }
    }
    #expect(repeater.count > 0)
    repeater.stop()
  }

  @Test func callThatBlocksLeavesTheLoopFree() async throws {
    let loop = try EventLoop.shared()
    let queue = DispatchQueue(label: "test")
    let gate = DispatchSemaphore(value: 0)
    let (answers, sink) = AsyncStream.makeStream(of: Bool.self)
    loop.submit {
      loop.call(on: queue) {
        gate.wait()
        return 5
      } answer: { value in
        sink.yield(value == 5 && loop.isCurrent)
      }
    }
    for _ in 0..<3 {
      await withCheckedContinuation { caller in loop.submit { caller.resume() } }
    }
    gate.signal()
    #expect(await answers.first { _ in true } == true)
  }
}
