import AsyncLocation
import Dispatch
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends HTTP requests with a `URLSession` of its own, which has neither cookies, cache nor
/// credentials, and follows no redirect by itself.
final class HTTPClient: Sendable {
  private let session: URLSession
  /// A serial queue always has a thread; the shared concurrent ones wait for a free core.
  private let cancellations = DispatchQueue(label: "geocoder cancellations")
  private let receiver = ResponseReceiver(limit: HTTPResponse.bodyLimit)

  /// - Parameter application: The value of `User-Agent`, in printable ASCII.
  init(application: String) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpCookieAcceptPolicy = .never
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCredentialStorage = nil
    configuration.httpAdditionalHeaders = ["User-Agent": application]
    // Callers have deadlines of their own; this is for what they no longer wait for.
    configuration.timeoutIntervalForRequest = 600
    session = URLSession(
      configuration: configuration, delegate: receiver, delegateQueue: InlineQueue())
  }

  deinit { cancellations.async { [session] in session.invalidateAndCancel() } }

  /// Sends a request and receives its response; of a status other than 200 only the headers.
  ///
  /// - Throws: ``HTTPFailure``, or `CancellationError` when the task is cancelled.
  func get(_ url: URL, languages: String) async throws -> HTTPResponse {
    var request = URLRequest(url: url)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue(languages, forHTTPHeaderField: "Accept-Language")
    let task = session.dataTask(with: request)
    let id = task.taskIdentifier
    receiver.expect(id)
    defer { if receiver.forget(id) { cancel(task) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        receiver.wait(id, caller)
        task.resume()
      }
    } onCancel: {
      receiver.resolve(id, .failure(CancellationError()))
    }
  }

  /// Cancels a task. This waits while `URLSession` decodes what it has received, so it must not
  /// happen on a thread of the cooperative pool.
  private func cancel(_ task: URLSessionDataTask) {
    cancellations.async { task.cancel() }
  }
}

/// Runs each block at once, on the thread that adds it.
///
/// `URLSession` adds a block for each part of a body and does not wait for it. With a queue that
/// has a thread of its own, a fast server or a compressed body fills the memory with parts before
/// the first is counted. Here each part is counted, or discarded, before the next is decoded.
///
// SAFETY: adds no state to its superclass, which is Sendable.
private final class InlineQueue: OperationQueue, @unchecked Sendable {
  override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
