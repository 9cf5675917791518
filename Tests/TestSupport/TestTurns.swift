import AsyncLocation

/// Limits the number of tests that run at a time. Swift Testing begins all tests at once, so that
/// each would wait for thousands of others in the middle of its work.
final class TestTurns: Sendable {
  static let shared = TestTurns(16)

  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Locked<State>

  init(_ count: Int) { state = Locked(State(free: count)) }

  /// Returns when the calling test may run. The test must call ``end()`` afterwards.
  func begin() async {
    await withCheckedContinuation { test in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(test)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { test.resume() }
    }
  }

  func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeLast() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
