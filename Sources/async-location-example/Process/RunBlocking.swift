import Dispatch

/// Runs a blocking call, such as reading a file, outside of the cooperative thread pool.
func runBlocking<Value: Sendable, Failure>(
  _ call: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  let result = await withCheckedContinuation { caller in
    DispatchQueue(label: "blocking-call").async {
      caller.resume(returning: Result(catching: call))
    }
  }
  return try result.get()
}
