/// Sends HTTP requests with libcurl, which has neither cookies nor caches here, and follows no
/// redirect. libcurl uses the proxy that the environment names.
package final class HTTPClient: Sendable {
  private let loop: TransferLoop

  /// - Parameters:
  ///   - connectionLimit: How many connections are open at a time. Further requests wait for one.
  ///   - idleLimit: How many connections stay open without a request.
  package init(connectionLimit: Int, idleLimit: Int) {
    loop = TransferLoop(connectionLimit: connectionLimit, idleLimit: idleLimit)
  }

  /// Sends a request and receives its response within its bounds.
  ///
  /// - Throws: ``HTTPFailure``, or `CancellationError` when the task is cancelled; the transfer is
  ///   then ended too.
  package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let exchange = HTTPExchange(request)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        exchange.wait(caller)
        loop.start(exchange)
      }
    } onCancel: {
      exchange.resolve(.failure(CancellationError()))
      loop.wake()
    }
  }
}
