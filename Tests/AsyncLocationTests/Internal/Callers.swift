@testable import AsyncLocation

/// Suspends a number of callers, passes their continuations to a closure, and waits until each has
/// been resumed. Returns the results in the order of the continuations.
func results<Value: Sendable>(
  callerCount count: Int, _ body: ([PendingCall<Value>.Caller]) -> Void
) async -> [Result<Value, any Error>] {
  let (arrivals, arrivalContinuation) = AsyncStream<(Int, PendingCall<Value>.Caller)>.makeStream()
  let tasks = (0..<count).map { index in
    Task {
      try await withCheckedThrowingContinuation { arrivalContinuation.yield((index, $0)) }
    }
  }
  var callers: [Int: PendingCall<Value>.Caller] = [:]
  for await (index, caller) in arrivals {
    callers[index] = caller
    if callers.count == count { break }
  }
  body((0..<count).compactMap { callers[$0] })
  var results: [Result<Value, any Error>] = []
  for task in tasks { results.append(await task.result) }
  return results
}

/// The result of a caller as a value that tests can compare.
enum Outcome<Value: Hashable & Sendable>: Hashable, Sendable {
  case value(Value)
  case failed(LocationError)
  case cancelled
  case other(String)

  init(_ result: Result<Value, any Error>) {
    switch result {
    case .success(let value): self = .value(value)
    case .failure(let error as LocationError): self = .failed(error)
    case .failure(is CancellationError): self = .cancelled
    case .failure(let error): self = .other("\(error)")
    }
  }
}
