import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import NominatimGeocoder

/// A server with a fault of any kind: the request ends with the expected error, an endless body is
/// not read to its end, and the connection is closed.
@Suite(.serialized, .inTurn) struct NominatimFaultTests {
  struct Fault: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let code: LocationError.Code
    let steps: [LocalServer.Step]

    init(_ name: String, _ code: LocationError.Code, _ steps: LocalServer.Step...) {
      (testDescription, self.code, self.steps) = (name, code, steps)
    }

    /// An answer with a status.
    init(
      status: String, _ code: LocationError.Code, _ body: String = "", headers: String = ""
    ) {
      let answer = LocalServer.answer(body, status: status, headers: headers)
      self.init("\(status) \(headers)", code, .send(answer))
    }
  }

  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let padding = [UInt8](repeating: UInt8(ascii: " "), count: 65_536)

  static let answers = [
    Fault(
      status: "400 Bad Request", .geocoderUnavailable,
      "<error><code>400</code><message>Parameter 'lon' missing.</message></error>",
      headers: "Content-Type: text/xml\r\n"),
    Fault(status: "400 Bad Request", .geocoderUnavailable, "Unknown format 47.141"),
    Fault(status: "401 Unauthorized", .geocoderUnavailable, "x"),
    Fault(
      status: "401 Unauthorized", .geocoderUnavailable, "x",
      headers: "WWW-Authenticate: Basic realm=\"places\"\r\n"),
    Fault(
      status: "401 Unauthorized", .geocoderUnavailable, headers: "WWW-Authenticate: Basic\r\n"),
    Fault(
      status: "407 Proxy Authentication Required", .geocoderUnavailable,
      headers: "Proxy-Authenticate: Digest\r\n"),
    Fault(status: "403 Forbidden", .geocoderUnavailable, "<html>Access blocked"),
    Fault(status: "404 Not Found", .geocoderUnavailable),
    Fault(status: "204 No Content", .geocoderUnavailable),
    Fault(status: "304 Not Modified", .geocoderUnavailable),
    Fault(status: "429 Too Many Requests", .rateLimited, "slower"),
    Fault(status: "429 Too Many Requests", .rateLimited, headers: "Retry-After: 60\r\n"),
    Fault(
      status: "429 Too Many Requests", .rateLimited,
      headers: "Date: Sun, 22 Nov 2026 12:00:00 GMT\r\n"
        + "Retry-After: Sun, 22 Nov 2026 12:01:00 GMT\r\n"),
    Fault(status: "503 Service Unavailable", .rateLimited, headers: "Retry-After: 5\r\n"),
    Fault(status: "500 Internal Server Error", .network, "{}"),
    Fault(status: "502 Bad Gateway", .network, "<html>"),
    Fault(status: "999 ?", .geocoderUnavailable),
    Fault("closes at once", .network),
    Fault("closes after its status", .network, .send("HTTP/1.1 200 OK\r\n")),
    Fault("closes within its headers", .network, .send(head + "Content-Type: text/html\r\n")),
    Fault("closes within a header", .network, .send(head + "Content-Le")),
    Fault("informational only", .network, .send("HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n")),
    Fault("is not HTTP", .network, .send("SSH-2.0-OpenSSH_9.2\r\n")),
    Fault("empty body", .network, .send(LocalServer.answer(""))),
    Fault("HTML", .network, .send(LocalServer.answer("<html><body>login</body></html>"))),
    Fault(
      "invalid UTF-8", .network,
      .sendBytes(
        Array((head + "Content-Length: 14\r\n\r\n").utf8) + Array("{\"lat\":\"".utf8)
          + [0xC3, 0x28, 0xFF] + Array("\"}\n".utf8))),
    Fault(
      "truncated body", .network, .send(head + "Content-Length: 5000\r\n\r\n" + Answers.vaduz)),
    Fault(
      "body longer than its length", .network,
      .send(head + "Content-Length: 40\r\n\r\n" + Answers.vaduz)),
    Fault("negative length", .network, .send(head + "Content-Length: -5\r\n\r\n{}")),
    Fault("length that is no number", .network, .send(head + "Content-Length: x\r\n\r\n{}")),
    Fault(
      "chunks that are none", .network,
      .send(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n")),
    Fault(
      "an encoding that is none", .network,
      .send(head + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}")),
    Fault(
      "1 GiB with its length", .network, .send(head + "Content-Length: 1073741824\r\n\r\n"),
      .repeated(padding)),
    Fault(
      "endless chunks", .network, .send(head + "Transfer-Encoding: chunked\r\n\r\n"),
      .repeated(Array("10000\r\n".utf8) + padding + Array("\r\n".utf8))),
    Fault("endless body without a length", .network, .send(head + "\r\n"), .repeated(padding)),
    Fault(
      "endless informational answers", .network,
      .repeated(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8))),
    Fault(
      "endless headers", .network, .send(head), .repeated(Array("X: y\r\n".utf8))),
    Fault("endless header", .network, .send(head + "X: "), .repeated(padding)),
    Fault(
      "gzip bomb of 256 MiB", .network,
      .send(head + "Content-Encoding: gzip, gzip, gzip\r\nContent-Length: \(bomb.count)\r\n\r\n"),
      .sendBytes(bomb)),
    Fault(
      status: "302 Found", .network, headers: "Location: http://127.0.0.2:1/reverse\r\n"),
    Fault(status: "302 Found", .network, headers: "Location: https://127.0.0.1/reverse\r\n"),
    Fault(status: "302 Found", .network, headers: "Location: file:///etc/passwd\r\n"),
    Fault(status: "301 Moved Permanently", .network, headers: "Location: //example.org/\r\n"),
    Fault(status: "302 Found", .network),
    Fault(status: "302 Found", .network, headers: "Location: http://[\r\n"),
    Fault(status: "307 Temporary Redirect", .network, headers: "Location: /reverse\r\n"),
  ]

  /// 256 MiB of zeros, compressed three times.
  static let bomb = [UInt8](
    Data(
      base64Encoded:
        "H4sIAAAAAAACA5Pv5mAAASbmt3cW5gUXyrQ9nBZq0rGOQ4TpiEhi1rJlnBImTZmbuB8ITTONDJhx98iX"
        + "KyJtO+8eNNvOrcDhFJDSGvZO6Nxvm1cv5v96fvrk70+vS7Z8THl+/GrFn//Jpd8KPhb/KmEBGs9z59W7"
        + "knRjtp64tfn36i1AQm3vMsrNbvYx1dvvrXguAxQwqIif1v3zG39jvPp89XOMQJHm73/O/739Vqxg776a"
        + "bxdtgSIJH/JYmYG0gqsByNVRLCDOAggnCZkzKkN1mXPTu/eeFTP4v3efTYUxE0PFk9//tj+++fps8UP5"
        + "lqNfVrn9ZmYAAAdpCKBOAgAA")!)

  @Test("F39: an invalid answer fails at once", arguments: answers)
  func failsAtOnce(_ fault: Fault) async throws {
    let server = LocalServer { _ in fault.steps }
    do {
      let geocoder = try NominatimGeocoder(
        server, .init(retries: 0))
      let error = try #require(await error(of: geocoder) as? LocationError)
      #expect(error.code == fault.code, "\(error)")
      #expect(error.message.contains("127.0.0.1:\(server.port)"))
      for secret in ["47.1", "9.52", "reverse", "html", "slower"] {
        #expect(!error.message.contains(secret), "\(error)")
      }
      #expect(error.cause == nil)
    }
    await server.waitForClose()
  }

  static let stalls = [
    Fault("stalls before the headers", .timedOut, .hold),
    Fault("stalls within the headers", .timedOut, .send("HTTP/1.1 200 OK\r\nConten"), .hold),
    Fault(
      "stalls within the body", .timedOut, .send(head + "Content-Length: 500\r\n\r\n{"), .hold),
    Fault("drips its headers", .timedOut, .send(head + "X:"), .drip),
    Fault(
      "drips its short body", .timedOut, .send(head + "Content-Length: 1000000\r\n\r\n"), .drip),
  ]

  @Test("F39: a server that stalls or drips times out", arguments: stalls)
  func timesOut(_ fault: Fault) async throws {
    let server = LocalServer { _ in fault.steps }
    let clock = ManualClock()
    do {
      let geocoder = try NominatimGeocoder(server, clock: clock)
      async let failure = error(of: geocoder)
      await server.waitForRequests(1)
      await clock.waitForSleepers()
      #expect(clock.nextDeadline?.offset == .seconds(10))
      clock.advance(by: .seconds(10))
      let error = try #require(await failure as? LocationError)
      #expect(error.code == .timedOut, "\(error)")
    }
    await server.waitForClose()
  }

  @Test("F39: cancelling the task ends the request", arguments: stalls)
  func isCancelled(_ fault: Fault) async throws {
    let server = LocalServer { _ in fault.steps }
    do {
      let geocoder = try NominatimGeocoder(server)
      let caller = Task { try await geocoder.reverseGeocode(Answers.point) }
      await server.waitForRequests(1)
      caller.cancel()
      await #expect(throws: CancellationError.self) { try await caller.value }
    }
    await server.waitForClose()
  }
}
