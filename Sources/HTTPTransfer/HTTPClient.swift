/// Sends HTTP requests with libcurl. It stores no cookies, caches nothing and follows no redirects.
/// libcurl uses the proxy that the environment names.
package final class HTTPClient: Sendable {
  private let loop: TransferLoop

  /// - Parameters:
  ///   - connectionLimit: The maximum number of open connections. Further requests wait for one.
  ///   - idleLimit: The maximum number of connections that stay open without a request.
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
