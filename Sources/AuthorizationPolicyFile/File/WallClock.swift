import AsyncLocation
import Dispatch
import FoundationEssentials
import Glibc

/// The wall clock, on which the expiry times in rules are based; replaceable in tests.
struct WallClock: Sendable {
  let now: @Sendable () -> Date
  /// Returns at a date, even if the clock is set meanwhile, or when the task is cancelled.
  let wait: @Sendable (Date) async -> Void
  /// Returns after a duration, even if the clock is set meanwhile, or when the task is cancelled.
  let pause: @Sendable (Duration) async -> Void

  static let system = Self(
    now: { Date() }, wait: { await WallTimer().wait(until: $0) },
    pause: { try? await Task.sleep(for: $0) })
}

/// Waits once for a wall clock time.
private final class WallTimer: Sendable {
  private let waiter = Locked<(caller: CheckedContinuation<Void, Never>?, isOver: Bool)>(
    (nil, false))

  func wait(until date: Date) async {
    let timer = DispatchSource.makeTimerSource()
    // The time is clamped to what a timer accepts; the caller checks the time again at the limit.
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
