/// A clock that advances only when the world advances it.
///
// SAFETY: a simulation, including this object, runs on a single thread.
final class SimulatedClock: Clock, @unchecked Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
    func duration(to other: Self) -> Duration { other.offset - offset }
    static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private(set) var now = Instant(offset: .zero)
  let minimumResolution: Duration = .init(secondsComponent: 0, attosecondsComponent: 1)
  /// Called at the beginning of each sleep.
  var onUse: (() -> Void)?
  private var sleepers: [Sleeper] = []
  private var lastID = 0

  var sleeperCount: Int { sleepers.count }
  var nextDeadline: Duration? { sleepers.map(\.deadline).min() }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    onUse?()
    lastID += 1
    let id = lastID
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else if deadline <= now {
          continuation.resume()
        } else {
          sleepers.append(
            Sleeper(id: id, deadline: deadline.offset, continuation: continuation))
        }
      }
    } onCancel: {
      guard let index = sleepers.firstIndex(where: { $0.id == id }) else { return }
      sleepers.remove(at: index).continuation.resume(throwing: CancellationError())
    }
  }

  /// Advances the time and resumes the sleepers whose deadlines it reaches. The executor decides
  /// the order in which they continue.
  func advance(to instant: Duration) {
    now = Instant(offset: max(now.offset, instant))
    let due = sleepers.filter { $0.deadline <= now.offset }
    sleepers.removeAll { $0.deadline <= now.offset }
    for sleeper in due { sleeper.continuation.resume() }
  }
}
