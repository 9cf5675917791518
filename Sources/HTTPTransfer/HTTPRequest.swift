/// A request to a server, and the bounds of its answer.
package struct HTTPRequest: Sendable {
  /// The part of an answer that is received.
  package enum Answer: Hashable, Sendable {
    /// The decoded body of an answer with status 200. A body of more than this many bytes is an
    /// error. Of other answers, only the headers are received.
    case body(limit: Int)
    /// The headers. The body is read and ignored, so that the connection can serve the next
    /// request; after this many bytes the connection is closed instead. A body that breaks off or
    /// is too long does not change the outcome.
    case ignored(limit: Int)
  }

  /// The files for TLS, in PEM.
  package struct TLS: Hashable, Sendable {
    /// The trusted authorities; nil for those of the system.
    package var authorityFile: String?
    package var certificateFile: String?
    package var keyFile: String?

    package init(
      authorityFile: String? = nil, certificateFile: String? = nil, keyFile: String? = nil
    ) {
      self.authorityFile = authorityFile
      self.certificateFile = certificateFile
      self.keyFile = keyFile
    }
  }

  /// An HTTP or HTTPS address, without user and password.
  package var url: String
  /// Lines of the form `Name: value`, without control characters.
  package var headers: [String]
  /// The body of a POST; nil for a GET.
  package var body: [UInt8]?
  /// The credentials for basic authentication. The user must not contain a colon.
  package var credentials: (user: String, password: String)?
  package var tls = TLS()
  package var answer: Answer
  /// The time limit for connecting, measured by libcurl; nil for libcurl's default.
  package var connectTimeout: Duration?
  /// The time limit for the whole transfer, measured by libcurl; nil for none.
  package var timeout: Duration?
  /// Called on the client's thread when there is a connection, before any part of the request is
  /// sent. If it returns false, the request is not sent.
  package var mayLeave: (@Sendable () -> Bool)?

  /// Creates a GET, or a POST if there is a body.
  package init(url: String, headers: [String], body: [UInt8]? = nil, answer: Answer) {
    self.url = url
    self.headers = headers
    self.body = body
    self.answer = answer
  }
}
