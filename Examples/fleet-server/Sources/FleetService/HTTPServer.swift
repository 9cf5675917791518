import AsyncLocation
import CMicroHTTPD
import Foundation

/// Returns a status and JSON for a path. Must not block.
typealias Answers = @Sendable (_ path: String) -> (status: UInt32, body: Data)

/// Answers GET and HEAD requests through libmicrohttpd, on a separate thread, while a closure runs.
/// The closure receives the port, which the system chooses if `port` is 0.
func withHTTPServer(
  host: String, port: UInt16, _ answers: @escaping Answers, body: (UInt16) async throws -> Void
) async throws {
  let handler = Unmanaged.passRetained(Handler(answers: answers))
  defer { handler.release() }
  guard let started = cmicrohttpd_start(host, port, respond, handler.toOpaque()) else {
    let reason = String(cString: strerror(errno))
    throw LocationError(
      .invalidValue, "Cannot listen on \(host):\(port): \(reason); choose another.")
  }
  // SAFETY: only this function uses the server, which is stopped once.
  nonisolated(unsafe) let server = started
  let outcome: Result<Void, any Error>
  do { outcome = .success(try await body(cmicrohttpd_port(server))) } catch {
    outcome = .failure(error)
  }
  // In a task that is never cancelled: the server uses the handler until it has stopped.
  await Task { try? await runBlocking { MHD_stop_daemon(server) } }.value
  try outcome.get()
}

private final class Handler: Sendable {
  let answers: Answers

  init(answers: @escaping Answers) { self.answers = answers }
}

/// Called on the server's thread: first when the headers of a request have arrived, then for each
/// part of its body, and finally when the request is complete.
private let respond: MHD_AccessHandlerCallback = {
  context, connection, url, method, _, _, uploadSize, request in
  guard let context, let url, let method, let uploadSize, let request else { return .NO }
  let isWhole = request.pointee != nil && uploadSize.pointee == 0
  (request.pointee, uploadSize.pointee) = (context, 0)  // A body is skipped.
  guard isWhole else { return .YES }
  let isGet = ["GET", "HEAD"].contains(String(cString: method))
  let handler = Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue()
  let (status, body) = isGet ? handler.answers(String(cString: url)) : (405, json("Use GET."))
  let response = body.withUnsafeBytes {
    MHD_create_response_from_buffer(
      $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
  }
  guard let response else { return .NO }
  defer { MHD_destroy_response(response) }
  MHD_add_response_header(response, "Content-Type", "application/json")
  if !isGet { MHD_add_response_header(response, "Allow", "GET, HEAD") }
  return MHD_queue_response(connection, status, response)
}
