import Foundation
import HTTPTransfer
import TestSupport
import Testing

/// Sends requests to correct and to faulty servers.
@Suite(.inTurn) struct HTTPClientTests {
  private static let client = HTTPClient(connectionLimit: 4, idleLimit: 0)

  /// - Parameter headers: Lines that each end with CR LF.
  private static func response(_ status: String, headers: String, body: String) -> [UInt8] {
    Array("HTTP/1.1 \(status)\r\n\(headers)\r\n\(body)".utf8)
  }

  private static func get(
    _ answer: ScriptedServer.Answer, receiving part: HTTPRequest.Answer = .body(limit: 10)
  ) async throws -> HTTPResponse {
    let server = ScriptedServer(answer)
    defer { withExtendedLifetime(server) {} }
    let request = HTTPRequest(
      url: "http://127.0.0.1:\(server.port)/", headers: ["Accept: */*"], answer: part)
    return try await client.send(request)
  }

  @Test func aResponseHasItsHeadersAndBody() async throws {
    let answer = Self.response(
      "200 OK",
      headers: "Content-Length: 10\r\nDate: today\r\nRetry-After: 5\r\nLocation: /b\r\n",
      body: "0123456789")
    let response = try await Self.get(.send(answer))
    #expect(
      response
        == HTTPResponse(
          status: 200, location: "/b", retryAfter: "5", date: "today",
          body: Data("0123456789".utf8)))
  }

  @Test func ignoredBodiesAndBodiesOfErrorsAreNotReturned() async throws {
    let length = "Content-Length: 5\r\n"
    let ignored = try await Self.get(
      .send(Self.response("200 OK", headers: length, body: "01234")), receiving: .ignored(limit: 5))
    #expect(ignored == HTTPResponse(status: 200))
    let notFound = try await Self.get(
      .send(Self.response("404 Not Found", headers: length, body: "01234")))
    #expect(notFound == HTTPResponse(status: 404))
    // An ignored body may be incomplete.
    let incomplete = try await Self.get(
      .sendAndClose(Self.response("200 OK", headers: length, body: "01")),
      receiving: .ignored(limit: 5))
    #expect(incomplete == HTTPResponse(status: 200))
  }

  @Test func aRedirectIsNotFollowed() async throws {
    let answer = Self.response(
      "302 Found", headers: "Content-Length: 0\r\nLocation: http://127.0.0.1:1/\r\n", body: "")
    let response = try await Self.get(.send(answer))
    #expect(response == HTTPResponse(status: 302, location: "http://127.0.0.1:1/"))
  }

  private static let failures: [(String, ScriptedServer.Answer, HTTPFailure)] = [
    ("a closed connection", .close, .broken),
    ("another protocol", .send(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8)), .broken),
    (
      "a body that breaks off",
      .sendAndClose(response("200 OK", headers: "Content-Length: 9\r\n", body: "0123")), .broken
    ),
    (
      "a body that is too long",
      .send(response("200 OK", headers: "Content-Length: 11\r\n", body: "0123456789a")), .tooLong
    ),
    (
      "a body that is too long, without a length",
      .sendAndClose(response("200 OK", headers: "", body: "0123456789a")), .tooLong
    ),
  ]

  @Test(arguments: failures.indices) func aBadAnswerIsAFailure(_ index: Int) async {
    let (name, answer, failure) = Self.failures[index]
    await #expect(throws: failure, "\(name)") { try await Self.get(answer) }
  }

  @Test func aRefusedConnectionIsUnreachable() async throws {
    // The server ends before the request, so nothing listens at its port.
    let port = ScriptedServer(.close).port
    let request = HTTPRequest(
      url: "http://127.0.0.1:\(port)/", headers: [], answer: .body(limit: 1))
    do {
      _ = try await Self.client.send(request)
      Issue.record("There is no server.")
    } catch HTTPFailure.unreachable(let reason) {
      #expect(!reason.contains("127.0.0.1"))
    }
  }

  @Test func aWithheldRequestIsAFailure() async throws {
    let server = ScriptedServer(.silence)
    defer { withExtendedLifetime(server) {} }
    var request = HTTPRequest(
      url: "http://127.0.0.1:\(server.port)/", headers: [], body: [1], answer: .body(limit: 1))
    request.mayLeave = { false }
    let withheld = request
    await #expect(throws: HTTPFailure.withheld) { try await Self.client.send(withheld) }
  }

  @Test func aCancelledRequestReturns() async throws {
    let server = ScriptedServer(.silence)
    let request = HTTPRequest(
      url: "http://127.0.0.1:\(server.port)/", headers: [], answer: .body(limit: 1))
    let task = Task { try await Self.client.send(request) }
    while server.accepted == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // A task that is cancelled before it sends the request.
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Self.client.send(request)
    }
    await #expect(throws: CancellationError.self) { try await cancelled.value }
  }
}

/// Derives origins from addresses.
@Suite(.inTurn) struct HTTPOriginTests {
  @Test(arguments: [
    ("http://Boat.Local/a", "http", "boat.local", 80, "boat.local"),
    ("HTTPS://a:443/", "https", "a", 443, "a"), ("https://a:80", "https", "a", 80, "a:80"),
    ("http://[::1]:8080/x?y", "http", "::1", 8080, "[::1]:8080"),
  ])
  func anAddressHasAnOrigin(
    text: String, scheme: String, host: String, port: Int, name: String
  ) throws {
    let origin = try #require(URL(string: text).flatMap(HTTPOrigin.init))
    #expect(origin.scheme == scheme)
    #expect(origin.host == host)
    #expect(origin.port == port)
    #expect(origin.name == name)
  }

  @Test(arguments: [
    "ftp://a/", "file:///etc/passwd", "http://user@a/", "http://u:p@a/", "http:///a", "a",
    "http://a:0/", "http://a:65536/",
  ])
  func otherAddressesAreRefused(_ text: String) {
    #expect(URL(string: text).flatMap(HTTPOrigin.init) == nil)
  }
}
