package import FoundationEssentials

/// A server's answer to one HTTP request.
package struct HTTPResponse: Sendable, Equatable {
  package var status: Int
  /// The header `Location`.
  package var location: String?
  /// The header `Retry-After`; see ``RetryAfter``.
  package var retryAfter: String?
  /// The header `Date`.
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
    /// The TLS handshake failed for another reason.
    case handshake
  }

  /// There is no connection. The text states why, without the address.
  case unreachable(String)
  /// The connection cannot be secured.
  case insecure(SecurityProblem)
  /// The connection ended before the answer did, the answer is not HTTP, or libcurl failed for
  /// another reason.
  case broken
  /// The body or the headers are longer than the limit.
  case tooLong
  /// There was a connection, but the answer was not complete within ``HTTPRequest/timeout``. The
  /// request may have been sent.
  case timedOut
  /// ``HTTPRequest/mayLeave`` returned false; nothing was sent.
  case withheld
}
