package import FoundationEssentials

/// A server's answer to one HTTP request.
package struct HTTPResponse: Sendable, Equatable {
  package var status: Int
  /// The headers `Location`, `Retry-After` and `Date`.
  package var location: String?
  package var retryAfter: String?
  package var date: String?
  /// The body, if the status is 200 and ``HTTPRequest/Answer/body(limit:)`` requests it.
  package var body = Data()

  package init(
    status: Int, location: String? = nil, retryAfter: String? = nil, date: String? = nil,
    body: Data = Data()
  ) {
    self.status = status
    self.location = location
    self.retryAfter = retryAfter
    self.date = date
    self.body = body
  }
}

/// Why an HTTP request has no response.
package enum HTTPFailure: Error, Sendable, Hashable {
  /// Why a connection cannot be secured.
  package enum SecurityProblem: Hashable, Sendable {
    /// A file of ``HTTPRequest/TLS`` cannot be used.
    case files
    /// The server's certificate has expired, or is not valid yet by this machine's clock.
    case expired
    /// The server's certificate is not trusted, or is another server's.
    case untrusted
    case handshake
  }

  /// There is no connection. The text states why, without the address.
  case unreachable(String)
  case insecure(SecurityProblem)
  /// The connection ended before the answer did, or the answer is not HTTP.
  case broken
  /// The body or the headers are longer than the limit.
  case tooLong
  /// The request was sent, and its answer did not come within ``HTTPRequest/timeout``.
  case timedOut
  /// ``HTTPRequest/mayLeave`` returned false; nothing was sent.
  case withheld
}
