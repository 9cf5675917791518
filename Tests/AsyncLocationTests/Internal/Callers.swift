@testable import AsyncLocation

/// Suspends a number of callers, passes all continuations to a closure, and returns each result in
/// the same order.
func outcomes<Value: Sendable>(
  of count: Int, _ body: ([PendingCall<Value>.Caller]) -> Void
) async -> [Result<Value, any Error>] {
  let (arrivals, arrived) = AsyncStream<(Int, PendingCall<Value>.Caller)>.makeStream()
  let tasks = (0..<count).map { index in
    Task {
      try await withCheckedThrowingContinuation { arrived.yield((index, $0)) }
    }
  }
  var callers: [Int: PendingCall<Value>.Caller] = [:]
  for await (index, caller) in arrivals {
    callers[index] = caller
    if callers.count == count { break }
  }
  body((0..<count).compactMap { callers[$0] })
  var outcomes: [Result<Value, any Error>] = []
  for task in tasks { outcomes.append(await task.result) }
  return outcomes
}

/// The result of a caller, for comparison in tests.
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
