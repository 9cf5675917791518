import Dispatch
import FoundationEssentials
import Glibc

/// The time of day, which operators write into rules; a seam for tests.
struct WallClock: Sendable {
  let now: @Sendable () -> Date
  /// Returns at a date, however the clock is set meanwhile, or when the task is cancelled.
  let wait: @Sendable (Date) async -> Void
  /// Returns after a time, however the clock is set meanwhile, or when the task is cancelled.
  let pause: @Sendable (Duration) async -> Void

  static let system = Self(
    now: { Date() }, wait: { await WallTimer().wait(until: $0) },
    pause: { try? await Task.sleep(for: $0) })
}

/// Waits for a time of day, once.
private final class WallTimer: Sendable {
  private let waiter = Locked<(caller: CheckedContinuation<Void, Never>?, isOver: Bool)>(
    (nil, false))

  func wait(until date: Date) async {
    let timer = DispatchSource.makeTimerSource()
    // Further away than this is looked at again then.
    let seconds = min(max(0, date.timeIntervalSince1970), 0xFFFF_FFFF)
    let whole = seconds.rounded(.down)
    let time = timespec(tv_sec: Int(whole), tv_nsec: Int((seconds - whole) * 1e9))
    timer.schedule(wallDeadline: DispatchWallTime(timespec: time))
    timer.setEventHandler { [self] in finish() }
    timer.activate()
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        let isOver = waiter.withLock { waiter in
          if !waiter.isOver { waiter.caller = caller }
          return waiter.isOver
        }
        if isOver { caller.resume() }
      }
    } onCancel: {
      finish()
    }
    timer.cancel()
  }

  private func finish() {
    let caller = waiter.withLock { waiter in
      defer { waiter = (nil, true) }
      return waiter.caller
    }
    caller?.resume()
  }
}
