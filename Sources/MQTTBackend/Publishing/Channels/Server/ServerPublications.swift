import AsyncLocation
import FoundationEssentials
import HTTPTransfer

/// Delivers publications to an HTTP server: performs the actions of ``ServerLink``.
struct ServerPublications: PublicationChannel {
  /// The maximum length in bytes of the body of an answer; a longer body ends the connection.
  static let bodyLimit = 65_536

  let server: OwnTracksServer
  let clock: any Clock<Duration>

  init(_ server: OwnTracksServer, clock: any Clock<Duration>) {
    (self.server, self.clock) = (server, clock)
  }

  var endpoint: String { server.endpoint }
  var keepsRetained: Bool { false }
  var connectTimeout: Duration { server.connectTimeout }

  func validate(confirms: Bool) throws(LocationError) {
    try server.validate()
    guard confirms else { return }
    throw LocationError(
      .invalidValue,
      "A server at a URL confirms nothing; publish to a broker, or set the confirmation to broker.")
  }

  func run(
    _ delivery: PublicationDelivery, will: (@Sendable () -> BrokerOptions.Message)?,
    window: Int,
    isPermitted: @escaping @Sendable () -> Bool
  ) async throws {
    defer { delivery.closed() }
    var run = ServerRun(server, clock, delivery, isPermitted)
    while true { try await run.serve() }
  }
}

/// A run of attempts to post to a server.
private struct ServerRun {
  /// The next step after the actions for a publication: another publication, or another attempt.
  private enum Next { case publication, attempt }

  private let server: OwnTracksServer
  private let clock: any Clock<Duration>
  private let delivery: PublicationDelivery
  private let isPermitted: @Sendable () -> Bool
  private let queue = ServerQueue()
  private let client = HTTPClient(connectionLimit: 1, idleLimit: 1)
  private var link: ServerLink
  private var generator = SystemRandomNumberGenerator()
  private var credentials: (user: String, password: String)?

  init(
    _ server: OwnTracksServer, _ clock: any Clock<Duration>, _ delivery: PublicationDelivery,
    _ isPermitted: @escaping @Sendable () -> Bool
  ) {
    (self.server, self.clock) = (server, clock)
    (self.delivery, self.isPermitted) = (delivery, isPermitted)
    link = ServerLink(server.endpoint, server.reconnection)
  }

  /// Posts publications until a failure, and then waits.
  mutating func serve() async throws {
    _ = try await perform(link.opened(), nil)
    do throws(LocationError) {
      credentials = try await server.readCredentials()
    } catch {
      _ = try await perform(link.preparationFailed(error, using: &generator), nil)
      return
    }
    delivery.opened(transmit: { [queue] in queue.append($0, $1) })
    for await _ in queue.arrivals {
      while let element = queue.next() {
        try Task.checkCancellation()
        guard delivery.isCurrent(element.connection) else { continue }
        let actions = try await actions(for: element)
        if case .attempt = try await perform(actions, element) { return }
      }
    }
    throw CancellationError()
  }

  /// Posts a publication. Returns the resulting actions.
  private mutating func actions(for element: ServerQueue.Element) async throws
    -> [ServerLink.Action]
  {
    guard let message = ServerMessage(element.stored.publication) else {
      return [.refuse(.noTopicOfOwnTracks(element.stored.publication.topic))]
    }
    var request = HTTPRequest(
      url: server.url, headers: message.headers, body: message.body,
      answer: .ignored(limit: ServerPublications.bodyLimit))
    request.credentials = credentials
    request.tls = HTTPRequest.TLS(
      authorityFile: server.tls.authorityFile, certificateFile: server.tls.certificateFile,
      keyFile: server.tls.keyFile)
    request.connectTimeout = server.connectTimeout
    request.timeout = server.timeout
    request.mayLeave = { [delivery, isPermitted] in
      isPermitted() && delivery.isCurrent(element.connection)
    }
    do {
      let response = try await client.send(request)
      let wait = RetryAfter.wait(response.retryAfter, sent: response.date, received: .now)
      return link.ended(
        .answered(status: response.status, retryAfter: wait), using: &generator)
    } catch let failure as HTTPFailure {
      return link.ended(.failed(failure), using: &generator)
    }
  }

  private func perform(
    _ actions: [ServerLink.Action], _ element: ServerQueue.Element?
  ) async throws -> Next {
    for action in actions {
      switch action {
      case .report(let state): delivery.changed(state)
      case .acknowledge:
        if let element { delivery.acknowledged(element.stored.number, on: element.connection) }
      case .refuse(let error):
        if let element {
          delivery.refusedForGood(element.stored.number, on: element.connection, error)
        }
      case .reopen:
        delivery.closed()
        return .attempt
      case .wait(let delay):
        delivery.closed()
        try await clock.sleep(for: delay)
        return .attempt
      case .fail(let error): throw error
      }
    }
    return .publication
  }
}
