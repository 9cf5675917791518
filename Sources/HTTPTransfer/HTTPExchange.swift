import AsyncLocation

/// A request and the caller that waits for its response.
final class HTTPExchange: Sendable {
  let request: HTTPRequest
  private let call = Locked(PendingCall<HTTPResponse>())

  init(_ request: HTTPRequest) { self.request = request }

  /// Whether the caller still waits for its result.
  var isOpen: Bool { call.withLock { $0.isOpen } }

  /// Sets the caller; called once.
  func wait(_ caller: PendingCall<HTTPResponse>.Caller) {
    call.withLock { $0.wait(caller) }?.perform()
  }

  /// Sets the result, which the caller receives. Later results are ignored.
  func resolve(_ result: Result<HTTPResponse, any Error>) {
    call.withLock { $0.resolve(result) }?.perform()
  }
}
