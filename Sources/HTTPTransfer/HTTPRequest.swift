/// A request to a server, and the bounds of its answer.
package struct HTTPRequest: Sendable {
  /// The part of an answer that is received.
  package enum Answer: Hashable, Sendable {
    /// The decoded body of an answer with status 200, if it has at most this many bytes; of other
    /// answers only the headers.
    case kept(limit: Int)
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
  /// Sent with the request by basic authentication. The user contains no colon.
  package var credentials: (user: String, password: String)?
  package var tls = TLS()
  package var answer: Answer
  /// The time limit of connecting, measured by libcurl; nil for its default.
  package var connectTimeout: Duration?
  /// The time limit of the whole transfer, measured by libcurl; nil for none.
  package var timeout: Duration?
  /// Called on the client's thread when there is a connection, before anything of the request is
  /// sent. Nothing is sent if it returns false.
  package var mayLeave: (@Sendable () -> Bool)?

  /// Creates a GET, or a POST if there is a body.
  package init(url: String, headers: [String], body: [UInt8]? = nil, answer: Answer) {
    self.url = url
    self.headers = headers
    self.body = body
    self.answer = answer
  }
}
