import AsyncLocation
import Foundation
import Glibc
import MQTTBackend
import MockBackend
import OwnTracks
import TestSupport
import Testing

/// Publishing to Python's HTTP server over TLS, with certificates of the test's own authority.
@Suite(
  .enabled(if: SecureServer.isPossible, "python3 or openssl is not installed"),
  .inTurn)
struct ServerTLSTests {
  private static func bench(
    _ server: SecureServer, authority: String?
  ) throws -> (MockBackend, LocationPublisher) {
    // System clock: the mock has no script that waits.
    let backend = MockBackend(clock: ContinuousClock())
    let publisher = LocationPublisher(
      LocationManager(backend: backend), topic: try OwnTracksTopic(user: "jane", device: "boat"),
      to: OwnTracksServer(
        url: "https://127.0.0.1:\(server.port)/pub",
        tls: OwnTracksServer.TLS(authorityFile: authority),
        reconnection: .exponential(initial: .milliseconds(10), maximum: .milliseconds(20))))
    return (backend, publisher)
  }

  @Test func aTrustedServerReceives() async throws {
    let server = try await onThread { try SecureServer(name: "IP:127.0.0.1", days: 2) }
    let (backend, publisher) = try Self.bench(server, authority: server.authority)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit(try (0..<20).map { .location(try PublisherBench.location($0)) })
    try backend.end()
    try await run.value
    #expect(publisher.statistics.published == 20)
    #expect(server.body()?.contains(#""topic":"owntracks/jane/boat""#) == true)
  }

  @Test(arguments: [("IP:127.0.0.1", false), ("DNS:example.org", true)])
  func anotherCertificateEndsTheRun(_ name: String, _ isTrusted: Bool) async throws {
    let server = try await onThread { try SecureServer(name: name, days: 2) }
    let (backend, publisher) = try Self.bench(
      server, authority: isTrusted ? server.authority : nil)
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit(.location(try PublisherBench.location(0)))
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .serverUntrusted)
    #expect(error?.cause as? BrokerRefusal == .certificateUntrusted)
    #expect(publisher.statistics.backlog.count == 1)
  }

  @Test func anExpiredCertificateIsTriedAgain() async throws {
    let server = try await onThread { try SecureServer(name: "IP:127.0.0.1", days: -1) }
    let (backend, publisher) = try Self.bench(server, authority: server.authority)
    let states = publisher.connectionStates
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit(.location(try PublisherBench.location(0)))
    for await state in states where state.phase == .waiting {
      #expect(state.problem?.cause as? BrokerRefusal == .certificateExpired)
      break
    }
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
  }

  @Test func aMissingAuthorityFileEndsTheRun() async throws {
    let server = try await onThread { try SecureServer(name: "IP:127.0.0.1", days: 2) }
    let (backend, publisher) = try Self.bench(server, authority: "/nowhere/ca.pem")
    let run = Task { try await publisher.run() }
    await backend.waitUntilRunning()
    try backend.emit(.location(try PublisherBench.location(0)))
    let error = await #expect(throws: LocationError.self) { try await run.value }
    #expect(error?.code == .invalidValue)
  }
}

/// A server of Python with a certificate of its own authority. Deallocation ends it and removes its
/// folder.
private final class SecureServer: Sendable {
  static let isPossible = (["/usr/bin/python3", "/usr/bin/openssl"] as [String]).allSatisfy {
    access($0, X_OK) == 0
  }

  struct NotStarted: Error {}

  let port: Int
  private let folder: String
  private let process: ServerProcess
  private let output: Int32

  var authority: String { folder + "/ca.pem" }

  /// - Parameters:
  ///   - name: The name in the certificate, as OpenSSL writes it.
  ///   - days: How long the certificate is valid; negative for an expired one.
  init(name: String, days: Int) throws {
    let folder = NSTemporaryDirectory() + "server-\(UUID().uuidString)"
    self.folder = folder
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Self.program.write(toFile: folder + "/server.py", atomically: true, encoding: .utf8)
    try "subjectAltName=\(name)".write(
      toFile: folder + "/names", atomically: true, encoding: .utf8)
    let shell = try ServerProcess(["/bin/sh", "-c", Self.certificateCommands(folder, days: days)])
    guard shell.wait() == 0 else { throw NotStarted() }
    let lines = try ServerProcess.pipe()
    process = try ServerProcess(
      ["/usr/bin/python3", folder + "/server.py", folder], standardOutput: lines.writing)
    close(lines.writing)
    output = lines.reading
    guard let port = Self.line(of: output).flatMap({ Int($0) }) else { throw NotStarted() }
    self.port = port
  }

  deinit {
    process.stop(SIGKILL)
    close(output)
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The body of the next request; nil if the server ended.
  func body() -> String? { Self.line(of: output) }

  /// Reads a line; nil at the end of the output.
  private static func line(of descriptor: Int32) -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while read(descriptor, &byte, 1) == 1 {
      if byte == 10 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// The shell commands that create the authority and the server's certificate.
  private static func certificateCommands(_ folder: String, days: Int) -> String {
    let newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
    return """
      cd '\(folder)' &&
      openssl req -x509 \(newKey) -keyout ca.key -out ca.pem -subj /CN=authority -days 2 &&
      openssl req \(newKey) -keyout key.pem -out request.pem -subj /CN=server &&
      openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days \(days) \
      -extfile names -out certificate.pem
      """
  }

  /// Prints its port and then the body of each request.
  private static let program = """
    import http.server, ssl, sys

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            print(body.decode(), flush=True)
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"[]")
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1] + "/certificate.pem", sys.argv[1] + "/key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """
}
