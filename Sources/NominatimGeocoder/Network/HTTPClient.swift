import FoundationEssentials

/// Sends HTTP requests with libcurl, which has neither cookies, caches nor credentials here, and
/// follows no redirect.
final class HTTPClient: Sendable {
  private let application: String
  private let loop = TransferLoop()

  /// - Parameter application: The value of `User-Agent`, in printable ASCII.
  init(application: String) { self.application = application }

  /// Sends a request and receives its response; of a status other than 200 only the headers.
  ///
  /// - Parameter languages: The value of `Accept-Language`, in printable ASCII.
  /// - Throws: ``HTTPFailure``, or `CancellationError` when the task is cancelled.
  func get(_ url: URL, languages: String) async throws -> HTTPResponse {
    let exchange = HTTPExchange(
      url: url.absoluteString,
      headers: [
        "User-Agent: " + application, "Accept: application/json", "Accept-Language: " + languages,
      ])
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
