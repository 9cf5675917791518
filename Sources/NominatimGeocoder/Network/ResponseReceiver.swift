import AsyncLocation
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Receives the responses of a `URLSession` and gives each to its caller.
///
/// Its methods run on the session's own thread and must not wait, nor cancel a task, which waits
/// for that thread.
final class ResponseReceiver: NSObject, URLSessionDataDelegate, Sendable {
  private struct Exchange: Sendable {
    var call = PendingCall<HTTPResponse>()
    var response: HTTPResponse?
    /// Whether the session has ended the task.
    var isComplete = false
  }

  private let limit: Int
  private let exchanges = Locked<[Int: Exchange]>([:])

  /// - Parameter limit: The longest body in bytes.
  init(limit: Int) { self.limit = limit }

  // MARK: Callers

  /// A task is about to start.
  func expect(_ id: Int) { exchanges.withLock { $0[id] = Exchange() } }

  func wait(_ id: Int, _ caller: PendingCall<HTTPResponse>.Caller) {
    exchanges.withLock { $0[id]?.call.wait(caller) }?.perform()
  }

  /// Sets the result of a task. Only the first counts.
  func resolve(_ id: Int, _ result: Result<HTTPResponse, any Error>) {
    exchanges.withLock { $0[id]?.call.resolve(result) }?.perform()
  }

  /// A caller has its result.
  ///
  /// - Returns: Whether the task is still under way.
  func forget(_ id: Int) -> Bool {
    exchanges.withLock { $0.removeValue(forKey: id)?.isComplete == false }
  }

  // MARK: The session

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    defer { completionHandler(.allow) }
    guard let http = response as? HTTPURLResponse else {
      return resolve(dataTask.taskIdentifier, .failure(HTTPFailure.broken))
    }
    guard http.statusCode >= 200 else { return }  // Informational: the response follows.
    let head = HTTPResponse(
      status: http.statusCode, location: http.value(forHTTPHeaderField: "Location"),
      retryAfter: http.value(forHTTPHeaderField: "Retry-After"),
      date: http.value(forHTTPHeaderField: "Date"))
    let id = dataTask.taskIdentifier
    if head.status == 200, http.expectedContentLength <= Int64(limit) {
      exchanges.withLock { $0[id]?.response = head }
    } else {
      resolve(id, head.status == 200 ? .failure(HTTPFailure.tooLong) : .success(head))
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let id = dataTask.taskIdentifier
    let isTooLong = exchanges.withLock { exchanges in
      guard exchanges[id]?.response != nil, exchanges[id]?.call.isOpen == true else { return false }
      let count = exchanges[id]?.response?.body.count ?? 0
      guard data.count <= limit - count else {
        exchanges[id]?.response = nil  // What was received is of no use.
        return true
      }
      exchanges[id]?.response?.body.append(data)
      return false
    }
    if isTooLong { resolve(id, .failure(HTTPFailure.tooLong)) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let id = task.taskIdentifier
    let response = exchanges.withLock { exchanges in
      exchanges[id]?.isComplete = true
      return exchanges[id]?.response
    }
    if error == nil, let response {
      resolve(id, .success(response))
    } else {
      resolve(id, .failure(error.map(HTTPFailure.init(ofSession:)) ?? .broken))
    }
  }

  /// Redirects are decided by ``ExchangeStateMachine``: the response with its `Location` is the
  /// result.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// There are no credentials. Whatever the answer is, `URLSession` never completes the task on
  /// Linux; the response with its status is the result already.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(.performDefaultHandling, nil)
  }
}

extension HTTPFailure {
  /// The failure of a session. Its own text is not used: it may contain the address.
  init(ofSession error: any Error) {
    let code = (error as? URLError)?.code ?? URLError.Code(rawValue: (error as NSError).code)
    switch code {
    case .cannotFindHost, .dnsLookupFailed: self = .unreachable("its name is unknown")
    case .cannotConnectToHost: self = .unreachable("the connection was refused")
    case .notConnectedToInternet, .networkConnectionLost:
      self = .unreachable("there is no network")
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      self = .unreachable("the connection cannot be secured")
    case .timedOut: self = .unreachable("the connection timed out")
    default: self = .broken
    }
  }
}
