import AsyncLocation

/// The tests that have their turn now.
final class RunningTests: Sendable {
  static let shared = RunningTests()

  struct Run: Hashable, Sendable {
    fileprivate let number: Int
  }

  private struct State {
    var lastNumber = 0
    var running: [Int: String] = [:]
    var changes = 0
  }

  private let state = Locked(State())

  func begin(_ test: String) -> Run {
    state.withLock { state in
      state.lastNumber += 1
      state.changes += 1
      state.running[state.lastNumber] = test
      return Run(number: state.lastNumber)
    }
  }

  func end(_ run: Run) {
    state.withLock { state in
      state.changes += 1
      state.running[run.number] = nil
    }
  }

  /// The names of the running tests, in the order in which they began.
  var names: [String] {
    state.withLock { state in state.running.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// The number of tests that began, plus the number that ended.
  var changes: Int { state.withLock(\.changes) }
}
