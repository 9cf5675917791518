import AsyncLocation
import FoundationEssentials
import HTTPTransfer

/// The reason that a query has no answer.
enum ExchangeFailure: Error, Sendable, Hashable {
  /// The server refuses requests for a time; nil if it did not state one.
  case refused(for: Duration?)
  /// A status of 400 to 499 other than 429, or an unexpected one.
  case rejected(Int)
  /// A status of 500 to 599.
  case serverFailed(Int)
  /// A redirect to another origin, or without a valid address.
  case redirectedElsewhere
  case tooManyRedirects
  case malformed
  case transport(HTTPFailure)

  /// The maximum size of a decoded body in bytes; the rest of a longer body is not received.
  static let bodyLimit = 1 << 20
}

extension LocationError {
  /// The error of a failed query. It names the server, but neither the query nor the server's text,
  /// which may repeat the query.
  ///
  /// - Parameter wall: The current time.
  init(_ failure: ExchangeFailure, of server: String, at wall: Date) {
    switch failure {
    case .refused(let wait?): self = .refused(by: server, for: wait, at: wall)
    case .refused(nil):
      self.init(.rateLimited, "\(server) refuses further requests (status 429); ask less often.")
    case .rejected(401), .rejected(403):
      self.init(
        .geocoderUnavailable,
        "\(server) does not serve this program; see its rules of use and the address.")
    case .rejected(let status):
      self.init(
        .geocoderUnavailable,
        "\(server) does not understand the request (status \(status)); check the server's address "
          + "and the kind of its service.")
    case .serverFailed(let status):
      self.init(.network, "\(server) failed (status \(status)); try again later.")
    case .redirectedElsewhere:
      self.init(
        .network,
        "\(server) redirects to another server, which is not followed; check the server's address "
          + "and whether the network asks for a login.")
    case .tooManyRedirects:
      self.init(.network, "\(server) redirects again and again; check the server's address.")
    case .malformed:
      self.init(
        .network,
        "The answer of \(server) is not that of a geocoder; check the server's address and the "
          + "kind of its service.")
    case .transport(.unreachable(let reason)):
      self.init(.network, "\(server) cannot be reached: \(reason).")
    case .transport(.insecure):
      self.init(.network, "\(server) cannot be reached: the connection cannot be secured.")
    case .transport(.timedOut):
      self.init(.timedOut, "\(server) did not answer in time; try again later.")
    case .transport(.broken), .transport(.withheld):
      self.init(.network, "\(server) ended the connection before its answer; try again.")
    case .transport(.tooLong):
      self.init(
        .network,
        "The answer of \(server) is longer than \(ExchangeFailure.bodyLimit) bytes; check the "
          + "server's address.")
    }
  }

  /// The error of a query that the server refused for a stated time, or that is not sent during
  /// this time.
  static func refused(by server: String, for wait: Duration, at wall: Date) -> Self {
    // Whole seconds, rounded up: an earlier request would be refused.
    let seconds = (ExactSeconds.number(wait)).rounded(.up)
    let until = Date(
      timeIntervalSince1970: (wall.timeIntervalSince1970 + seconds).rounded(.up))
    return Self(
      .rateLimited,
      "\(server) refuses requests until \(Timestamp.format(until)), for \(Int(seconds)) s; ask "
        + "again then.")
  }
}
